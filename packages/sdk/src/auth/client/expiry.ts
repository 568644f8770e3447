/**
 * The end of a credential's time, for whatever was opened by it and stays open: connections, listeners, event streams.
 * Everything that lives longer than one request arms it here; requests carry a credential of their own each time.
 */

import type { Principal } from '../principal.ts'

/**
 * Runs `end` when the credential ends, unless it is called off by the function that comes back. A credential without an
 * end has none here either.
 */
export function atExpiry(principal: Principal | undefined, end: () => void): () => void {
  if (principal?.expiresAt === undefined) return nothing
  const timer = setTimeout(end, Math.min(Math.max(0, principal.expiresAt - Date.now()), LONGEST_TIMER_MS))
  // An object in Node, where it would keep the process; elsewhere a number, on which the member reads as undefined.
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearTimeout(timer)
}

/** What timers take at most; nothing stays open for longer on one credential. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

function nothing(): void {}
