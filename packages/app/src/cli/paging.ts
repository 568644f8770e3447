/**
 * Text that somebody is to decide about, shown whole: what does not fit on the screen comes page by page, and nothing is
 * left out. Whoever does not want to read on has not said yes.
 */

import { screenOf } from './screen-size.ts'
import type { Io } from './terminal/io.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Lines that stay free for the question itself. */
const RESERVED = 4
const FEWEST = 5

/** Cuts text into pages of whole lines; a line that is longer than the screen takes as many as it needs. */
export function toPages(text: string, rows: number, columns: number): string[][] {
  const most = Math.max(FEWEST, rows - RESERVED)
  const pages: string[][] = []
  let page: string[] = []
  let used = 0
  for (const line of text.split('\n').flatMap((one) => toScreenLines(one, Math.max(1, columns) * most))) {
    const height = Math.max(1, Math.ceil(line.length / Math.max(1, columns)))
    if (used + height > most && page.length > 0) {
      pages.push(page)
      page = []
      used = 0
    }
    page.push(line)
    used += height
  }
  return [...pages, page]
}

/** One line that alone is more than a page is several. */
function toScreenLines(line: string, most: number): string[] {
  const points = [...line]
  if (points.length <= most) return [line]
  const count = Math.ceil(points.length / most)
  return Array.from({ length: count }, (_, at) => points.slice(at * most, (at + 1) * most).join(''))
}

/** False when the person did not want to see the rest. */
export async function showWhole(
  text: string,
  { io, terminal, signal }: { readonly io: Io; readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<boolean> {
  const { rows, columns } = screenOf(io.stderr)
  const pages = toPages(text, rows, columns)
  for (const [at, page] of pages.entries()) {
    io.say(page.join('\n'))
    if (at === pages.length - 1) return true
    const prompt = `  page ${at + 1} of ${pages.length} · [Enter] next  [q] stop, which is no › `
    const line = await terminal.ask(prompt, { signal })
    if (line === undefined || /^[qn]/i.test(line.trim())) return false
  }
  return true
}
