/** How long the command line takes to start: CPU time of short commands beside a Node that has nothing to do. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, median } from './figures.ts'
import { workFolder } from './prepare.ts'
import type { StaticAxis } from './static-axis.ts'

export const CLI_AXIS: StaticAxis = {
  name: 'cli',
  title: 'the command line, from start to end',
  unit: 'ms CPU',
  about: 'Commands that do little: `list` finds no server configured. “Bare node” runs an empty file.',
  measure: measureCommands,
}

/** Writes down what a process has cost when it ends. */
const METER = `import { writeFileSync } from 'node:fs'
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(process.env.BENCH_COST, String(user + system))
})
`

function measureCommands(rounds: number): Figure[] {
  const folder = join(workFolder, 'cli')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = { meter: join(folder, 'meter.mjs'), empty: join(folder, 'empty.mjs'), cost: join(folder, 'cost') }
  writeFileSync(files.meter, METER)
  writeFileSync(files.empty, '')
  const main = join(workFolder, 'node_modules', 'portico', 'dist', 'cli', 'main.js')
  const commands: { readonly [name: string]: readonly string[] } = {
    'bare node': [files.empty],
    'portico --version': [main, '--version'],
    'portico list': [main, 'list'],
  }
  const env = { PATH: process.env.PATH, HOME: folder, USERPROFILE: folder, NO_COLOR: '1', BENCH_COST: files.cost }
  const run = (args: readonly string[]): number => {
    const done = spawnSync(process.execPath, ['--import', files.meter, ...args], { cwd: folder, env, encoding: 'utf8' })
    if (done.error !== undefined || done.signal !== null || done.stderr.includes('    at ')) {
      throw new Error(`${args.join(' ')} failed: ${done.stderr.slice(0, 500)}`)
    }
    return Number(readFileSync(files.cost, 'utf8')) / 1000
  }
  const times = new Map(Object.keys(commands).map((name) => [name, [] as number[]]))
  // The first of each finds cold files.
  for (let round = -1; round < rounds * 2; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const took = run(args)
      if (round >= 0) times.get(name)?.push(took)
    }
  }
  return [...times].map(([contestant, all]) => {
    const spread = { median: median(all), low: Math.min(...all), high: Math.max(...all) }
    return { axis: 'cli', case: 'start', contestant, unit: 'ms CPU', ...spread }
  })
}
