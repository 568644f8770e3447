/** L6: a replica and the store that it shares with others. A call is a write of a key that nobody else writes. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenedState, openState } from '@portico/host/state'
import { createSeeded, type Seeded } from '@portico/sdk/testing/faults'
import { until } from '../../support/wait.ts'
import { beginRun, IN_FLIGHT, type Outcome, planCalls } from '../calls.ts'
import { now } from '../clock.ts'
import { type Fates, type Judgement, judge } from '../judge.ts'
import { answerTo } from '../programs/server-plan.ts'
import { closeDatabases, type Database, databases } from '../rig/database.ts'

export interface StoreCell {
  readonly link: 'L6'
  readonly fault: number
  readonly about: string
  readonly database: 'redis' | 'postgres'
  run(place: StorePlace, seeded: Seeded): Promise<Fates>
}

interface StorePlace {
  readonly database: Database
  readonly state: OpenedState
}

/** Writes at the same time, each once, and waits for the end of all. */
async function write({ state }: StorePlace, seeded: Seeded, count = IN_FLIGHT, size = 0): Promise<Outcome[]> {
  const plans = planCalls(seeded, () => ({ idempotent: false }), count)
  return Promise.all(
    plans.map(async ({ nonce }): Promise<Outcome> => {
      const ended = { nonce, idempotent: false, text: '', code: '', delivery: undefined, steps: 0, progress: [] }
      const value = answerTo(nonce) + 'x'.repeat(size)
      try {
        const done = await state.store.write([{ key: nonce, value, ifVersion: 0 }])
        // A write that is refused because the key is there has been made twice.
        const text = done === undefined ? 'written twice' : answerTo(nonce)
        return { ...ended, kind: 'result', text, endedAt: now() }
      } catch (error) {
        const { code, delivery = 'unknown', message } = error as { code?: string; delivery?: string; message: string }
        const kind = code === 'store-unavailable' ? 'local' : 'stray'
        return { ...ended, kind, code: code ?? '', delivery, text: message, endedAt: now() }
      }
    }),
  )
}

/** Until a write has been made again. */
async function writtenAgain(place: StorePlace, seeded: Seeded): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let turn = 0
  const once = async () => {
    const [outcome] = await write(place, createSeeded(seeded.seed * 1_000 + 500 + turn++), 1)
    if (outcome !== undefined) outcomes.push(outcome)
    return outcome?.kind === 'result'
  }
  await until(once, 'the store is written to again', 20_000)
  return outcomes
}

type Strike = (place: StorePlace) => Promise<unknown> | unknown

/** The fault strikes while writes are under way; afterwards the store is used again. */
const during =
  (strike: Strike, mend: Strike): StoreCell['run'] =>
  async (place, seeded) => {
    const writes = write(place, seeded)
    await sleep(seeded.pick(8))
    const faultAt = now()
    await strike(place)
    const outcomes = await writes
    await mend(place)
    return { outcomes: [...outcomes, ...(await writtenAgain(place, seeded))], faultAt }
  }

const nothing: Strike = () => {}

const KILLS: readonly StoreCell[] = (
  [
    [1, 'killed before writes are sent', 'SIGKILL', true],
    [3, 'killed while it writes', 'SIGKILL', false],
    [5, 'ended with writes in flight', 'SIGTERM', false],
  ] as const
).map(([fault, about, signal, isBefore]) => ({
  link: 'L6',
  fault,
  about,
  database: 'redis',
  async run(place, seeded) {
    const { database } = place
    const before = isBefore ? [] : write(place, seeded)
    await sleep(isBefore ? 0 : seeded.pick(8))
    const faultAt = now()
    await database.end(signal)
    const outcomes = [...(await before), ...(isBefore ? await write(place, seeded) : [])]
    await database.start()
    return { outcomes: [...outcomes, ...(await writtenAgain(place, seeded))], faultAt }
  },
}))

const STOPPED: StoreCell = {
  link: 'L6',
  fault: 7,
  about: 'stopped and continued',
  database: 'redis',
  async run(place, seeded) {
    place.database.signal('SIGSTOP')
    const writes = write(place, seeded)
    await sleep(700)
    place.database.signal('SIGCONT')
    return { outcomes: await writes, allResults: true }
  },
}

const RESTARTED: StoreCell = {
  link: 'L6',
  fault: 19,
  about: 'restarted: what was written is there',
  database: 'redis',
  async run(place, seeded) {
    const before = await write(place, seeded)
    await place.database.end('SIGKILL')
    await place.database.start()
    return { outcomes: [...before, ...(await writtenAgain(place, seeded))] }
  },
}

const network = (database: 'redis' | 'postgres'): StoreCell[] => {
  const cell = (fault: number, about: string, run: StoreCell['run']): StoreCell => ({
    link: 'L6',
    fault,
    about: `${about} (${database})`,
    database,
    run,
  })
  return [
    cell(
      13,
      'every connection reset at once',
      during(({ database: { proxy } }) => proxy.cut('reset'), nothing),
    ),
    cell(15, 'no packets for a while', async (place, seeded) => {
      const { proxy } = place.database
      proxy.hold()
      const writes = write(place, seeded)
      await sleep(500)
      proxy.release()
      return { outcomes: await writes, allResults: true }
    }),
    cell(16, 'a few bytes at a time, both ways', async (place, seeded) => {
      place.database.proxy.pace = { bytes: 64, everyMs: 0 }
      return { outcomes: await write(place, seeded, 8), allResults: true }
    }),
    cell(17, 'large values over a slow line', async (place, seeded) => {
      place.database.proxy.pace = { bytes: 65_536, everyMs: 5 }
      return { outcomes: await write(place, seeded, 8, 500_000), allResults: true }
    }),
  ]
}

export const storeCells: readonly StoreCell[] = [
  ...KILLS,
  STOPPED,
  RESTARTED,
  ...network('redis'),
  ...network('postgres'),
]

export async function attemptStore(cell: StoreCell, seed: number): Promise<Judgement> {
  beginRun()
  const seeded = createSeeded(seed)
  const database = await databases.get(cell.database)
  const setting = database.fresh()
  const state = await openState(setting(database.proxy.port))
  let fates: Fates
  try {
    fates = await cell.run({ database, state }, seeded)
  } finally {
    database.calm()
    await state.close()
  }
  const reader = await openState(setting(database.port))
  try {
    const kept = new Set<string>()
    for (const { nonce } of fates.outcomes) {
      const found = await reader.store.get(nonce)
      if (found?.value.startsWith(answerTo(nonce))) kept.add(nonce)
    }
    return judge(fates, { of: (nonce) => (kept.has(nonce) ? { starts: 1, ends: 1 } : { starts: 0, ends: 0 }) })
  } finally {
    await reader.close()
  }
}

export const closeStores = closeDatabases
