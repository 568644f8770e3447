/**
 * Runs one target for a time and holds it to what every input must leave true: the process is up, the input cost at
 * most a second, no built-in prototype has changed, and when all is over the memory has come back. A failure is shrunk
 * and comes with the seed that repeats it.
 */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import type { Opened, Target } from './target.ts'

export interface DriveOptions {
  readonly seconds: number
  readonly seed: number
  /** That many inputs, however long they take; as many as fit into the time unless given. */
  readonly runs?: number
  /** What one input may cost. */
  readonly maxCostMs?: number
}

export interface Outcome {
  readonly target: string
  readonly seed: number
  readonly runs: number
  /** The dearest input, in milliseconds. */
  readonly slowestMs: number
  readonly keptBytes: number
  /** What went wrong, if anything did. */
  readonly failure: string | undefined
}

export const MAX_COST_MS = 1000
export const MAX_KEPT_BYTES = 32 * 1024 * 1024

export async function drive(target: Target, options: DriveOptions): Promise<Outcome> {
  const { seconds, seed, runs, maxCostMs = MAX_COST_MS } = options
  const opened = await target.open()
  const watch = new Watch(opened, maxCostMs)
  const strays: unknown[] = []
  const onStray = (error: unknown): void => void strays.push(error)
  process.on('unhandledRejection', onStray)
  process.on('uncaughtException', onStray)
  try {
    // What is built once is not counted as kept.
    const first = await check(opened, watch, seed, 200, seconds * 100)
    const before = heapInUse()
    const rest =
      first.counterexample !== null
        ? first
        : runs === undefined
          ? await check(opened, watch, seed + 1, Number.MAX_SAFE_INTEGER, seconds * 900)
          : await check(opened, watch, seed + 1, Math.max(1, runs - watch.runs), undefined)
    await new Promise((resolve) => setImmediate(resolve))
    const keptBytes = Math.max(0, heapInUse() - before)
    return {
      target: target.name,
      seed,
      runs: watch.runs,
      slowestMs: watch.slowestMs,
      keptBytes,
      failure: judge(rest, strays, keptBytes),
    }
  } finally {
    await opened.close?.()
    process.off('unhandledRejection', onStray)
    process.off('uncaughtException', onStray)
  }
}

function check(opened: Opened, watch: Watch, seed: number, numRuns: number, ms: number | undefined) {
  const until = ms === undefined ? {} : { interruptAfterTimeLimit: ms, markInterruptAsFailure: false }
  return fc.check(
    fc.asyncProperty(opened.arbitrary, (input) => watch.run(input)),
    { seed, numRuns, ...until },
  )
}

function judge(details: fc.RunDetails<[unknown]>, strays: readonly unknown[], keptBytes: number): string | undefined {
  // Without a counterexample, the time was over before the first input.
  if (details.failed && details.counterexample !== null)
    return `${String(details.errorInstance)}\n${String(fc.defaultReportMessage(details))}`
  if (strays.length > 0) return `an error reached nobody: ${String(strays[0])}`
  if (keptBytes > MAX_KEPT_BYTES) return `${Math.round(keptBytes / 1024 / 1024)} MiB did not come back`
  return undefined
}

class Watch {
  runs = 0
  slowestMs = 0
  readonly #opened: Opened
  readonly #maxCostMs: number
  readonly #prototypes = prototypes()

  constructor(opened: Opened, maxCostMs: number) {
    this.#opened = opened
    this.#maxCostMs = maxCostMs
  }

  async run(input: unknown): Promise<void> {
    this.runs++
    let cost = await this.#cost(input)
    // A pause of the collector or another thread may fall into it; what is really dear is dear again.
    for (let again = 0; again < 2 && cost > this.#maxCostMs; again++) cost = Math.min(cost, await this.#cost(input))
    if (cost > this.slowestMs) this.slowestMs = cost
    if (cost > this.#maxCostMs) throw new Error(`the input cost ${Math.round(cost)} ms`)
    if (prototypes() !== this.#prototypes) throw new Error('a built-in prototype has changed')
  }

  async #cost(input: unknown): Promise<number> {
    const [started, before] = [performance.now(), process.cpuUsage()]
    await this.#opened.run(input)
    const wallMs = performance.now() - started
    const { user, system } = process.cpuUsage(before)
    return costOf(wallMs, (user + system) / 1_000)
  }
}

/** What an input cost. Time in which this process did not compute was somebody else's, or hung: it counts a tenth. */
export function costOf(wallMs: number, cpuMs: number): number {
  return Math.min(wallMs, Math.max(cpuMs, wallMs / 10))
}

const WATCHED = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Map.prototype,
  Promise.prototype,
]

function prototypes(): string {
  return WATCHED.map((prototype) => Reflect.ownKeys(prototype).map(String).join()).join(';')
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

function heapInUse(): number {
  if (typeof collect === 'function') for (let round = 0; round < 3; round++) collect()
  return process.memoryUsage().heapUsed
}
