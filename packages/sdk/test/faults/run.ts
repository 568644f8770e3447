/**
 * Issues calls through a fault and holds what became of them against the ledger: the conditions of "Nothing lost".
 * A cell is one fault on one link; its runs differ by seed. The table of all cells is printed when a file is done.
 */

import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { PorticoError, RpcError } from '../../src/jsonrpc/errors.ts'
import type { JsonObject } from '../../src/jsonrpc/message.ts'
import type { Ledger } from './ledger.ts'
import { endShared, type LinkKind, Rig, type RigOptions, until } from './rig.ts'
import { answerTo, type WorkArguments } from './server-plan.ts'

export const IN_FLIGHT = 32
export const RUNS = Number(process.env.PORTICO_FAULT_RUNS ?? 2)
/** For faults whose point of injection does not vary. */
export const FEWER_RUNS = Math.ceil(RUNS / 2)
/** How long a test may take that makes so many runs; the long forms are many. */
export const limitOf = (runs: number): number => 60_000 * Math.max(1, runs)
/** The timeout of every call. What is to be noticed at once must be noticed in a tenth of it. */
export const TIMEOUT_MS = 30_000
export const AT_ONCE_MS = TIMEOUT_MS / 10

export interface Planned extends WorkArguments {
  readonly idempotent?: boolean
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface Outcome {
  readonly nonce: string
  readonly idempotent: boolean
  readonly kind: 'result' | 'peer' | 'local' | 'hang' | 'stray'
  readonly text: string
  readonly code: string
  readonly delivery: string | undefined
  readonly endedAt: number
  readonly progress: readonly number[]
}

/** What a run gives to be judged. */
export interface Fates {
  readonly outcomes: readonly Outcome[]
  /** When the fault struck; what fails because of it must fail soon after. */
  readonly faultAt?: number
  /** Whether the server was back in time, so that calls marked idempotent must have a result. */
  readonly restored?: boolean
  /** Every call must have a result: the fault is one that may cost time only. */
  readonly allResults?: boolean
  /** The fault is one that only the timeout can tell; elsewhere a timeout means that it was not noticed. */
  readonly timesOut?: boolean
}

export interface Seeded {
  readonly seed: number
  /** Numbers in [0, 1) that are the same for the same seed. */
  random(): number
  /** An integer below `n`. */
  pick(n: number): number
}

interface Tally {
  runs: number
  calls: number
  results: number
  failures: number
  lost: number
  wrong: number
  duplicate: number
  untrue: number
  hung: number
  unsafe: number
  gaps: number
  left: number
  slowestMs: number
}

const tallies = new Map<string, Tally>()
/** Tells calls of one run from those of another on the same server. */
let runCount = 0
const heldBefore = held()

/** Defines the test of one cell: each run gets a rig of its own, and is judged once that is closed. */
export function cell(
  name: string,
  kind: LinkKind,
  options: RigOptions | ((seeded: Seeded) => RigOptions),
  run: (rig: Rig, seeded: Seeded) => Promise<Fates>,
  runs = FEWER_RUNS,
): void {
  test(name, { timeout: limitOf(runs) }, async () => {
    const tally = emptyTally()
    tallies.set(name, tally)
    for (let seed = 1; seed <= runs; seed++) {
      runCount++
      const seeded = createSeeded(seed)
      const chosen = typeof options === 'function' ? options(seeded) : options
      const rig = await Rig.open(kind, { era: seed % 2 === 0 ? 'legacy' : 'modern', ...chosen })
      let fates: Fates | undefined
      let closed: { ledger: Ledger; left: string[] } | undefined
      try {
        fates = await run(rig, seeded)
      } finally {
        closed = await rig.close()
      }
      tally.runs++
      const complaints = judge(fates, closed.ledger, tally)
      tally.left += closed.left.length
      expect([...complaints, ...closed.left.map((what) => `left behind: ${what}`)], `seed ${seed}`).toEqual([])
    }
  })
}

/** Sends calls at the same time and waits for the end of all. */
export function issue(client: Client, plans: readonly Planned[]): Promise<Outcome[]> {
  return Promise.all(plans.map((plan) => follow(client, plan)))
}

/** As many calls as there are to be in flight, some of them marked idempotent; `alter` gives single ones a role. */
export function planCalls(
  { seed, random }: Seeded,
  alter: (index: number) => Partial<Planned> = () => ({}),
  count = IN_FLIGHT,
): Planned[] {
  return Array.from({ length: count }, (_, index) => ({
    nonce: `${seed}-${index}-${Math.floor(random() * 1e9)}-${runCount}`,
    ms: Math.floor(random() * 60),
    idempotent: index % 4 === 3,
    ...alter(index),
  }))
}

export function createSeeded(seed: number): Seeded {
  let state = (seed * 2_654_435_761) % 4_294_967_296
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  return { seed, random, pick: (n) => Math.floor(random() * n) }
}

/** Calls of which one brings the fault about; that one is never repeated. */
export function withVictim(seeded: Seeded, fault: WorkArguments['fault'], rest: Partial<Planned> = {}): Planned[] {
  const victim = seeded.pick(IN_FLIGHT)
  return planCalls(seeded, (index) => (index === victim ? { fault, idempotent: false, ...rest } : {}))
}

/** Resolves once the server works on that many calls. */
export async function allStarted(rig: Rig, count = IN_FLIGHT): Promise<void> {
  const ending = `-${runCount}`
  const isStart = (line: string) => line.startsWith('start ') && line.endsWith(ending)
  const starts = () => readFileSync(rig.ledgerFile, 'utf8').split('\n').filter(isStart).length
  await until(() => starts() >= count)
}

/** Cancels calls at about the time their answers come: each must end once, one way or the other. */
export async function raceCancellation(rig: Rig, seeded: Seeded): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let typicalMs = 20
  for (let batch = 0; batch < 12; batch++) {
    const before = performance.now()
    const probe = await issue(
      rig.client,
      planCalls(createSeeded(seeded.seed * 1_000 + batch), () => ({ ms: 0 }), 1),
    )
    typicalMs = (typicalMs + performance.now() - before) / 2
    const timers: ReturnType<typeof setTimeout>[] = []
    const plans = planCalls(
      createSeeded(seeded.seed * 2_000 + batch),
      () => {
        const controller = new AbortController()
        timers.push(setTimeout(() => controller.abort(), seeded.random() * typicalMs * 6))
        return { ms: 0, signal: controller.signal, idempotent: false }
      },
      16,
    )
    outcomes.push(...probe, ...(await issue(rig.client, plans)))
    for (const timer of timers) clearTimeout(timer)
  }
  expect(outcomes.filter(({ kind, code }) => kind !== 'result' && code !== 'aborted')).toEqual([])
  return outcomes
}

/** Keeps this process from doing anything. */
export function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

afterAll(async () => {
  await endShared()
  // Nothing that a client, a server or a proxy has opened may keep this thread alive ("Clean").
  await until(() => held().length <= heldBefore.length).catch(() => expect(held()).toEqual(heldBefore))
  if (tallies.size === 0) return
  const columns = ['runs', 'calls', 'results', 'failures', 'lost', 'wrong', 'duplicate', 'untrue', 'hung'] as const
  const rows = [...tallies].map(([name, tally]) => [
    name.padEnd(58),
    ...columns.map((column) => String(tally[column]).padStart(column.length)),
    String(Math.round(tally.slowestMs)).padStart(9),
  ])
  const head = ['cell'.padEnd(58), ...columns, 'slowestMs']
  process.stdout.write(`${[head, ...rows].map((row) => row.join(' | ')).join('\n')}\n`)
})

async function follow(client: Client, plan: Planned): Promise<Outcome> {
  const { idempotent = false, timeoutMs = TIMEOUT_MS, signal, ...args } = plan
  const { nonce } = plan
  const progress: number[] = []
  const ended = { nonce, idempotent, text: '', code: '', delivery: undefined, progress }
  let timer: ReturnType<typeof setTimeout> | undefined
  const hang = new Promise<Outcome>((resolve) => {
    timer = setTimeout(
      () => resolve({ ...ended, kind: 'hang', endedAt: performance.now() }),
      Math.min(timeoutMs * 1.1 + 1_000, 2 ** 31 - 1),
    )
  })
  const call = client
    .callTool('work', args as unknown as JsonObject, {
      timeoutMs,
      signal,
      idempotent,
      ...(plan.steps !== undefined && { onProgress: (report) => progress.push(report.progress) }),
    })
    .then(
      ({ content, isError }): Outcome => {
        const first = content[0]
        const text = first?.type === 'text' ? first.text : ''
        return { ...ended, kind: isError ? 'peer' : 'result', text, endedAt: performance.now() }
      },
      (error: unknown): Outcome => {
        const endedAt = performance.now()
        if (error instanceof RpcError) return { ...ended, kind: 'peer', text: error.message, code: error.code, endedAt }
        if (!(error instanceof PorticoError)) return { ...ended, kind: 'stray', text: String(error), endedAt }
        const { code, delivery, message } = error
        return { ...ended, kind: 'local', text: message, code, delivery, endedAt }
      },
    )
  return Promise.race([call, hang]).finally(() => clearTimeout(timer))
}

/** What keeps this thread alive, but for timers, of which the test runner has its own. */
function held(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe|Process/.test(kind))
}

/** The complaints about a run, in words; the counts go into the tally. */
function judge(fates: Fates, ledger: Ledger, tally: Tally): string[] {
  const complaints: string[] = []
  const complain = (what: 'lost' | 'wrong' | 'duplicate' | 'untrue' | 'hung' | 'unsafe' | 'gaps', about: Outcome) => {
    tally[what]++
    complaints.push(`${what}: ${JSON.stringify({ ...about, ...ledger.of(about.nonce) })}`)
  }
  for (const outcome of fates.outcomes) {
    const { kind, nonce, delivery } = outcome
    const { starts, ends } = ledger.of(nonce)
    tally.calls++
    tally[kind === 'result' ? 'results' : 'failures']++
    if (kind === 'hang') complain('hung', outcome)
    if (kind === 'stray' || (kind === 'local' && delivery === undefined)) complain('lost', outcome)
    if (kind === 'result' && outcome.text !== answerTo(nonce)) complain('wrong', outcome)
    if (kind === 'result' && ends === 0) complain('untrue', outcome)
    if (delivery === 'not-sent' && starts > 0) complain('untrue', outcome)
    if (starts > 1 && !outcome.idempotent) complain('duplicate', outcome)
    if (kind !== 'result' && (fates.allResults || (fates.restored && outcome.idempotent))) complain('unsafe', outcome)
    if (outcome.progress.some((value, index) => value !== index + 1)) complain('gaps', outcome)
    if (outcome.code === 'timeout' && !fates.timesOut) complain('hung', outcome)
    if (kind !== 'local' || fates.faultAt === undefined || outcome.code === 'timeout') continue
    const afterMs = outcome.endedAt - fates.faultAt
    tally.slowestMs = Math.max(tally.slowestMs, afterMs)
    if (afterMs > AT_ONCE_MS && !outcome.idempotent) complain('hung', outcome)
  }
  return complaints
}

function emptyTally(): Tally {
  return {
    runs: 0, calls: 0, results: 0, failures: 0, lost: 0, wrong: 0, duplicate: 0,
    untrue: 0, hung: 0, unsafe: 0, gaps: 0, left: 0, slowestMs: 0,
  } // biome-ignore format: a row of zeros
}
