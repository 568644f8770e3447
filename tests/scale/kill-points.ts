/** The moments of a task's life at which a process is ended: before and after each thing that it writes. */

import type { Change, Store } from '@portico/sdk/state'

/** What is written, how often it was before, and on which side of it the process ends. */
export interface Point {
  readonly what: string
  readonly nth: number
  readonly when: 'before' | 'after'
  /** Whether its caller cancels the task while it sleeps. */
  readonly cancels?: true
  /** Whether the task's time runs out before it is done. */
  readonly expires?: true
  /** Whether a process may come to the end of its work without it: it is ended then. */
  readonly maybe?: true
}

/** What is ended: a process with caller and server in one, a server, or a gateway before a server. */
export type Role = 'worker' | 'server' | 'gateway'

type Write = readonly [what: string, nth: number]

/** In the order of a task's life. */
const OWN_WRITES: readonly Write[] = [
  ['create', 1],
  ['lease', 1],
  ['take', 1],
  ['progress', 1],
  ['begin first', 1],
  ['end first', 1],
  ['ask', 1],
  ['release', 1],
  ['answer', 1],
  ['lease', 2],
  ['take', 2],
  ['begin second', 1],
  ['end second', 1],
  ['begin sleep_1', 1],
  ['end sleep_1', 1],
  ['sleep', 1],
  ['release', 2],
  ['lease', 3],
  ['take', 3],
  ['begin third', 1],
  ['end third', 1],
  ['result', 1],
  ['release', 3],
]

/** The same for a task whose work is at a server behind the gateway. */
const RELAYED_WRITES: readonly Write[] = [
  ['create', 1],
  ['lease', 1],
  ['take', 1],
  ['begin sent', 1],
  ['end sent', 1],
  ['begin upstream', 1],
  ['end upstream', 1],
  ['progress', 1],
  ['begin relayed', 1],
  ['end relayed', 1],
  ['ask', 1],
  ['release', 1],
  ['answer', 1],
  ['lease', 2],
  ['take', 2],
  ['result', 1],
  ['release', 2],
]

const CANCELLED: readonly Point[] = [
  { what: 'cancel', nth: 1, when: 'before', cancels: true },
  { what: 'cancel', nth: 1, when: 'after', cancels: true },
]

const OWN_POINTS: readonly Point[] = [
  ...aroundEach(OWN_WRITES),
  ...CANCELLED,
  { what: 'end second', nth: 1, when: 'after', expires: true },
  { what: 'expiry', nth: 1, when: 'after', expires: true },
]

export const POINTS: { readonly [role in Role]: readonly Point[] } = {
  worker: OWN_POINTS,
  server: OWN_POINTS,
  gateway: [
    ...aroundEach(RELAYED_WRITES).map(
      (point): Point => ({
        ...point,
        // What the server tells of its task may come with the question, and then says nothing of its own.
        ...(point.what === 'progress' && { maybe: true }),
      }),
    ),
    ...CANCELLED,
    { what: 'release', nth: 1, when: 'after', expires: true },
    { what: 'expiry', nth: 1, when: 'after', expires: true },
  ],
}

function aroundEach(writes: readonly Write[]): Point[] {
  return writes.flatMap(([what, nth]): Point[] => [
    { what, nth, when: 'before' },
    { what, nth, when: 'after' },
  ])
}

/** What comes after one thing comes before the next: the short form has each moment once, and no second of its kind. */
const SHORT_POINTS: readonly Point[] = OWN_POINTS.filter(
  ({ what, nth, when, expires }) =>
    expires !== true &&
    ((nth === 1 && when === 'before' && !what.endsWith('sleep_1')) ||
      (what === 'take' && when === 'before') ||
      (when === 'after' && ['create', 'ask', 'answer', 'sleep', 'result', 'cancel'].includes(what))),
)

const SHORT_RELAYED: ReadonlySet<string> = new Set(['after begin upstream', 'after end upstream', 'after ask'])

/** The kills of the short form: workers and servers in turn, and the three moments at which a gateway differs from both. */
export const SHORT_KILLS: readonly { readonly role: Role; readonly point: Point }[] = [
  ...SHORT_POINTS.map((point, at) => ({ role: at % 2 === 0 ? 'worker' : 'server', point }) as const),
  ...POINTS.gateway.flatMap((point) => (SHORT_RELAYED.has(nameOf(point)) ? [{ role: 'gateway', point } as const] : [])),
]

export function nameOf({ what, nth, when, expires }: Point): string {
  return `${when} ${what}${nth > 1 ? ` ${nth}` : ''}${expires && what !== 'expiry' ? ', with little time left' : ''}`
}

/** A store in which this process ends at a point. */
export function withKill(store: Store, point: Point): Store {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  const around = async <T>(what: string, write: () => Promise<T>): Promise<T> => {
    const nth = (counts.get(what) ?? 0) + 1
    counts.set(what, nth)
    const here = point.what === what && point.nth === nth
    if (here && point.when === 'before') return endHere()
    const written = await write()
    return here ? endHere() : written
  }
  return {
    async get(key) {
      const kept = await store.get(key)
      if (kept !== undefined) seen.add(key)
      // Nobody writes that a time has run out: it shows when what was there is not.
      else if (key.startsWith('task/') && seen.has(key)) await around('expiry', async () => {})
      return kept
    },
    list: (prefix, range) => store.list(prefix, range),
    holder: (key) => store.holder(key),
    renew: (...args) => store.renew(...args),
    close: () => store.close(),
    write: (changes) => around(whatIs(changes), () => store.write(changes)),
    // To look whether a task of another's is free is no point of its life.
    lease: async (...args) =>
      (await store.holder(args[0])) === undefined ? around('lease', () => store.lease(...args)) : undefined,
    release: (...args) => around('release', () => store.release(...args)),
  }
}

/** Nothing more happens in this process, not even what was about to. */
function endHere(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

/** What a write does to a task, by what it writes. */
function whatIs(changes: readonly Change[]): string {
  const find = (kind: string) => changes.find(({ key }) => key.startsWith(`${kind}/`))
  const entry = find('task-log')
  if (entry !== undefined) {
    const { name, outcome } = JSON.parse(entry.value ?? '{}') as { name: string; outcome?: unknown }
    return `${outcome === undefined ? 'begin' : 'end'} ${name}`
  }
  // Other writes only take the count away, so that it is made anew.
  if (find('task-count')?.value !== undefined) return 'create'
  if (find('task-run') !== undefined) return 'take'
  return ofRecord(JSON.parse(find('task')?.value ?? '{}') as { [member: string]: unknown })
}

function ofRecord({ status, wakeAt, running, questions }: { readonly [member: string]: unknown }): string {
  if (status === 'completed') return 'result'
  if (status === 'cancelled') return 'cancel'
  if (running === true) return 'progress'
  if (wakeAt !== undefined) return 'sleep'
  if (status === 'input_required') return 'ask'
  return questions === undefined ? 'other' : 'answer'
}
