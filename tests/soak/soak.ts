/** The run itself: warm up, count, load with a fault a second, let everything come to rest, count again, judge. */

import { setTimeout as pause } from 'node:timers/promises'
import type { StateSetting } from '@portico/host/state'
import type { Report } from '../support/report.ts'
import { toTable } from '../support/table.ts'
import { countProcesses } from './count.ts'
import { FAULTS, type Fault } from './faults.ts'
import { complaintsOf, judge, type Sample, toRows } from './judge.ts'
import { Load, type Outcomes } from './load.ts'
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
const WARMING_UP = 'warming up'
const CALLERS = 16
/** Calls a second, on a machine that does hardly anything. */
const LEAST_RATE = 1
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
    await run.load('settling', Math.min(settleMinutes * MINUTE, MAX_SETTLE_MS), rate)
    const before = await run.rest()
    await writeSnapshot('before')
    const during = await run.load('soaking', minutes * MINUTE, rate)
    const judgements = await run.judged(before, during)
    await writeSnapshot('after')
    const calls = run.loads.map(([when, outcomes]) => `${when}: ${outcomes}`)
    const faults = `${run.faults}, ${toWords(run.orders)}`
    console.log(
      `\n${toTable(toRows(judgements))}\n\n${calls.join('\n')}\nfaults: ${faults}\n${rate.toFixed(0)} calls a second\n`,
    )
    for (const { name, holds } of judgements) await report.check(`${name} as before`, () => demand(holds, name))
    for (const [when, outcomes] of run.loads) {
      // Whoever calls again at once when a call fails has many that fail; how many says nothing.
      const complaints = when === WARMING_UP ? complaintsOf(outcomes, 0) : complaintsOf(outcomes)
      await report.check(`${when}: calls end as they must`, () =>
        demand(complaints.length === 0, complaints.join('; ')),
      )
    }
    await report.check('what the host is asked for ends well or with a typed error', () =>
      demand(!run.orders.has('untyped'), toWords(run.orders)),
    )
  } finally {
    await world.stop()
  }
}

class Run {
  /** Calls a second that went through when as many were sent as would. */
  saturation = 0
  faults = 0
  /** What became of the calls, by when they were made. */
  readonly loads: [when: string, outcomes: Outcomes][] = []
  /** What became of what the host itself was asked for, and how often. */
  readonly orders = new Map<string, number>()
  readonly #world: World
  readonly #random: Random

  constructor(world: World, seed: number) {
    this.#world = world
    this.#random = new Random(seed)
  }

  /** Everything once, and as much as goes through. */
  async warmUp(): Promise<void> {
    const load = await this.#begin(WARMING_UP)
    await Promise.all(FAULTS.map((fault) => this.#strike(fault)))
    await load.saturate(WARM_UP_MS / 2, CALLERS)
    this.saturation = await load.saturate(WARM_UP_MS / 2, CALLERS)
    await load.end()
  }

  async load(when: string, ms: number, rate: number): Promise<Sample[]> {
    const load = await this.#begin(when)
    const samples: Sample[] = []
    const pending = new Set<Promise<void>>()
    const began = performance.now()
    let [sent, faults, taken] = [0, 0, 0]
    for (let now = 0; now < ms; now = performance.now() - began) {
      for (; sent < (now / 1000) * rate; sent++) load.send()
      if (now >= faults * FAULT_MS) {
        faults++
        const fault = this.#strike(this.#random.of(FAULTS)).finally(() => pending.delete(fault))
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
    await load.end()
    return samples
  }

  async #begin(when: string): Promise<Load> {
    const load = new Load(this.#world.port, this.#random)
    this.loads.push([when, load.outcomes])
    await load.begin()
    return load
  }

  async #strike({ run }: Fault): Promise<void> {
    const outcome = await run(this.#world, this.#random)
    if (typeof outcome === 'string') this.orders.set(outcome, (this.orders.get(outcome) ?? 0) + 1)
  }

  /** Waits until what is counted stands still: what never does is nothing to compare with. */
  async rest(): Promise<Sample> {
    const until = performance.now() + REST_MS
    let [last, equal] = [await this.#sample(0, false), 0]
    let moving: string[] = []
    while (equal < EQUAL) {
      if (performance.now() > until) throw new Error(`no rest after ${REST_MS} ms: ${moving.join(', ')} still changed`)
      await pause(LOOK_MS)
      const next = await this.#sample(0, false)
      const changed = changesOf(last, next)
      equal = changed.length === 0 ? equal + 1 : 0
      if (changed.length > 0) moving = changed
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
    const { counts, outcome } = await this.#world.ask({ do: 'count', objects })
    if (counts === undefined) throw new Error(`nothing was counted: ${outcome}`)
    const processes = countProcesses(this.#world.mark)
    return { at: ms / MINUTE, counts: { ...counts, ...(processes !== undefined && { processes }) } }
  }
}

function changesOf({ counts: one }: Sample, { counts: other }: Sample): string[] {
  return Object.keys(one)
    .filter((name) => !name.endsWith('MiB') && one[name] !== other[name])
    .map((name) => `${name} ${one[name]} to ${other[name]}`)
}

function toWords(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none'
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}
