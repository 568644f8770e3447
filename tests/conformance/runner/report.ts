/** What a run says at its end: a table of legs, then every problem with the suite's own words, then where it checks nothing. */

import { toTable } from '../../support/table.ts'
import type { Check, ScenarioOutcome } from './checks.ts'
import { isClean, type LegOutcome } from './run-leg.ts'

export function reportTable(outcomes: readonly LegOutcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { leg, counted, empty } = outcome
    const clean = counted.filter(({ problems }) => problems.length === 0).length
    const cells = [
      `${clean}/${counted.length}`,
      count(counted, 'SUCCESS'),
      count(counted, 'FAILURE'),
      count(counted, 'WARNING'),
    ]
    return [leg.name, ...cells, empty.length, isClean(outcome) ? 'clean' : 'NOT CLEAN'].map(String)
  })
  return toTable([['leg', 'scenarios', 'passed', 'failures', 'warnings', 'empty', ''], ...rows])
}

export function reportProblems(outcomes: readonly LegOutcome[]): string[] {
  return outcomes.flatMap(({ leg, counted, problems }) => [
    ...problems.map((problem) => `${leg.name}: ${problem}`),
    ...counted.flatMap((outcome) => outcome.problems.map((problem) => `${leg.name} ${outcome.scenario}: ${problem}`)),
  ])
}

/** Scenarios in which the suite checks nothing, by side and revision. */
export function reportEmpty(outcomes: readonly LegOutcome[]): string[] {
  const groups = new Map<string, Set<string>>()
  for (const { leg, empty } of outcomes) {
    const names = groups.get(`${leg.side} ${leg.version}`) ?? new Set()
    for (const { scenario } of empty) names.add(scenario)
    if (names.size > 0) groups.set(`${leg.side} ${leg.version}`, names)
  }
  return [...groups].map(([group, names]) => `${group}: ${[...names].join(', ')}`)
}

function count(outcomes: readonly ScenarioOutcome[], status: Check['status']): number {
  return outcomes.reduce((sum, { checks }) => sum + checks.filter((check) => check.status === status).length, 0)
}
