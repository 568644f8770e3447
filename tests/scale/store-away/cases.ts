/**
 * `npm run scale -- --store-away 30`: three replicas under load, and the store they share goes away for so many seconds: ended and
 * started again, and held so that it answers nothing. No replica ends, no answer is wrong, what needs no shared state goes on,
 * the rest is refused with a time to come back, and all is as before soon after the store is back.
 */

import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { toTable } from '../../support/table.ts'
import { Caller, type Ending, type Era } from '../measured/caller.ts'
import { Fleet } from '../measured/fleet.ts'
import { type StoreProcess, startPostgres, startValkeyProcess } from './store-process.ts'

const ERAS: readonly Era[] = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const CALLERS = 12
const REST_MS = 20
const BEFORE_MS = 5_000
const AFTER_MS = 12_000
/** How soon everything has to be as before. */
const BACK_MS = 5_000
const LEASE_MS = 5_000
const LIMIT_MS = 10 * 60_000

type Phase = 'before' | 'away' | 'back'
type Way = 'ended' | 'held'

interface Call {
  readonly phase: Phase
  readonly isModern: boolean
  readonly word: string
  readonly ending: Ending
  readonly why: string
  readonly endedAt: number
}

interface Seen {
  readonly calls: readonly Call[]
  /** Whether any replica said that it is ready, when asked last in each phase. */
  readonly ready: { readonly [phase in Phase]: readonly boolean[] }
  /** What a client was told that opened a session meanwhile. */
  readonly opened: { readonly status: number; readonly retryAfter: string | undefined } | undefined
  /** From the store being back to the end of the last call that was not done, and to all being ready. */
  readonly backMs: number
  readonly readyMs: number
  readonly whole: boolean
  readonly ledger: ReadonlyMap<string, number>
}

const STORES = { valkey: startValkeyProcess, postgres: startPostgres } as const

export class AwayLedger {
  readonly #rows: string[][] = []

  add(name: string, { calls, backMs, readyMs }: Seen): void {
    for (const phase of ['before', 'away', 'back'] as const) {
      for (const isModern of [true, false]) {
        const own = calls.filter((call) => call.phase === phase && call.isModern === isModern)
        const count = (ending: Ending): string => `${own.filter((call) => call.ending === ending).length}`
        const era = isModern ? '2026-07-28' : 'sessions'
        const back =
          phase === 'back' ? [`${(backMs / 1000).toFixed(1)} s`, `${(readyMs / 1000).toFixed(1)} s`] : ['', '']
        const counts = (['done', 'refused', 'unknown', 'wrong'] as const).map(count)
        this.#rows.push([name, phase, era, `${own.length}`, ...counts, ...back])
      }
    }
  }

  toString(): string {
    if (this.#rows.length === 0) return ''
    const head = [
      'store',
      'phase',
      'calls of',
      'made',
      'done',
      '503',
      'unknown',
      'wrong',
      'all done after',
      'ready after',
    ]
    return toTable([head, ...this.#rows])
  }
}

export function createAwayTrials(seconds: number, ledger: AwayLedger): readonly Trial[] {
  return (['valkey', 'postgres'] as const).flatMap((kind) =>
    (['ended', 'held'] as const).map((way) => ({
      name: `${kind} ${way}`,
      missing: () =>
        way === 'held' && process.platform !== 'linux' ? 'the processes of a database are found in /proc' : undefined,
      run: async (report: Report) => {
        const store = await STORES[kind]()
        try {
          await judge(await watch(store, way, seconds * 1000), report, (seen) => ledger.add(`${kind} ${way}`, seen))
        } finally {
          await store.stop()
        }
      },
    })),
  )
}

async function judge(seen: Seen, report: Report, add: (seen: Seen) => void): Promise<void> {
  add(seen)
  const { calls, ready, opened, ledger } = seen
  const check = (name: string, action: () => void): Promise<boolean> =>
    report.checkIn('store away', name, action, { limitMs: LIMIT_MS })
  const of = (phase: Phase): readonly Call[] => calls.filter((call) => call.phase === phase)
  await check('no replica ended', () => ok(seen.whole))
  await check('no answer was wrong', () =>
    deepEqual(
      calls
        .filter(({ ending }) => ending === 'wrong')
        .map(({ why }) => why)
        .slice(0, 3),
      [],
    ),
  )
  await check('before, every call was done', () => ok(of('before').every(({ ending }) => ending === 'done')))
  await check('what needs no shared state went on', () => {
    const modern = of('away').filter(({ isModern }) => isModern)
    ok(modern.length > 0)
    deepEqual(
      modern
        .filter(({ ending }) => ending !== 'done')
        .map(({ why }) => why)
        .slice(0, 3),
      [],
    )
  })
  await check('what needs it was refused with a time to come back', () => {
    ok(of('away').some(({ isModern, ending }) => !isModern && ending === 'refused'))
    equal(opened?.status, 503)
    ok(opened?.retryAfter !== undefined)
  })
  await check('readiness said so', () => {
    deepEqual(
      [ready.before, ready.away, ready.back].map((each) => [...new Set(each)]),
      [[true], [false], [true]],
    )
  })
  await check('all was as before within 5 seconds', () => {
    ok(seen.backMs <= BACK_MS, `${seen.backMs.toFixed(0)} ms`)
    ok(seen.readyMs <= BACK_MS, `${seen.readyMs.toFixed(0)} ms until ready`)
  })
  await check('the ledger agrees: what is done was done once, what was refused not at all', () => {
    for (const { word, ending } of calls) {
      const times = ledger.get(word) ?? 0
      ok(
        ending === 'done' ? times === 1 : ending === 'refused' ? times === 0 : times <= 1,
        `${word}: ${ending}, ${times}`,
      )
    }
  })
}

/** Load without a pause, and the store away in the middle of it. */
async function watch(store: StoreProcess, way: Way, awayMs: number): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-away-'))
  const ledger = join(folder, 'ledger')
  writeFileSync(ledger, '')
  const fleet = new Fleet({ setting: store.setting, ledger, leaseMs: LEASE_MS })
  const agent = new Agent({ keepAlive: true })
  try {
    await fleet.start(3)
    return await play(store, way, { fleet, agent, ledger, awayMs })
  } finally {
    agent.destroy()
    await fleet.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Play {
  readonly fleet: Fleet
  readonly agent: Agent
  readonly ledger: string
  readonly awayMs: number
}

async function play(store: StoreProcess, way: Way, { fleet, agent, ledger, awayMs }: Play): Promise<Seen> {
  const calls: Call[] = []
  let phase: Phase | 'over' = 'before'
  let turn = 0
  const nextPort = (): number => fleet.ports[turn++ % fleet.ports.length] ?? 0
  const callers = Array.from({ length: CALLERS }, (_, at) => {
    return new Caller(ERAS[at % ERAS.length] ?? '2026-07-28', `caller-${at}`, agent)
  })
  for (const caller of callers) await caller.open(nextPort())
  const work = callers.map(async (caller) => {
    while (phase !== 'over') {
      const began = phase
      const note = await caller.note(nextPort())
      calls.push({ phase: began, isModern: caller.era === '2026-07-28', ...note, endedAt: performance.now() })
      await pause(REST_MS)
    }
  })
  await pause(BEFORE_MS)
  const before = await readiness(fleet)
  phase = 'away'
  if (way === 'ended') await store.end()
  else store.hold()
  await pause(awayMs / 2)
  const opening = new Caller('2025-11-25', 'opened', agent).open(nextPort())
  await pause(awayMs / 2)
  const away = await readiness(fleet)
  const returning = performance.now()
  if (way === 'ended') await store.again()
  else store.release()
  const backAt = way === 'ended' ? performance.now() : returning
  phase = 'back'
  const readyMs = await untilReady(fleet, backAt)
  await pause(AFTER_MS)
  const back = await readiness(fleet)
  phase = 'over'
  await Promise.all(work)
  const answer = await opening
  const undone = calls.filter(({ ending, endedAt }) => ending !== 'done' && endedAt > backAt)
  return {
    calls,
    ready: { before, away, back },
    opened: answer && { status: answer.status, retryAfter: answer.headers['retry-after'] },
    backMs: Math.max(0, ...undone.map(({ endedAt }) => endedAt - backAt)),
    readyMs,
    whole: fleet.whole,
    ledger: readLedger(ledger),
  }
}

async function untilReady(fleet: Fleet, since: number): Promise<number> {
  while (performance.now() - since < AFTER_MS && (await readiness(fleet)).includes(false)) await pause(50)
  return performance.now() - since
}

function readiness(fleet: Fleet): Promise<readonly boolean[]> {
  return Promise.all(
    fleet.ports.map((port) =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  )
}

function readLedger(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of readFileSync(file, 'utf8').split('\n')) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
