/** `npm run fuzz`: throws random input at every parser and fails when one of its promises is broken. */

import { parseArgs } from 'node:util'
import { drive } from './drive.ts'
import { TARGETS } from './targets.ts'

const USAGE = `usage: npm run fuzz -- [options]

  --seconds <n>    for each target (10)
  --runs <n>       so many inputs for each target, however long they take
  --target <name>  only this one; may be given several times
  --seed <n>       repeats a run; random unless given
  --canary         in place of it: a server that hides something in everything it says, and where that arrives

targets:
${TARGETS.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n')}`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    runs: { type: 'string' },
    target: { type: 'string', multiple: true },
    seed: { type: 'string' },
    canary: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

process.exitCode = values.help ? help() : await (values.canary ? canary() : main())

function help(): number {
  console.log(USAGE)
  return 0
}

async function canary(): Promise<number> {
  const { walkCanaries } = await import('./canary/walk.ts')
  let failed = 0
  for (const way of ['requests', 'rounds'] as const) {
    const { problems, arrived } = await walkCanaries(way)
    for (const [place, count] of arrived) console.log(`${way.padEnd(8)} ${place.padEnd(10)} ${count} canaries, clean`)
    for (const problem of problems) console.error(`${way}: ${problem}`)
    failed += problems.length
  }
  return failed === 0 ? 0 : 1
}

async function main(): Promise<number> {
  const seconds = Number(values.seconds)
  const seed = values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(values.seed)
  const unknown = values.target?.find((name) => !TARGETS.some((target) => target.name === name))
  const runs = values.runs === undefined ? {} : { runs: Number(values.runs) }
  if (unknown !== undefined || !(seconds > 0) || !((runs.runs ?? 1) > 0) || !Number.isInteger(seed)) {
    console.error(unknown === undefined ? USAGE : `no target is named "${unknown}"\n\n${USAGE}`)
    return 2
  }
  let failed = 0
  for (const target of TARGETS.filter(({ name }) => values.target?.includes(name) ?? true)) {
    const { slowestMs, keptBytes, failure, ...done } = await drive(target, { seconds, seed, ...runs })
    const kept = (keptBytes / 1024 / 1024).toFixed(1)
    console.log(
      `${target.name.padEnd(10)} ${done.runs} inputs, dearest ${slowestMs.toFixed(0)} ms, ${kept} MiB kept, seed ${seed}`,
    )
    if (failure === undefined) continue
    failed++
    console.error(`${target.name}: ${failure}\nrepeat with --target ${target.name} --seed ${seed}`)
  }
  return failed === 0 ? 0 : 1
}
