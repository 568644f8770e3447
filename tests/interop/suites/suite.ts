/** What a suite is, and the running of checks on one client at one server. */

import type { Report } from '../../support/report.ts'
import { withLimit } from '../../support/wait.ts'
import { askingChecks, unaskableChecks } from '../checks/asking.ts'
import { promptChecks } from '../checks/prompts.ts'
import { resourceChecks } from '../checks/resources.ts'
import { sessionChecks } from '../checks/session.ts'
import { toolChecks } from '../checks/tools.ts'
import type { ClientUnderTest, Offer, Version } from '../client-under-test.ts'
import type { Check, Pair, ServerUnderTest } from '../server-under-test.ts'

export const allChecks: Check[] = [...sessionChecks, ...toolChecks, ...resourceChecks, ...promptChecks, ...askingChecks]

export type Connect = (offer: Offer) => Promise<ClientUnderTest>

/** Connects, runs every check that applies, disconnects; then once more as a client that cannot be asked anything. */
export async function visit(
  report: Report,
  server: ServerUnderTest,
  version: Version,
  connect: Connect,
): Promise<void> {
  await withClient(report, server, version, connect, { asking: true }, allChecks)
  await withClient(report, server, version, connect, { asking: false }, unaskableChecks)
}

export async function withClient(
  report: Report,
  server: ServerUnderTest,
  version: Version,
  connect: Connect,
  offer: Offer,
  checks: readonly Check[],
): Promise<void> {
  let client: ClientUnderTest | undefined
  const what = offer.asking ? 'connects' : 'connects while offering nothing'
  await report.check(what, async () => {
    client = await connect(offer)
  })
  if (client === undefined) return
  const connected = client
  const pair: Pair = { client: connected, server, version, modern: version >= '2026-07-28' }
  for (const check of checks) {
    if (check.when?.(pair) ?? true) await report.check(check.name, () => check.run(pair))
  }
  await report.check('disconnects', () => withLimit(connected.close(), 10_000, 'close'))
}
