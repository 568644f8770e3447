/**
 * `npm run fuzz`: throws random input at every parser and fails when one of its promises is broken. `--canary` tries in place
 * of it a server that hides something in everything it says, and looks where that arrives.
 */

import { runSuite, type Trial } from '../support/suite.ts'
import { drive } from './drive.ts'
import { TARGETS } from './targets.ts'

await runSuite(import.meta.url, {
  flags: {
    seconds: { type: 'string', default: '60', about: 'for each target' },
    runs: { type: 'string', about: 'so many inputs for each target, however long they take' },
    target: { type: 'string', multiple: true, about: `only this one; may be given several times: ${listTargets()}` },
    seed: { type: 'string', about: 'repeats a run; random unless given' },
    canary: { type: 'boolean', about: 'the server that hides something' },
  },
  open({ seconds, runs, target: only, seed, canary }) {
    if (canary === true) return { trials: toCanaryTrials() }
    const unknown = only?.find((name) => !TARGETS.some((target) => target.name === name))
    if (unknown !== undefined) throw new Error(`no target is named "${unknown}": there are ${listTargets()}`)
    const options = {
      seconds: toNumber('seconds', seconds),
      seed: seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : toNumber('seed', seed),
      ...(runs !== undefined && { runs: toNumber('runs', runs) }),
    }
    const targets = TARGETS.filter(({ name }) => only?.includes(name) ?? true)
    return { trials: targets.map((target) => toTrial(target, options)) }
  },
})

function listTargets(): string {
  return TARGETS.map(({ name }) => name).join(', ')
}

function toNumber(name: string, text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0`)
  return number
}

function toTrial(target: (typeof TARGETS)[number], options: Parameters<typeof drive>[1]): Trial {
  return {
    name: target.name,
    run: async (report) => {
      const { runs, slowestMs, keptBytes, failure } = await drive(target, options)
      const kept = (keptBytes / 1024 / 1024).toFixed(1)
      report.note = `${runs} inputs, dearest ${slowestMs.toFixed(0)} ms, ${kept} MiB kept, seed ${options.seed}`
      if (failure === undefined) return
      throw new Error(`${failure}\nrepeat with --target ${target.name} --seed ${options.seed}`)
    },
  }
}

function toCanaryTrials(): readonly Trial[] {
  return (['requests', 'rounds'] as const).map((way) => ({
    name: `canary ${way}`,
    run: async (report) => {
      const { walkCanaries } = await import('./canary/walk.ts')
      const { problems, arrived } = await walkCanaries(way)
      report.note = [...arrived].map(([place, count]) => `${place} ${count}`).join(', ')
      if (problems.length > 0) throw new Error(problems.join('\n'))
    },
  }))
}
