/** The plain parts of Markdown on a terminal: headings, emphasis, code, lists and links. Whatever else there is stays. */

import type { Io } from './io.ts'
import { toPlain } from './plain-text.ts'

export function looksLikeMarkdown(text: string): boolean {
  return /^#{1,6} \S|\*\*[^*\n]+\*\*|^```|\]\(https?:/m.test(text)
}

export function showMarkdown(text: string, { paint }: Pick<Io, 'paint'>): string {
  let isCode = false
  const lines = toPlain(text)
    .split('\n')
    .flatMap((line) => {
      if (/^\s*```/.test(line)) {
        isCode = !isCode
        return []
      }
      return [isCode ? `    ${paint.cyan(line)}` : showLine(line, paint)]
    })
  return lines.join('\n')
}

function showLine(line: string, paint: Io['paint']): string {
  const heading = /^#{1,6} (.+)$/.exec(line)?.[1]
  if (heading !== undefined) return paint.bold(heading.replace(/\*\*|`/g, ''))
  return line
    .replace(/^(\s*)[-*+] /, '$1• ')
    .replace(/`([^`]+)`/g, (_whole, code: string) => paint.cyan(code))
    .replace(/\*\*([^*]+)\*\*/g, (_whole, words: string) => paint.bold(words))
    .replace(/\[([^[\]]+)\]\(([^)\s[]+)\)/g, (_whole, words: string, url: string) => `${words} (${url})`)
}
