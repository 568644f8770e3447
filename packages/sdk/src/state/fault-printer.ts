/**
 * How errors that are the operator's alone are printed where nobody gave a function for them: in full, but that a store is
 * away in one line and once a minute, since everything that uses the store fails for as long as that lasts.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

const REMIND_MS = 60_000
const MAX_CAUSES = 8

/**
 * Makes one for each thing that has a store; `head` stands before the error, and names its reference where it has one. What comes
 * back is the reference under which the error is to be found: its own, or that of the line that was printed for all.
 */
export function createFaultPrinter(): (head: string, error: unknown, reference?: string) => string {
  let silentUntil = Number.NEGATIVE_INFINITY
  let printed = ''
  let left = 0
  return (head, error, reference = '') => {
    const away = awayIn(error)
    if (away === undefined) {
      console.error(head, error)
      return reference
    }
    if (performance.now() < silentUntil) {
      left++
      return printed
    }
    const more = left > 0 ? ` (${left} more since the last line)` : ''
    console.error(`${head} ${away.message.replace(/\s+/g, ' ')}${more}`)
    silentUntil = performance.now() + REMIND_MS
    printed = reference
    left = 0
    return reference
  }
}

/** That the store does not answer, where it is the error or what caused it. */
export function awayIn(error: unknown): PorticoError | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < MAX_CAUSES; one = one.cause, depth++) {
    if (one instanceof PorticoError && one.code === 'store-unavailable') return one
  }
  return undefined
}
