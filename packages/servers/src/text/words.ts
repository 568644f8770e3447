/**
 * A value as lines that a model reads with few tokens: scalars by name, then lists as tables in their order, empty or not, a
 * long text as it is at the end.
 */

export function toWords(value: object): string {
  if (Array.isArray(value)) return toList(value)
  const lines: string[] = []
  const blocks: string[] = []
  let long: [string, string] | undefined
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    // One text of several lines stands as it is, at the end, where it can pass for nothing else.
    if (typeof member === 'string' && member.includes('\n') && long === undefined) long = [name, member]
    else if (Array.isArray(member)) blocks.push(member.length === 0 ? `${name}: none` : `${name}${toList(member)}`)
    else lines.push(`${name}: ${toCell(member)}`)
  }
  if (long !== undefined) blocks.push(`${long[0]}:\n${long[1]}`)
  return [...lines, ...blocks].join('\n')
}

function toList(items: readonly unknown[]): string {
  if (!items.every(isPlain)) return `:\n${items.map(toCell).join('\n')}`
  const columns = new Set<string>()
  for (const item of items) for (const column of Object.keys(item)) columns.add(column)
  const names = [...columns]
  const line = names.length === 1 ? toShortLine(items.map((item) => toCell(item[names[0]!]))) : undefined
  if (line !== undefined) return ` (${names[0]}): ${line}`
  return ` (${names.join(', ')}):\n${items.map((item) => toTableRow(item, names)).join('\n')}`
}

/** Cells on one line, where they are few and none could pass for two. */
function toShortLine(cells: readonly string[]): string | undefined {
  const line = cells.join(', ')
  return line.length <= SHORT && cells.every((cell) => cell !== '' && !/[,\n]/.test(cell)) ? line : undefined
}

const SHORT = 200

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
