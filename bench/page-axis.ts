/**
 * How soon the workbench can be used, and how much is loaded for it: the lab opens it in a real browser and tells. Without
 * a browser there are no figures, and the run says so.
 */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Figure, median } from './figures.ts'
import type { StaticAxis } from './static-axis.ts'

export const PAGE_AXIS: StaticAxis = {
  name: 'page',
  title: 'the workbench in a browser',
  unit: 'ms; bytes',
  about:
    'From following the link: when something is painted, when the servers are on the page; and the bytes of the page.',
  measure: measurePage,
}

/** What the lab calls a figure, and what it is called here. */
const FIGURES = [
  { told: 'first paint', case: 'first paint', unit: 'ms' },
  { told: 'usable (servers on the page)', case: 'usable', unit: 'ms' },
  { told: 'page', case: 'page', unit: 'bytes' },
] as const

const MOST_ROUNDS = 3

function measurePage(rounds: number): Figure[] {
  const values = new Map<string, number[]>()
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    const lines = openWorkbench()
    for (const { told, case: name } of FIGURES) {
      const found = lines.find((line) => line.startsWith(`figure  ${told}: `))
      if (found === undefined) continue
      const value = Number.parseFloat(found.slice(`figure  ${told}: `.length))
      values.set(name, [...(values.get(name) ?? []), value])
    }
  }
  if (values.size === 0) console.error('page: no browser was found, so there are no figures')
  return FIGURES.flatMap(({ case: name, unit }) => {
    const all = values.get(name)
    if (all === undefined) return []
    const spread = { median: median(all), low: Math.min(...all), high: Math.max(...all) }
    return [{ axis: 'page', case: name, contestant: 'portico', unit, ...spread }]
  })
}

function openWorkbench(): string[] {
  const lab = fileURLToPath(new URL('../tests/workbench/run.ts', import.meta.url))
  const runner = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url))
  // Words that no other trial has: what every run needs first is what is measured.
  const done = spawnSync(process.execPath, [runner, lab, 'the printed link'], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`The workbench did not open: ${done.stderr.slice(-500)}`)
  return done.stdout.split('\n')
}
