/**
 * What many replicas would do, from what one call, one session and one listener cost: by a formula for what adds up, and by a
 * simulation of queues for what does not (`simulate-cases.ts` holds both against measured replicas).
 */

/** What was measured; times in microseconds of CPU. */
export interface Costs {
  /** A call of 2026-07-28. */
  readonly modern: number
  /** A session's call at the replica that has the session. */
  readonly owned: number
  /** A session's call at another replica: what that one spends, and what the one with the session does. */
  readonly passedHere: number
  readonly passedThere: number
  /** Calls to the store for each of these. */
  readonly storeCalls: { readonly modern: number; readonly owned: number; readonly passed: number }
  /** To open a session: CPU, and calls to the store. */
  readonly open: number
  readonly openStoreCalls: number
  /** In bytes. */
  readonly sessionBytes: number
  readonly listenerBytes: number
  /** To tell one listener of a change. */
  readonly tell: number
  /** What a replica asks of the store while nothing happens, in calls each second; and for each idle session besides. */
  readonly idleStoreCalls: number
  readonly idleSessionStoreCalls: number
  /** Writes that the store takes each second. */
  readonly storeWrites: number
}

export type Kind = 'modern' | 'session'

/** CPU time of one call over all replicas, when calls are divided evenly and nobody knows where a session is. */
export function cpuOf(costs: Costs, kind: Kind, replicas: number): number {
  if (kind === 'modern') return costs.modern
  const passed = costs.passedHere + costs.passedThere
  return (costs.owned + passed * (replicas - 1)) / replicas
}

/** Calls to the store for one call. */
export function storeCallsOf({ storeCalls }: Costs, kind: Kind, replicas: number): number {
  if (kind === 'modern') return storeCalls.modern
  return (storeCalls.owned + storeCalls.passed * (replicas - 1)) / replicas
}

export interface Setup {
  readonly kind: Kind
  readonly replicas: number
  /** What each replica has of a core. */
  readonly cores: number
  /** Clients that make the next call when the last is answered. */
  readonly callers: number
  readonly calls: number
}

export interface Outcome {
  readonly perSecond: number
  /** Until an answer, in milliseconds. */
  readonly meanMs: number
}

interface Running {
  /** When the next step can begin, in microseconds. */
  at: number
  readonly began: number
  readonly caller: number
  /** What is left to do, and where. */
  readonly steps: [replica: number, work: number][]
}

/** Plays the calls one by one: each replica does one thing after the other, in the order in which they come to it. */
export function simulate(costs: Costs, { kind, replicas, cores, callers, calls }: Setup): Outcome {
  const freeAt = new Array<number>(replicas).fill(0)
  const running: Running[] = []
  let sent = 0
  let waited = 0
  let end = 0
  const send = (caller: number, at: number): void => {
    if (sent === calls) return
    const steps = stepsOf(costs, kind, spread(sent++) % replicas, caller % replicas)
    running.push({ at, began: at, caller, steps })
  }
  for (let caller = 0; caller < callers; caller++) send(caller, 0)
  while (running.length > 0) {
    const next = running.reduce((first, one) => (one.at < first.at ? one : first))
    const step = next.steps.shift()
    if (step === undefined) {
      running.splice(running.indexOf(next), 1)
      waited += next.at - next.began
      end = Math.max(end, next.at)
      send(next.caller, next.at)
      continue
    }
    const [replica, work] = step
    next.at = Math.max(next.at, freeAt[replica] ?? 0) + work / cores
    freeAt[replica] = next.at
  }
  return { perSecond: (calls / end) * 1e6, meanMs: waited / calls / 1000 }
}

/**
 * Whose turn it is, evenly and in no order that callers could fall in step with: with strict turns and as many callers as is a
 * multiple of the replicas, each would meet the same replica every time.
 */
export function spread(turn: number): number {
  return (Math.imul(turn, 0x9e3779b1) >>> 0) >>> 8
}

/** A call that is passed on comes back the way it went. */
function stepsOf(costs: Costs, kind: Kind, at: number, owner: number): [number, number][] {
  if (kind === 'modern') return [[at, costs.modern]]
  if (at === owner) return [[at, costs.owned]]
  const half = costs.passedHere / 2
  return [
    [at, half],
    [owner, costs.passedThere],
    [at, half],
  ]
}

/** The most sessions that can be opened each second before the store is the bottleneck. */
export function opensOf(costs: Costs): number {
  return costs.storeWrites / Math.max(costs.openStoreCalls, 1)
}

/** How many replicas it takes until their signs of life alone are a tenth of what the store takes. */
export function replicasOf(costs: Costs): number {
  return Math.floor(costs.storeWrites / 10 / Math.max(costs.idleStoreCalls, 0.01))
}
