/**
 * Options held against a table of what each may be, for programs that no compiler has read, and for records that it has
 * not looked into. A slip in a name, a text in place of a number, or a protection given to a way in that knows none would
 * otherwise silently switch off what the option was to hold.
 */

import { invalidDefinition } from './errors.ts'
import { LONGEST_TIMER_MS } from './longest-timer.ts'
import { isObject } from './message.ts'
import { didYouMean } from './nearest.ts'

/** What an option may be: one of the kinds below, anything, or a record of options of its own. */
type OptionKind = keyof typeof KINDS | 'any' | { readonly [name: string]: OptionKind }

/** A kind for every option there is; the compiler sees to it that none is forgotten. */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: OptionKind }

type Fail = (message: string) => Error

/** Throws at the first option of `owner` that does not exist or cannot be what it is. What is undefined was not given. */
export function requireOptions(owner: string, given: unknown, table: object, fail: Fail = invalidDefinition): void {
  if (given === undefined) return
  if (!isObject(given)) throw fail(`${owner}: the options must be a record, not ${show(given)}`)
  const kinds = new Map<string, OptionKind>(Object.entries(table))
  for (const [name, value] of Object.entries(given)) {
    const kind = kinds.get(name)
    if (kind === undefined) throw fail(unknownOption(owner, name, [...kinds.keys()]))
    if (value === undefined || kind === 'any') continue
    if (typeof kind === 'object') requireOptions(`${owner}, ${name}`, value, kind, fail)
    else if (!KINDS[kind].fits(value)) throw fail(`${owner}: ${name} must be ${KINDS[kind].words}, not ${show(value)}`)
  }
}

/** A kind for each member of a table of defaults: bounds all of them. */
export function toBoundTable(defaults: object): { readonly [name: string]: OptionKind } {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, 'bound' as const]))
}

/** The times of a record within what a timer can wait for: beyond that it would fire at once. */
export function withinTimers<Times extends object>(times: Times): Times {
  const within = Object.entries(times).map(([name, value]) => [
    name,
    name.endsWith('Ms') && value > LONGEST_TIMER_MS ? LONGEST_TIMER_MS : value,
  ])
  return Object.fromEntries(within) as Times
}

const KINDS = {
  /** How much or how long; `Infinity` is no bound. */
  bound: {
    words: 'a number from 0 on',
    fits: (value: unknown) => typeof value === 'number' && value >= 0,
  },
  count: {
    words: 'a whole number from 1 on',
    fits: (value: unknown) => Number.isInteger(value) && Number(value) >= 1,
  },
  flag: { words: 'true or false', fits: (value: unknown) => typeof value === 'boolean' },
  function: { words: 'a function', fits: (value: unknown) => typeof value === 'function' },
  path: { words: 'a path that begins with "/"', fits: (value: unknown) => String(value).startsWith('/') },
  port: {
    words: 'a whole number from 0 to 65535',
    fits: (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  },
  /** What says who is asking. */
  protection: {
    words: 'what requireBearer() or another protection returns: a record with an authenticate function',
    fits: (value: unknown) => isObject(value) && typeof value.authenticate === 'function',
  },
  record: { words: 'a record', fits: isObject },
  text: { words: 'a text', fits: (value: unknown) => typeof value === 'string' },
  texts: {
    words: 'a list of texts',
    fits: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  },
  /** Milliseconds of one timer. */
  time: {
    words: `a number of milliseconds from 0 to ${LONGEST_TIMER_MS}`,
    fits: (value: unknown) => typeof value === 'number' && value >= 0 && value <= LONGEST_TIMER_MS,
  },
} as const

function unknownOption(owner: string, name: string, names: readonly string[]): string {
  const hint = didYouMean(name, names)
  return `${owner} has no option "${name}"${hint === '' ? `; it has ${[...names].sort().join(', ')}` : hint}`
}

/** The kind of a value. Texts are not shown: one that stands in the wrong place may be a secret. */
function show(value: unknown): string {
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'a record' : String(value)
}
