/**
 * How errors that are the operator's alone are printed where nobody gave a function for them: in full, but that a store is
 * away in one line and once a minute, since everything that uses the store fails for as long as that lasts.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

const REMIND_MS = 60_000
const MAX_CAUSES = 8

/** Makes one for each thing that has a store; `head` stands before the error. */
export function createFaultPrinter(): (head: string, error: unknown) => void {
  let silentUntil = Number.NEGATIVE_INFINITY
  return (head, error) => {
    const away = awayIn(error)
    if (away === undefined) {
      console.error(head, error)
      return
    }
    if (performance.now() < silentUntil) return
    silentUntil = performance.now() + REMIND_MS
    console.error(`${head} ${away.message.replace(/\s+/g, ' ')}`)
  }
}

/** That the store does not answer, where it is the error or what caused it. */
export function awayIn(error: unknown): PorticoError | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < MAX_CAUSES; one = one.cause, depth++) {
    if (one instanceof PorticoError && one.code === 'store-unavailable') return one
  }
  return undefined
}
