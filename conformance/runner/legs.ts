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
  /** The whole suite at that revision, or the frozen set that the revision requires. */
  readonly selection: 'all' | 'required'
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
  leg('client', '2025-06-18', 'all', 5),
  leg('client', '2025-11-25', 'all', 19),
  leg('client', '2026-07-28', 'all', 33),
  leg('client', '2025-11-25', 'required', 25),
  leg('client', '2026-07-28', 'required', 39),
]

/** Scenarios of features that are still to come: run where the suite runs them, shown, not counted. */
export function isLater(scenario: string): boolean {
  return /^(tasks-|sep-2640-|auth\/)/.test(scenario)
}

/** Judged by the clock to within a quarter of a second, which only means something when nothing else runs. */
export function isTimed(scenario: string): boolean {
  return scenario === 'sse-retry'
}

/** The suite's own arguments for a leg, or for one scenario on that leg's wire. */
export function suiteArguments(leg: Leg, scenario?: string): string[] {
  if (scenario !== undefined) return ['--scenario', scenario, '--spec-version', leg.version]
  return leg.selection === 'all' ? ['--suite', 'all', '--spec-version', leg.version] : ['--requirements', leg.version]
}

function leg(side: Side, version: string, selection: Leg['selection'], scenarios: number): Leg {
  return {
    name: `${side}-${version}${selection === 'required' ? '-required' : ''}`,
    side,
    version,
    selection,
    scenarios,
  }
}
