/**
 * The filter of the timeline: `method:tools/call status:error dur:>500ms server:files text`. Every term must hold;
 * several values with commas are one or the other; a minus turns a term around; plain words are looked for in the whole
 * message. A term that is not understood is said and left out.
 */

import { readSearchTerms, type SearchTerm } from '../search-terms.ts'
import type { TimelineEntry } from './entry.ts'

interface TimelineFilter {
  /** Absent where everything is shown. */
  readonly matches?: (entry: TimelineEntry) => boolean
  /** What was not understood, in one line. */
  readonly problem?: string
}

type Test = (entry: TimelineEntry) => boolean

export function readTimelineFilter(text: string): TimelineFilter {
  const tests: Test[] = []
  const problems: string[] = []
  for (const term of readSearchTerms(text)) {
    const test = toTest(term)
    if (typeof test === 'string') problems.push(test)
    else tests.push(term.negated ? (entry) => !test(entry) : test)
  }
  return {
    ...(tests.length > 0 && { matches: (entry: TimelineEntry) => tests.every((test) => test(entry)) }),
    ...(problems.length > 0 && { problem: problems.join(' ') }),
  }
}

function toTest({ key, value }: SearchTerm): Test | string {
  if (key === undefined) return words(value)
  switch (key) {
    case 'method':
      return pattern(value, ({ row }) => row.method)
    case 'server':
      return pattern(value, ({ row }) => row.server)
    case 'connection':
      return pattern(value, ({ row }) => row.connection)
    case 'group':
      return pattern(value, ({ row }) => row.group)
    case 'id':
      return pattern(value, ({ row }) => String(row.rpcId ?? ''))
    case 'name':
    case 'tool':
      return pattern(value, ({ row }) => row.summary)
    case 'status':
      return choice(value, 'status', ['ok', 'error', 'pending'], ({ status }) => status)
    case 'dir':
      return choice(value, 'dir', ['in', 'out'], ({ row }) => row.direction)
    case 'kind':
      return choice(value, 'kind', ['request', 'response', 'error', 'notification', 'closed'], ({ row }) => row.kind)
    case 'dur':
      return measure(value, { key: 'dur', units: TIMES, example: '>500ms' }, ({ row }) => row.durationMs)
    case 'size':
      return measure(value, { key: 'size', units: SIZES, example: '>10kb' }, ({ row }) => row.bytes)
    default:
      return URL_SCHEMES.has(key) ? words(`${key}:${value}`) : `"${key}:" is not known; use ${KEYS}.`
  }
}

const KEYS = 'method, status, dur, server, kind, dir, name, size, id, group or connection'
/** Somebody who pastes an address looks for that address. */
const URL_SCHEMES = new Set(['http', 'https', 'file', 'urn', 'data'])
const TIMES: { readonly [unit: string]: number } = { '': 1, ms: 1, s: 1_000, m: 60_000 }
const SIZES: { readonly [unit: string]: number } = { '': 1, b: 1, kb: 1_024, mb: 1_048_576 }

function words(value: string): Test {
  const expression = new RegExp(escapeText(value), 'i')
  return ({ row, text }) => expression.test(text) || expression.test(row.server) || expression.test(row.method)
}

/** Whole names; `*` stands for anything. */
function pattern(value: string, of: (entry: TimelineEntry) => string): Test | string {
  const parts = value.split(',').filter((part) => part !== '')
  // Many of them in one expression could take very long to fail.
  if (parts.some((part) => part.split('*').length > 4)) return `"${value}" has more than three stars.`
  const expression = new RegExp(
    `^(?:${parts.map((part) => part.split('*').map(escapeText).join('[^]*?')).join('|')})$`,
    'i',
  )
  return (entry) => expression.test(of(entry))
}

function choice(
  value: string,
  key: string,
  known: readonly string[],
  of: (entry: TimelineEntry) => string | undefined,
): Test | string {
  const wanted = value.toLowerCase().split(',')
  if (!wanted.every((one) => known.includes(one))) return `${key}: takes ${known.join(', ')}.`
  const set = new Set(wanted)
  return (entry) => set.has(of(entry) ?? '')
}

interface Measured {
  readonly key: string
  readonly units: { readonly [unit: string]: number }
  readonly example: string
}

function measure(
  value: string,
  { key, units, example }: Measured,
  of: (entry: TimelineEntry) => number | undefined,
): Test | string {
  const [, sign = '', digits = '', unit = ''] = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)([a-z]*)$/i.exec(value) ?? []
  const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined
  if (digits === '' || factor === undefined) return `${key}: is written like ${key}:${example}.`
  const bound = Number(digits) * factor
  return (entry) => {
    const found = of(entry)
    return found !== undefined && COMPARE[sign || '>=']?.(found, bound) === true
  }
}

const COMPARE: { readonly [sign: string]: (a: number, b: number) => boolean } = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
