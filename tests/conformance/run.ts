/**
 * `npm run conformance`: the official MCP conformance suite against this repository's server and client. A leg is one way in
 * which the suite looks at one of them. Every scenario has to be clean, what an implementation merely should do included. The
 * short form has what the newest two revisions require, and the whole suite of the older ones on one side each.
 */

import { fileURLToPath } from 'node:url'
import { runSuite } from '../support/suite.ts'
import { keepBusy } from './runner/busy.ts'
import { LEGS, type Leg } from './runner/legs.ts'
import { planLegs, type Round } from './runner/plan.ts'
import { hasClient } from './runner/subjects.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

await runSuite(import.meta.url, {
  flags: {
    leg: { type: 'string', multiple: true, about: 'this leg; may be given several times' },
    scenario: { type: 'string', multiple: true, about: 'this scenario, on every wire that has it' },
    repeat: { type: 'string', default: '1', about: 'so many times; a problem in one of them is a problem' },
    busy: { type: 'string', default: '0', about: 'with so many processes beside that take all the time they can get' },
    gateway: { type: 'boolean', about: 'the server suites with our gateway in front of the server' },
    replicas: { type: 'string', about: 'the server suites before so many processes behind plain round robin' },
    upstream: { type: 'string', about: 'with --gateway: the revision between gateway and server' },
  },
  open({ leg, scenario: scenarios, repeat, busy, gateway, upstream, replicas, short }) {
    const times = toCount('repeat', repeat, 1)
    const legs = selectLegs(leg, scenarios).filter(
      (one) =>
        ((gateway !== true && replicas === undefined) || one.side === 'server') && (short !== true || isShort(one)),
    )
    const program =
      replicas === undefined ? { file: 'server.ts' } : { file: 'replicas.ts', env: { REPLICAS: replicas } }
    const rounds: Round[] = gateway === true ? throughGateway(legs, upstream) : [{ legs, program }]
    const processes = toCount('busy', busy, 0)
    return { ...planLegs(folder, rounds, { scenarios, times }), before: () => keepBusy(processes) }
  },
})

function toCount(name: string, text: string, least: number): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < least) throw new Error(`--${name} takes a whole number from ${least}`)
  return count
}

/** What the newest two revisions require; of the older ones, which have no such set, the whole suite on one side each. */
function isShort({ selection, side, version }: Leg): boolean {
  if (selection !== 'all') return true
  const hasRequired = LEGS.some((leg) => leg.version === version && leg.selection === 'required')
  return !hasRequired && side === (version === '2025-06-18' ? 'server' : 'client')
}

function selectLegs(names: readonly string[] | undefined, scenarios: readonly string[] | undefined): Leg[] {
  const unknown = names?.find((name) => !LEGS.some((leg) => leg.name === name))
  if (unknown !== undefined) throw new Error(`no leg is named "${unknown}"; see --list`)
  return LEGS.filter((leg) => {
    if (leg.side === 'client' && !hasClient(folder)) return false
    // The frozen sets hold nothing that the whole suite at their revision does not.
    if (scenarios !== undefined && leg.selection === 'required') return false
    return names?.includes(leg.name) ?? true
  })
}

/** Each era has a gateway of its own; the newest revision of the era is spoken behind it unless one is named. */
function throughGateway(legs: readonly Leg[], upstream: string | undefined): Round[] {
  return ['2025-11-25', '2026-07-28'].map((era) => {
    const isEra = ({ version }: Leg): boolean => version === era || (era === '2025-11-25' && version < era)
    return {
      // The extensions stay behind it.
      legs: legs.filter((leg) => isEra(leg) && leg.selection !== 'skills'),
      program: { file: 'gateway.ts', env: { UPSTREAM: upstream ?? era } },
    }
  })
}
