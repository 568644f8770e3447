/**
 * Servers' words on their way to a terminal: nothing in them may move the cursor, change colours, hide or reverse text.
 * Data that goes to a file or another program is left as it is.
 */

import { showHidden } from '@portico/host/text'

/** With everything that a terminal would act on made visible; lines and tabs stay. */
export function toPlain(text: string): string {
  return showHidden(text.replace(/\r\n/g, '\n'))
}

/** The same for text that has our own colours in it, which are the only thing that still acts. */
export function toPainted(text: string): string {
  return text
    .split(COLOUR)
    .map((piece, at) => (at % 2 === 0 ? toPlain(piece) : piece))
    .join('')
}

/** For standard output: plain where a person looks, untouched where a program reads. */
export function toShown(text: string, io: { readonly terminal: boolean }): string {
  return io.terminal ? toPlain(text) : text
}

/** One line of at most so many characters. */
export function toLine(text: string, length = 200): string {
  const line = toPlain(text.replace(/\s+/g, ' ').trim())
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** As `io.ts` paints; in a group, so that splitting keeps them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape character is what is looked for
const COLOUR = /(\u001B\[(?:1|2|22|3[1236]|39)m)/
