/**
 * What tasks cost: the suite of shared state has the databases for it, measures and tells. Without a Redis there is no figure for
 * what needs one, and the run says so.
 */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Figure, single } from './figures.ts'
import type { StaticAxis } from './static-axis.ts'

export const TASKS_AXIS: StaticAxis = {
  name: 'tasks',
  title: 'tasks',
  unit: 'ms; bytes',
  about:
    'From the call to the result of a task that does nothing, the median, with client and server in one process: beside a plain call, in memory, in a SQLite file, and handed to a worker by BullMQ on Redis and on PostgreSQL. A change that a thousand clients are told over HTTP. What each of ten thousand tasks that wait in a SQLite file costs in memory.',
  measure: measureTasks,
}

function measureTasks(): Figure[] {
  const suite = fileURLToPath(new URL('../tests/scale/run.ts', import.meta.url))
  const runner = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url))
  const done = spawnSync(process.execPath, [runner, suite, 'task figures'], { encoding: 'utf8' })
  const figures = done.stdout.split('\n').flatMap(toFigure)
  if (done.status !== 0) console.error(`tasks: ${done.stdout.slice(-1000)}`)
  return figures
}

function toFigure(line: string): Figure[] {
  const [, about, who, value, unit] = /^figure {2}(.+) \| (.+): ([\d.-]+) (\w+)$/.exec(line) ?? []
  if (about === undefined || who === undefined || unit === undefined) return []
  return [single('tasks', about, unit, who, Number(value))]
}
