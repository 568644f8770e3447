/** Numbers with their noun: `1 server`, `2 servers`. */

export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}
