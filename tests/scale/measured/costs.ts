/** Measures what the model needs: what a call, a session, a listener and an idle replica cost, and what the store takes. */

import { Agent } from 'node:http'
import type { StateSetting } from '@portico/host/state'
import { openState } from '@portico/host/state'
import { Caller, type Era } from './caller.ts'
import { Fleet } from './fleet.ts'
import { type Costs, spread } from './model.ts'
import type { Quotas } from './quota.ts'
import type { Used } from './replica.ts'

/** How often calls are measured, of which the middle is told. */
const PARTS = 3

/** How much is done for each figure; calls are for each replica, all of which have to be as warm as the others. */
export interface Effort {
  readonly warm: number
  readonly calls: number
  readonly sessions: number
  readonly listeners: number
  readonly idleMs: number
}

/** What some calls came to. */
export interface Measured {
  /** CPU time for each call, in microseconds: all replicas together, and each by itself. */
  readonly cpu: number
  readonly each: readonly number[]
  readonly storeCalls: number
  readonly perSecond: number
}

/** How a session is opened at one replica and used at another. */
export interface Way {
  readonly era: Era
  readonly opens: (caller: number, turn: number) => number
  readonly calls: (caller: number, turn: number) => number
  /** How many replicas get the calls; all unless given. */
  readonly replicas?: number
}

/**
 * How many call at the same time for each replica. What comes to a process together costs it less than what comes one by one, so
 * the replicas that are held against the model are as busy as those it was made of.
 */
export const CALLERS_EACH = 12
const LANES = 24
const STORE_MS = 1_500
const STORE_IN_FLIGHT = 32
const LEGACY: Era = '2025-11-25'
const MODERN: Era = '2026-07-28'

/** Starts a fleet, each of its replicas with so much of a core where that can be had, and ends it after `work`. */
export async function withFleet<T>(
  plan: { readonly setting: StateSetting; readonly count: number; readonly cores: number },
  quotas: Quotas | undefined,
  work: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const fleet = new Fleet({ setting: plan.setting })
  try {
    await fleet.start(plan.count)
    fleet.limit = (speed) => {
      const cores = speed === 'measured' ? plan.cores : undefined
      for (const { child } of fleet.members) if (child.pid !== undefined) quotas?.limit(child.pid, cores)
    }
    return await work(fleet)
  } finally {
    await fleet.close()
    quotas?.close()
  }
}

export async function measureCalls(fleet: Fleet, way: Way, { warm, calls }: Effort): Promise<Measured> {
  const { replicas = fleet.ports.length } = way
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS_EACH * replicas * 2 })
  const port = (at: number): number => fleet.ports[at % fleet.ports.length] ?? 0
  const callers = Array.from({ length: CALLERS_EACH * replicas }, (_, at) => new Caller(way.era, `c${at}`, agent))
  for (const [at, caller] of callers.entries()) await caller.open(port(way.opens(at, at)))
  let turn = 0
  const run = async (count: number): Promise<void> => {
    let left = count
    const work = callers.map(async (caller, at) => {
      while (left-- > 0) {
        const { ending, why } = await caller.note(port(way.calls(at, turn++)))
        // A connection that was idle for long may be closed in the moment it is used: one call more.
        if (ending === 'unknown') left++
        else if (ending !== 'done') throw new Error(`a call came to nothing: ${why}`)
      }
    })
    await Promise.all(work)
  }
  fleet.limit('free')
  await run(warm * replicas)
  fleet.limit('measured')
  const parts: Measured[] = []
  for (let part = 0; part < PARTS; part++) {
    const before = await fleet.used()
    const began = performance.now()
    const made = calls * replicas
    await run(made)
    const seconds = (performance.now() - began) / 1000
    const spent = difference(before, await fleet.used())
    const each = spent.map(({ cpu }) => cpu / made)
    const storeCalls = sum(spent.map(({ reads, writes }) => reads + writes)) / made
    parts.push({ each, cpu: sum(each), storeCalls, perSecond: made / seconds })
  }
  agent.destroy()
  return middleOf(parts)
}

/** Not the mean: an engine that compiles, or whatever else the machine does, is in one of them. */
function middleOf(parts: readonly Measured[]): Measured {
  const middle = [...parts].sort((a, b) => a.cpu - b.cpu)[Math.floor(parts.length / 2)]
  if (middle === undefined) throw new Error('nothing was measured')
  return middle
}

/** Does some work with two replicas that nobody has used before. */
export type InFleet = <T>(work: (fleet: Fleet) => Promise<T>) => Promise<T>

/** All that the model needs. Calls are made of new replicas each time: those that have made others are warmer. */
export async function measureCosts(inFleet: InFleet, setting: StateSetting, effort: Effort): Promise<Costs> {
  const measure = (way: Way): Promise<Measured> => inFleet((fleet) => measureCalls(fleet, way, effort))
  const modern = await measure({ era: MODERN, opens: () => 0, calls: () => 0, replicas: 1 })
  const owned = await measure({ era: LEGACY, opens: () => 0, calls: () => 0, replicas: 1 })
  // Every session is at the first; half of the calls come to the second and are passed on.
  const mixed = await measure({ era: LEGACY, opens: () => 0, calls: (_, turn) => spread(turn) })
  const [there = 0, here = 0] = mixed.each
  const [ownedCpu = 0] = owned.each
  return {
    modern: modern.each[0] ?? 0,
    owned: ownedCpu,
    passedHere: here * 2,
    passedThere: there * 2 - ownedCpu,
    storeCalls: {
      modern: modern.storeCalls,
      owned: owned.storeCalls,
      passed: mixed.storeCalls * 2 - owned.storeCalls,
    },
    ...(await inFleet((fleet) => measureIdle(fleet, effort))),
    ...(await inFleet((fleet) => measureListeners(fleet, effort))),
    storeWrites: await measureStore(setting),
  }
}

type Idle = Pick<Costs, 'open' | 'openStoreCalls' | 'sessionBytes' | 'idleStoreCalls' | 'idleSessionStoreCalls'>

async function measureIdle(fleet: Fleet, { sessions, idleMs }: Effort): Promise<Idle> {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  const [port = 0] = fleet.ports
  const open = async (count: number): Promise<void> => {
    let left = count
    const lanes = Array.from({ length: LANES }, async () => {
      while (left-- > 0) await new Caller(LEGACY, 'idle', agent).open(port)
    })
    await Promise.all(lanes)
  }
  await open(200)
  const empty = await perSecond(fleet, idleMs)
  const [before] = await fleet.used('memory')
  await open(sessions)
  const [after] = await fleet.used('memory')
  const full = await perSecond(fleet, idleMs)
  agent.destroy()
  const opened = difference([before ?? NONE], [after ?? NONE])[0] ?? NONE
  return {
    open: opened.cpu / sessions,
    openStoreCalls: Math.round(((opened.reads + opened.writes) / sessions) * 10) / 10,
    sessionBytes: opened.memory / sessions,
    idleStoreCalls: empty,
    // What is more than without them.
    idleSessionStoreCalls: Math.max(0, full - empty) / sessions,
  }
}

async function measureListeners(fleet: Fleet, { listeners }: Effort): Promise<Pick<Costs, 'listenerBytes' | 'tell'>> {
  const agent = new Agent({ keepAlive: true })
  const [port = 0] = fleet.ports
  const open = (): Promise<() => number> => new Caller(MODERN, 'listener', agent).listen(port)
  for (let at = 0; at < 50; at++) await open()
  const [before = NONE] = await fleet.used('memory')
  const heard: (() => number)[] = []
  while (heard.length < listeners) heard.push(await open())
  const [opened = NONE] = await fleet.used('memory')
  const bytes = heard.map((count) => count())
  const [told = NONE] = await fleet.used()
  await fleet.change(0)
  const until = performance.now() + 30_000
  while (heard.some((count, at) => count() === bytes[at]) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 10))
  const [all = NONE] = await fleet.used()
  agent.destroy()
  return {
    listenerBytes: (opened.memory - before.memory) / listeners,
    tell: (all.cpu - told.cpu) / listeners,
  }
}

/** Writes of one row each, as opening a session makes them, until the time is over. */
async function measureStore(setting: StateSetting): Promise<number> {
  const { store, close } = await openState(setting)
  const value = 'x'.repeat(400)
  let writes = 0
  const began = performance.now()
  const lanes = Array.from({ length: STORE_IN_FLIGHT }, async (_, at) => {
    for (; performance.now() - began < STORE_MS; writes++) {
      await store.write([{ key: `measured/${at}`, value, ttlMs: 60_000 }])
    }
  })
  await Promise.all(lanes)
  const rate = writes / ((performance.now() - began) / 1000)
  await close()
  return rate
}

/** Calls to the store of one replica while nothing happens. */
async function perSecond(fleet: Fleet, ms: number): Promise<number> {
  const [before = NONE] = await fleet.used()
  const began = performance.now()
  await new Promise((resolve) => setTimeout(resolve, ms))
  const [after = NONE] = await fleet.used()
  const calls = after.reads + after.writes - before.reads - before.writes
  return (calls / (performance.now() - began)) * 1000
}

const NONE: Used = { cpu: 0, memory: 0, reads: 0, writes: 0 }

function difference(before: readonly Used[], after: readonly Used[]): readonly Used[] {
  return after.map((one, at) => {
    const { cpu, memory, reads, writes } = before[at] ?? NONE
    return { cpu: one.cpu - cpu, memory: one.memory - memory, reads: one.reads - reads, writes: one.writes - writes }
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
