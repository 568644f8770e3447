/**
 * What is run: one leg for each way in which the official suite can look at the server or the client. The counts are
 * those of the pinned version, so that a leg which quietly ran less does not pass.
 */

export type Side = 'server' | 'client'

export interface Leg {
  readonly name: string
  readonly side: Side
  /** The revision whose wire is spoken. */
  readonly version: string
  /** The whole suite at that revision, the frozen set that the revision requires, or the scenarios of the skills extension. */
  readonly selection: 'all' | 'required' | 'skills'
  /** How many scenarios the suite has for this. */
  readonly scenarios: number
}

export const LEGS: readonly Leg[] = [
  leg('server', '2025-03-26', 'all', 1),
  leg('server', '2025-06-18', 'all', 27),
  leg('server', '2025-11-25', 'all', 33),
  leg('server', '2026-07-28', 'all', 40),
  leg('server', '2025-11-25', 'required', 33),
  leg('server', '2026-07-28', 'required', 50),
  leg('client', '2025-03-26', 'all', 2),
  leg('client', '2025-06-18', 'all', 5),
  leg('client', '2025-11-25', 'all', 19),
  leg('client', '2026-07-28', 'all', 33),
  leg('client', '2025-11-25', 'required', 25),
  leg('client', '2026-07-28', 'required', 39),
  leg('server', '2026-07-28', 'skills', 3),
  leg('client', '2026-07-28', 'skills', 4),
]

/** No selection of the suite holds the scenarios of this extension, so each is asked for by name. */
export const SKILLS: { readonly [S in Side]: readonly string[] } = {
  server: ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'],
  client: ['no-prefetch', 'verify-digest', 'verify-frontmatter', 'verify-size'].map(
    (name) => `sep-2640-client-${name}`,
  ),
}

/** Scenarios that the suite has and checks nothing in: shown, not counted. */
export function isEmpty(scenario: string): boolean {
  return scenario === 'tasks-status-notifications'
}

/** Judged by the clock to within a quarter of a second, which only means something when nothing else runs. */
export function isTimed(scenario: string): boolean {
  return scenario === 'sse-retry'
}

/** Belongs to no revision: part of the frozen sets, and of no other selection that has a wire of its own. */
export function isExtension(scenario: string): boolean {
  return /^auth\/(client-credentials|enterprise-managed|wif|dpop)/.test(scenario)
}

/** The suite's own arguments for a leg, or for one scenario on that leg's wire. */
export function suiteArguments(leg: Leg, scenario?: string): string[] {
  if (scenario !== undefined) {
    // An extension's scenario is skipped on every wire unless it is insisted on.
    const insists = leg.selection === 'skills' || (leg.selection === 'required' && isExtension(scenario))
    const force = insists ? ['--force'] : []
    return ['--scenario', scenario, '--spec-version', leg.version, ...force]
  }
  return leg.selection === 'all' ? ['--suite', 'all', '--spec-version', leg.version] : ['--requirements', leg.version]
}

function leg(side: Side, version: string, selection: Leg['selection'], scenarios: number): Leg {
  return {
    name: `${side}-${version}${selection === 'all' ? '' : `-${selection}`}`,
    side,
    version,
    selection,
    scenarios,
  }
}
