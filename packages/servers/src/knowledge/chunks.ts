/** A document in pieces that can be found and cited: by heading and paragraph, each with the lines that it stands on. */

export interface Chunk {
  /** The headings above it, outermost first. */
  readonly headings: readonly string[]
  readonly text: string
  /** Counted from 1, both included. */
  readonly from: number
  readonly to: number
}

/** Characters of a piece: about what a reader takes in at once. */
const TARGET = 1200
/** A line longer than this counts as several, so that all of it can be found, read and cited. */
const MAX_LINE = 20_000

export function toLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/)
  // What ends the last line begins no other.
  const whole = lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return whole.flatMap((line) => (line.length > MAX_LINE ? toPieces(line) : [line]))
}

function toPieces(line: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < line.length; ) {
    const near = Math.min(start + MAX_LINE, line.length)
    // Where a word ends, if one does nearby; between the halves of one character is no place to cut.
    const space = near === line.length ? -1 : line.lastIndexOf(' ', near)
    const end = space > near - 200 ? space + 1 : /[\ud800-\udbff]/.test(line[near - 1] ?? '') ? near - 1 : near
    pieces.push(line.slice(start, end))
    start = end
  }
  return pieces
}

export function toChunks(lines: readonly string[]): Chunk[] {
  const chunks: Chunk[] = []
  let headings: string[] = []
  let start = 0
  let length = 0
  let isCode = false
  const close = (end: number): void => {
    const text = lines.slice(start, end).join('\n').trim()
    if (text !== '') {
      const blank = lines.slice(start, end).findIndex((line) => line.trim() !== '')
      chunks.push({ headings: [...headings], text, from: start + blank + 1, to: lastFilled(lines, start, end) + 1 })
    }
    start = end
    length = 0
  }
  for (const [index, line] of lines.entries()) {
    if (/^\s{0,3}(```|~~~)/.test(line)) isCode = !isCode
    const heading = isCode ? null : /^(#{1,6})\s+(.{1,300})/.exec(line)
    if (heading !== null) {
      close(index)
      const level = heading[1]?.length ?? 1
      headings = [...headings.slice(0, level - 1), (heading[2] ?? '').replace(/\s*#+\s*$/, '')]
    } else if (length >= TARGET && (line.trim() === '' || length >= TARGET * 2)) close(index)
    length += line.length + 1
  }
  close(lines.length)
  return chunks
}

function lastFilled(lines: readonly string[], start: number, end: number): number {
  for (let index = end - 1; index > start; index--) if (lines[index]?.trim() !== '') return index
  return start
}
