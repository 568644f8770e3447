/** A value as lines that a model reads with few tokens: scalars by name, lists as tables, a long text as it is at the end. */

export function toWords(value: object): string {
  if (Array.isArray(value)) return toList(value)
  const lines: string[] = []
  const blocks: string[] = []
  let long: [string, string] | undefined
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    // One text of several lines stands as it is, at the end, where it can pass for nothing else.
    if (typeof member === 'string' && member.includes('\n') && long === undefined) long = [name, member]
    else if (Array.isArray(member) && member.length > 0) blocks.push(`${name}${toList(member)}`)
    else lines.push(`${name}: ${Array.isArray(member) ? 'none' : toCell(member)}`)
  }
  if (long !== undefined) blocks.push(`${long[0]}:\n${long[1]}`)
  return [...lines, ...blocks].join('\n')
}

function toList(items: readonly unknown[]): string {
  if (!items.every(isPlain)) return `:\n${items.map(toCell).join('\n')}`
  const columns = new Set<string>()
  for (const item of items) for (const column of Object.keys(item)) columns.add(column)
  const names = [...columns]
  return ` (${names.join(', ')}):\n${items.map((item) => toTableRow(item, names)).join('\n')}`
}

function toTableRow(item: { readonly [name: string]: unknown }, columns: readonly string[]): string {
  let row = ''
  let gap = ''
  for (const column of columns) {
    const cell = toCell(item[column])
    // What is absent at the end leaves no tabs behind.
    if (cell !== '') row += gap + cell
    gap = cell === '' ? `${gap}\t` : '\t'
  }
  return row
}

function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const ODD = /[\t\n\r\u2028\u2029]|^[\s"[{]|\s$/

/** What would break a line or a column, or be taken for something else, is spelled as JSON. */
function toCell(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return value === '' || ODD.test(value) ? JSON.stringify(value) : value
}
