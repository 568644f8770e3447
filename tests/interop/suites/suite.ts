/** What a suite is, and the running of checks on one guest at one house. */

import type { Report } from '../../support/report.ts'
import { withLimit } from '../../support/wait.ts'
import { askingChecks, unaskableChecks } from '../checks/asking.ts'
import { promptChecks } from '../checks/prompts.ts'
import { resourceChecks } from '../checks/resources.ts'
import { sessionChecks } from '../checks/session.ts'
import { toolChecks } from '../checks/tools.ts'
import type { Guest, Offer, Version } from '../guest.ts'
import type { Check, House, Scene } from '../house.ts'

export const allChecks: Check[] = [...sessionChecks, ...toolChecks, ...resourceChecks, ...promptChecks, ...askingChecks]

export type Connect = (offer: Offer) => Promise<Guest>

/** Connects, runs every check that applies, disconnects; then once more as a guest that cannot be asked anything. */
export async function visit(report: Report, house: House, version: Version, connect: Connect): Promise<void> {
  await withGuest(report, house, version, connect, { asking: true }, allChecks)
  await withGuest(report, house, version, connect, { asking: false }, unaskableChecks)
}

export async function withGuest(
  report: Report,
  house: House,
  version: Version,
  connect: Connect,
  offer: Offer,
  checks: readonly Check[],
): Promise<void> {
  let guest: Guest | undefined
  const what = offer.asking ? 'connects' : 'connects while offering nothing'
  await report.check(what, async () => {
    guest = await connect(offer)
  })
  if (guest === undefined) return
  const connected = guest
  const scene: Scene = { guest: connected, house, version, modern: version >= '2026-07-28' }
  for (const check of checks) {
    if (check.when?.(scene) ?? true) await report.check(check.name, () => check.run(scene))
  }
  await report.check('disconnects', () => withLimit(connected.close(), 10_000, 'close'))
}
