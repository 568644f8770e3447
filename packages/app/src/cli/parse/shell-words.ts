/** A command given as one quoted word, split as a shell would split it. Nothing else of a shell: no variables, no pipes. */

import { splitShellWords } from '@portico/host/config'
import { CliError } from '../../exit-codes.ts'

export function splitWords(line: string): string[] {
  const words = splitShellWords(line)
  if (words === undefined) throw new CliError('usage', `A quote is not closed: ${line}`, 'Close it.')
  return words
}
