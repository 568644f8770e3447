/** What went through the gateway, by server and by principal: counts and times for those who run it. */

/** How many calls there were, how they ended, how many run now, and how long they took in milliseconds. */
export interface Tally {
  calls: number
  errors: number
  cancelled: number
  /** Refused by a rule, a person or a limit before the server was asked. */
  refused: number
  running: number
  totalMs: number
  maxMs: number
}

/**
 * Counts since the gateway was made: calls by server and by caller (`principals`), calls that now wait for a client's
 * answer (`parked`) or were given up because none came (`abandoned`), connections by caller and server that are kept now
 * (`connections`), calls under way that are tasks for their callers (`tasks`), and those that are tasks at their servers
 * (`followed`).
 */
export interface GatewayMetrics {
  readonly servers: { readonly [name: string]: Tally }
  readonly principals: { readonly [id: string]: Tally }
  readonly parked: number
  readonly abandoned: number
  readonly connections: number
  readonly tasks: number
  readonly followed: number
  /** The state that gateways share, where there is one: whether it answers, failed calls and all calls to it, and how many share it. */
  readonly state?: {
    readonly available: boolean
    readonly failures: number
    readonly calls: number
    readonly replicas: number
  }
}

export type Ending = 'ok' | 'error' | 'cancelled' | 'refused'

/** Principals beyond this many are counted together. */
const MAX_TALLIES = 10_000
const OTHERS = '(others)'

export class Meter {
  readonly #servers = new Map<string, Tally>()
  readonly #principals = new Map<string, Tally>()

  /** Counts a call as under way; the function that comes back is called once, when it has ended. */
  begin(server: string, principal: string): (ending: Ending) => void {
    const byServer = tallyOf(this.#servers, server)
    const byPrincipal = tallyOf(this.#principals, principal)
    const startedAt = performance.now()
    byServer.running++
    byPrincipal.running++
    return (ending) => {
      const ms = performance.now() - startedAt
      count(byServer, ending, ms)
      count(byPrincipal, ending, ms)
    }
  }

  snapshot(): Pick<GatewayMetrics, 'servers' | 'principals'> {
    return { servers: toRecord(this.#servers), principals: toRecord(this.#principals) }
  }
}

function count(tally: Tally, ending: Ending, ms: number): void {
  tally.running--
  tally.calls++
  if (ending === 'error') tally.errors++
  else if (ending === 'cancelled') tally.cancelled++
  else if (ending === 'refused') tally.refused++
  tally.totalMs += ms
  if (ms > tally.maxMs) tally.maxMs = ms
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const key = tallies.has(name) || tallies.size < MAX_TALLIES ? name : OTHERS
  const known = tallies.get(key)
  if (known !== undefined) return known
  const made = { calls: 0, errors: 0, cancelled: 0, refused: 0, running: 0, totalMs: 0, maxMs: 0 }
  tallies.set(key, made)
  return made
}

function toRecord(tallies: ReadonlyMap<string, Tally>): { [name: string]: Tally } {
  return Object.fromEntries([...tallies].map(([name, tally]) => [name, { ...tally }]))
}
