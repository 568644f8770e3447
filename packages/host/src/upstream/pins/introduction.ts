/** What a server says of itself, as far as it is what was approved. */

import type { ServerIntroduction } from '../identity.ts'
import type { UpstreamView } from '../upstream.ts'
import type { PinCheck, PinStore } from './pins.ts'

/** Leaves out what waits for approval; says nothing of a server that there is not. */
export function approvedIntroduction(view: UpstreamView | undefined, pins: PinStore): ServerIntroduction {
  if (view === undefined) return {}
  const { name, instructions, identity, config } = view
  const { trusted } = config.settings
  const isKnown = (found: PinCheck) => found.quarantine === undefined
  return {
    ...(instructions !== undefined && isKnown(pins.checkInstructions(name, instructions, trusted)) && { instructions }),
    ...(identity !== undefined && isKnown(pins.checkIdentity(name, identity, trusted)) && { identity }),
  }
}
