/** The run itself: warm up, count, load with a fault a second, let everything come to rest, count again, judge. */

import { setTimeout as pause } from 'node:timers/promises'
import type { StateSetting } from '@portico/host/state'
import type { Report } from '../support/report.ts'
import { toTable } from '../support/table.ts'
import { countProcesses } from './count.ts'
import { FAULTS } from './faults.ts'
import { judge, type Sample, toRows } from './judge.ts'
import { Load } from './load.ts'
import { Random } from './random.ts'
import { openWorld, type World } from './world.ts'

export interface SoakSetting {
  readonly minutes: number
  /** Under the same load before anything is judged; a tenth of the time unless given, at most `MAX_SETTLE_MS`. */
  readonly settleMinutes?: number
  /** Calls a second, however many would go through; half of those unless given. */
  readonly mostCalls?: number
  readonly seed: number
  /** What the names of two snapshots of the heap begin with: before, and when it is over. */
  readonly snapshot: string | undefined
  readonly state: (folder: string) => StateSetting
}

const MINUTE = 60_000
/** Long enough for what is built once to be built. */
const WARM_UP_MS = 4_000
const CALLERS = 16
/** Calls a second, on a machine that does hardly anything. */
const LEAST_RATE = 5
const TICK_MS = 20
const FAULT_MS = 1_000
/** Until what is compiled and what is remembered up to a bound is there. */
const MAX_SETTLE_MS = 3 * 60_000
const SAMPLES = 40
const REST_MS = 180_000
/** So many equal counts in a row are rest. */
const EQUAL = 4
const LOOK_MS = 500

export async function soak(setting: SoakSetting, report: Report): Promise<void> {
  const { minutes, settleMinutes = minutes / 10, seed, state, snapshot } = setting
  const world = await openWorld(state)
  const writeSnapshot = async (when: string): Promise<void> => {
    if (snapshot !== undefined) await world.ask({ do: 'snapshot', file: `${snapshot}.${when}.heapsnapshot` })
  }
  try {
    const run = new Run(world, seed)
    await run.warmUp()
    const rate = Math.max(Math.min(run.saturation / 2, setting.mostCalls ?? Number.POSITIVE_INFINITY), LEAST_RATE)
    await run.load(Math.min(settleMinutes * MINUTE, MAX_SETTLE_MS), rate)
    const before = await run.rest()
    await writeSnapshot('before')
    const during = await run.load(minutes * MINUTE, rate)
    const judgements = await run.judged(before, during)
    await writeSnapshot('after')
    const { outcomes } = run
    console.log(
      `\n${toTable(toRows(judgements))}\n\ncalls: ${outcomes}\nfaults: ${run.faults}, ${rate.toFixed(0)} calls a second\n`,
    )
    for (const { name, holds } of judgements) await report.check(`${name} as before`, () => demand(holds, name))
    await report.check('every call ended with its own answer or a typed error', () => {
      demand(outcomes.wrong + outcomes.hung + (outcomes.failed.get('untyped') ?? 0) === 0, `${outcomes}`)
      demand(outcomes.answered > 0, 'nothing was answered')
    })
  } finally {
    await world.stop()
  }
}

class Run {
  /** Calls a second that went through when as many were sent as would. */
  saturation = 0
  faults = 0
  readonly #world: World
  readonly #random: Random
  #load: Load

  constructor(world: World, seed: number) {
    this.#world = world
    this.#random = new Random(seed)
    this.#load = new Load(world.port, this.#random)
  }

  get outcomes() {
    return this.#load.outcomes
  }

  /** Everything once, and as much as goes through. */
  async warmUp(): Promise<void> {
    await this.#load.begin()
    await Promise.all(FAULTS.map((fault) => fault.run(this.#world, this.#random)))
    await this.#load.saturate(WARM_UP_MS / 2, CALLERS)
    this.saturation = await this.#load.saturate(WARM_UP_MS / 2, CALLERS)
    await this.#load.end()
  }

  async load(ms: number, rate: number): Promise<Sample[]> {
    this.#load = new Load(this.#world.port, this.#random)
    await this.#load.begin()
    const samples: Sample[] = []
    const pending = new Set<Promise<void>>()
    const began = performance.now()
    let [sent, faults, taken] = [0, 0, 0]
    for (let now = 0; now < ms; now = performance.now() - began) {
      for (; sent < (now / 1000) * rate; sent++) this.#load.send()
      if (now >= faults * FAULT_MS) {
        faults++
        const fault = Promise.resolve(this.#random.of(FAULTS).run(this.#world, this.#random)).finally(() =>
          pending.delete(fault),
        )
        pending.add(fault)
      }
      if (now >= (taken * ms) / SAMPLES) {
        taken++
        samples.push(await this.#sample(now, false))
      }
      await pause(TICK_MS)
    }
    this.faults = faults
    await Promise.all(pending)
    await this.#load.end()
    return samples
  }

  /** Waits until what is counted stands still. */
  async rest(): Promise<Sample> {
    const until = performance.now() + REST_MS
    let [last, equal] = [await this.#sample(0, false), 0]
    while (equal < EQUAL && performance.now() < until) {
      await pause(LOOK_MS)
      const next = await this.#sample(0, false)
      equal = isSame(last, next) ? equal + 1 : 0
      last = next
    }
    return this.#sample(0, true)
  }

  /** Everything is at rest when it is as before; what is not so after long is told. */
  async judged(before: Sample, during: readonly Sample[]) {
    const until = performance.now() + REST_MS
    for (;;) {
      const now = performance.now()
      const seen = judge(before, during, await this.#sample(0, now > until))
      if (seen.every(({ holds }) => holds) || now > until) {
        const whole = judge(before, during, await this.#sample(0, true))
        if (whole.every(({ holds }) => holds) || now > until) return whole
      }
      await pause(LOOK_MS)
    }
  }

  async #sample(ms: number, objects: boolean): Promise<Sample> {
    const { counts = {} } = await this.#world.ask({ do: 'count', objects })
    const processes = countProcesses(this.#world.mark)
    return { at: ms / MINUTE, counts: { ...counts, ...(processes !== undefined && { processes }) } }
  }
}

function isSame({ counts: one }: Sample, { counts: other }: Sample): boolean {
  return Object.keys(one).every((name) => name.endsWith('MiB') || one[name] === other[name])
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}
