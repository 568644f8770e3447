/** Who may be at the other end of standard input. */

import { fstatSync } from 'node:fs'

/**
 * Whether a client can be there. At a terminal is a person; `/dev/null`, which services and background jobs get, has
 * nobody. Pipes and sockets come from whoever started us, and a file may hold messages.
 */
export function canHoldClient({ isTTY, fd = 0 }: { readonly isTTY?: boolean; readonly fd?: number }): boolean {
  if (isTTY === true) return false
  try {
    return !fstatSync(fd).isCharacterDevice()
  } catch {
    return true
  }
}
