/**
 * Time as this process was given it: a machine that is busy with other things stands still for as long. What has to happen at once is
 * measured by it, so that a busy machine is no fault.
 */

const TICK_MS = 20
let ticks = 0
setInterval(() => ticks++, TICK_MS).unref()

/** In milliseconds since the start, in steps of one tick. */
export function now(): number {
  return ticks * TICK_MS
}
