/** What may be kept of what somebody says. */

import { ToolError } from '@portico/sdk/server'
import { toPlainText } from '../text/plain-text.ts'

/** Something that can be seen: of blanks and signs that show nothing, nobody could tell later what was kept. */
export function cleanWords(words: string, what: string): string {
  const clean = cleanText(words, what).trim()
  if (toPlainText(clean).trim() === '')
    throw new ToolError(`There is nothing but blanks in the ${what}. Nothing was kept.`)
  return clean
}

/** Databases and addresses end a text at such a character: what was said and what is kept would differ. */
export function cleanText(words: string, what: string): string {
  if (words.includes('\0')) throw new ToolError(`There is a NUL character in the ${what}, which cannot be kept.`)
  return words
}
