/**
 * What shared state and several replicas cost: a call with each store beside one without, at the replica that has the session
 * and passed there by another; and the same calls divided among one, two and three replicas.
 */

import type { Axis, Case, Pace } from './axis.ts'
import type { Contestant, Plan } from './programs/driver.ts'
import type { Call, Era } from './programs/load/messages.ts'

const ADD: Call = { method: 'tools/call', name: 'add', args: { a: 1, b: 2 } }
const STORES = ['SQLite', 'Valkey', 'PostgreSQL'] as const

export const REPLICA_AXES: readonly Axis[] = [
  {
    name: 'stores',
    title: 'tools/call over HTTP with shared state',
    unit: 'µs CPU per call',
    about:
      'The server process, 32 requests in flight; “passed on” is a session’s call at a replica that does not have the session, the CPU time of both together. The store’s own process is not counted.',
    base: 'portico',
    cases: (pace) => erasOf(pace, (era) => [...withEach(era), ...(era === 'session' ? [PASSED] : [])]),
  },
  {
    name: 'replicas',
    title: 'tools/call over HTTP before several replicas',
    unit: 'µs CPU per call',
    about:
      'The CPU time of all replicas together, on Valkey, with connections divided evenly and the load in a process of its own. Calls each second are bounded by the cores that replicas, load and store share here; how many times as much N replicas with a core each can serve is N times the first row’s CPU time through theirs. Sessions: all calls are in one, so all but one replica pass theirs on.',
    base: 'portico, 1 replica',
    // Each of them has to be warm.
    cases: (pace) => {
      const longer = { ...pace, warmMs: pace.warmMs * 4, ms: pace.ms * 2 }
      return erasOf(longer, (era) => [1, 2, 3].map((count) => replicas(count, era)))
    },
  },
]

function erasOf(pace: Pace, contestants: (era: Era) => readonly Contestant[]): readonly Case[] {
  return (['session', 'modern'] as const).map((era) => {
    const plan: Plan = { ...pace, kind: 'http', call: ADD, inFlight: 32, contestants: contestants(era) }
    return { name: era === 'session' ? 'sessions' : '2026-07-28', plan }
  })
}

function withEach(era: Era): readonly Contestant[] {
  const alone: Contestant = { name: 'portico', program: PROGRAM, era }
  return [alone, ...STORES.map((store) => ({ ...alone, name: `portico, ${store}`, store }))]
}

function replicas(count: number, era: Era): Contestant {
  const name = count === 1 ? '1 replica' : `${count} replicas`
  return { name: `portico, ${name}`, program: PROGRAM, args: [`${count}`], era, store: 'Valkey' }
}

const PROGRAM = 'servers/portico-replicas'
const PASSED: Contestant = {
  name: 'portico, Valkey, passed on',
  program: PROGRAM,
  args: ['passed'],
  era: 'session',
  store: 'Valkey',
}
