/** What a process has cost so far, in the words that the measuring side looks for. */

export function cost(): string {
  const { user, system } = process.cpuUsage()
  return `cpu=${user + system} rss=${process.memoryUsage.rss()}`
}
