/**
 * Servers' words on their way to a terminal: nothing in them may move the cursor, change colours, hide or reverse text.
 * Data that goes to a file or another program is left as it is.
 */

import type { Io } from './io.ts'

/** With everything that a terminal would act on made visible; lines and tabs stay. */
export function toPlain(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSEEN, (char) => {
    const code = char.codePointAt(0) ?? 0
    return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`
  })
}

/** For standard output: plain where a person looks, untouched where a program reads. */
export function toShown(text: string, io: Pick<Io, 'terminal'>): string {
  return io.terminal ? toPlain(text) : text
}

/** One line of at most so many characters. */
export function toLine(text: string, length = 200): string {
  const line = toPlain(text.replace(/\s+/g, ' ').trim())
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

// Control and format characters (bidirectional and invisible ones among them), but for newline and tab.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
