/**
 * A definition runs in this process, and `process.exit` in it would end the command without a word: it gets one, and a
 * code of its own, since whatever the definition says would mean something else as this program's.
 */

import { EXIT_CODES } from '../exit-codes.ts'

const own = process.exit.bind(process)

/** Until the function that comes back is called, whoever calls `process.exit` is named first. */
export function nameExits(file: string, say: (text: string) => void): () => void {
  const before = process.exit
  const named: typeof process.exit = (code) => {
    say(`error: ${file} called process.exit(${code ?? ''}), which ends this command.`)
    return before.call(process, EXIT_CODES.exited.code)
  }
  process.exit = named
  return () => {
    if (process.exit === named) process.exit = before
  }
}

/** How this program ends itself, whatever a definition is doing; with the code that was set, unless one is given. */
export function exitNow(code?: number): never {
  return own(code)
}
