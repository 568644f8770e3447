/** The moments of a task's life at which a process is ended: before and after each thing that it writes. */

import type { Change, Store } from '@portico/sdk/state'

/** What is written, how often it was before, and on which side of it the process ends. */
export interface Point {
  readonly what: string
  readonly nth: number
  readonly when: 'before' | 'after'
  /** Whether its caller cancels the task while it sleeps. */
  readonly cancels?: true
}

/** In the order of a task's life. */
const WRITES: readonly (readonly [what: string, nth: number])[] = [
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

export const POINTS: readonly Point[] = [
  ...WRITES.flatMap(([what, nth]): Point[] => [
    { what, nth, when: 'before' },
    { what, nth, when: 'after' },
  ]),
  { what: 'cancel', nth: 1, when: 'before', cancels: true },
  { what: 'cancel', nth: 1, when: 'after', cancels: true },
]

/** What comes after one thing comes before the next: the short form has each moment once, and no second of its kind. */
export const SHORT_POINTS: readonly Point[] = POINTS.filter(
  ({ what, nth, when }) =>
    (nth === 1 && when === 'before' && !what.endsWith('sleep_1')) ||
    (what === 'take' && when === 'before') ||
    (when === 'after' && ['create', 'ask', 'answer', 'sleep', 'result', 'cancel'].includes(what)),
)

export function nameOf({ what, nth, when }: Point): string {
  return `${when} ${what}${nth > 1 ? ` ${nth}` : ''}`
}

/** A store in which this process ends at a point. */
export function withKill(store: Store, point: Point): Store {
  const counts = new Map<string, number>()
  const around = async <T>(what: string, write: () => Promise<T>): Promise<T> => {
    const nth = (counts.get(what) ?? 0) + 1
    counts.set(what, nth)
    const here = point.what === what && point.nth === nth
    if (here && point.when === 'before') return endHere()
    const written = await write()
    return here ? endHere() : written
  }
  return {
    get: (key) => store.get(key),
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
  if (find('task-count') !== undefined) return 'create'
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
