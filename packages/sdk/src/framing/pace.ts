/** How long a peer may take over what is long, in either direction: a slow line is no reason to give a peer up, silence is. */

import { LONGEST_TIMER_MS } from '../jsonrpc/longest-timer.ts'

/** A Mi a second: the slowest line that is served. */
const SLOWEST_PER_MS = 1024

/** How long so much may take, where a peer may be silent for `silentMs`. No more than a timer can wait. */
export function allowedMs(silentMs: number, length: number): number {
  return Math.min(silentMs + length / SLOWEST_PER_MS, LONGEST_TIMER_MS)
}
