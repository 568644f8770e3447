/**
 * Reads what the suite wrote: a folder for each scenario with the checks that it made. The verdict is made from these,
 * not from the suite's exit code, which ignores warnings on one side and the client's crashes on the other.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { CLIENT_DONE } from '../fixture/client-scenarios.ts'
import type { Side } from './legs.ts'

export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly description?: string
  readonly errorMessage?: string
}

export interface ScenarioOutcome {
  readonly scenario: string
  readonly checks: readonly Check[]
  /** What is wrong with it; empty for a scenario that passed. */
  readonly problems: readonly string[]
}

export function readOutcomes(folder: string, side: Side): ScenarioOutcome[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('checks.json'),
  )
  return files.map((name) => readOutcome(folder, name, side)).sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
}

function readOutcome(folder: string, name: string, side: Side): ScenarioOutcome {
  const path = join(folder, name)
  const scenario = scenarioOf(relative(folder, dirname(path)), side)
  // The suite writes arrays of checks; a changed format shows as a scenario that checked nothing.
  const checks = JSON.parse(readFileSync(path, 'utf8')) as readonly Check[]
  const problems = problemsIn(checks)
  // Checks that a client never came to are only skipped, so that it came to its end is asked for too.
  if (side === 'client' && !readFileSync(join(dirname(path), 'stdout.txt'), 'utf8').includes(CLIENT_DONE)) {
    problems.push(`the client did not finish:\n${readFileSync(join(dirname(path), 'stderr.txt'), 'utf8').trim()}`)
  }
  return { scenario, checks, problems }
}

/** `server-ping-2026-01-31T10-00-00-000Z` is `ping`; the client's folders have no prefix but may be nested. */
function scenarioOf(folder: string, side: Side): string {
  const name = folder
    .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
    .split(sep)
    .join('/')
  return side === 'server' ? name.replace(/^server-/, '') : name
}

function problemsIn(checks: readonly Check[]): string[] {
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const problems = bad.map(({ id, status, description, errorMessage }) => {
    return `${status} ${id}: ${errorMessage ?? description ?? 'no message'}`
  })
  // That what was sent is valid also holds when nothing was sent.
  const passed = checks.some(({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid')
  return passed || problems.length > 0 ? problems : ['nothing was checked']
}
