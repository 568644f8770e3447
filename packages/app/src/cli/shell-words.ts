/** A command given as one quoted word, split as a shell would split it. Nothing else of a shell: no variables, no pipes. */

import { CliError } from './exit-codes.ts'

export function splitWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (quote !== undefined) {
      if (char === quote) quote = undefined
      else if (char === '\\' && quote === '"' && /["\\]/.test(line.charAt(at + 1)))
        word = (word ?? '') + line.charAt(++at)
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === '\\' && process.platform !== 'win32' && at + 1 < line.length) {
      word = (word ?? '') + line.charAt(++at)
    } else {
      word = (word ?? '') + char
    }
  }
  if (quote !== undefined) throw new CliError('usage', `A quote is not closed: ${line}`, `Close it with ${quote}.`)
  if (word !== undefined) words.push(word)
  return words
}
