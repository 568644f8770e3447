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
/** A line longer than this is cut where it is shown and searched; the document keeps it whole. */
const MAX_LINE = 20_000

export function toLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/)
}

export function toChunks(lines: readonly string[]): Chunk[] {
  const chunks: Chunk[] = []
  let headings: string[] = []
  let start = 0
  let length = 0
  let isCode = false
  const close = (end: number): void => {
    const text = lines.slice(start, end).map(cut).join('\n').trim()
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
    length += Math.min(line.length, MAX_LINE) + 1
  }
  close(lines.length)
  return chunks
}

function lastFilled(lines: readonly string[], start: number, end: number): number {
  for (let index = end - 1; index > start; index--) if (lines[index]?.trim() !== '') return index
  return start
}

function cut(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line
}
