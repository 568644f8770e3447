/** Which words name a definition: apart from the loading, so that telling needs none of it. */

import { extname } from 'node:path'

export const ENDINGS: readonly string[] = ['.ts', '.mts', '.js', '.mjs']

/** Whether a word names a definition rather than something configured or a program. */
export function isDefinitionFile(word: string): boolean {
  return ENDINGS.includes(extname(word)) && !/^[a-z]+:\/\//i.test(word)
}
