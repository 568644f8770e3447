/**
 * The clock by which leases in a state file run: time since the machine was started, which all its processes share and which nobody
 * sets forward or back.
 */

const NANOSECONDS = 1_000_000n

export function machineMs(): number {
  return Number(process.hrtime.bigint() / NANOSECONDS)
}

/**
 * Of rows that are held now. One that would last longer than it was given for is from before the machine was started anew, when this
 * clock began again: its holder is gone.
 */
export const HELD = 'expires > ? AND expires - lasts <= ?'
