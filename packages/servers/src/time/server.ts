/** Time as a server: now, conversion, differences and what comes next, with the zones proposed while they are typed. */

import { createServer, prompt, resource, ToolError, tool } from '@portico/sdk/server'
import { type AnswerOptions, toAnswers } from '../answers.ts'
import type { ReadyServer } from '../entry.ts'
import { spellHidden } from '../text/plain-text.ts'
import { checkZone, describeSpan, fromText, toZoned, zonesLike } from './zoned.ts'

/** Options of `createTimeServer`. */
export interface TimeOptions extends AnswerOptions {
  /** The zone that is meant where none is named; the machine's own unless given. */
  readonly zone?: string | undefined
  /** For tests: the clock. */
  readonly now?: (() => number) | undefined
}

const ZONE = { type: 'string', description: 'Europe/Berlin, +05:30', maxLength: 100 } as const
const TIME = {
  type: 'string',
  description: '2026-03-01T14:30 or 14:30',
  maxLength: 60,
} as const
const ZONED = {
  type: 'object',
  properties: {
    iso: { type: 'string', description: 'The time there, in ISO 8601 with its offset.' },
    zone: { type: 'string', description: 'The IANA name of the zone.' },
    weekday: { type: 'string', description: 'The day of the week there, in English.' },
    offset: { type: 'string', description: 'How far it is from UTC, such as +02:00.' },
  },
  required: ['iso', 'zone', 'weekday', 'offset'],
} as const
/** A list, or one by itself. */
const ZONES = {
  type: ['array', 'string'],
  description: 'Zones',
  items: { type: 'string', maxLength: 100 },
  minItems: 1,
  maxItems: 50,
  maxLength: 100,
} as const
const TIMES = { type: 'array', description: 'One for each zone, in the same order.', items: ZONED } as const
const NOTE = { type: 'string', description: 'Where a time comes twice or not at all: which was meant.' } as const
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const MOST_PROPOSALS = 100

/**
 * Makes a server that tells the time in any time zone, converts between zones, and computes differences between times.
 *
 * @example
 * ```ts
 * import { createTimeServer } from '@portico/servers/time'
 * import { connect } from '@portico/sdk/client'
 *
 * const { server } = await createTimeServer({ zone: 'Europe/Berlin' })
 * const client = await connect(server)
 * const now = await client.callTool('now', { zone: 'Asia/Tokyo' })
 * ```
 */
export async function createTimeServer(options: TimeOptions = {}): Promise<ReadyServer> {
  const { now = Date.now } = options
  const clock = { now, home: checkZone(options.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone) }
  const server = createServer({
    name: 'time',
    version: '0.1.0',
    title: 'Time',
    description: 'What time it is, anywhere',
    tools: toAnswers(createTools(clock), options),
    resources: {
      zone: resource(
        {
          uri: 'time://now/{+zone}',
          title: 'Now in a zone',
          description: 'The time at this moment in the zone that the address names.',
          mimeType: 'application/json',
          complete: { zone: completeZone },
        },
        ({ zone }) => toZoned(now(), checkZone(zone)),
      ),
    },
    prompts: {
      meeting: prompt(
        {
          description: 'Find a time that suits people in several zones.',
          arguments: [
            { name: 'zones', description: 'Zones, separated by commas', required: true },
            { name: 'length', description: 'How long, such as "45 minutes"' },
          ],
          complete: { zones: completeZone },
        },
        ({ zones = '', length = 'one hour' }) =>
          `Propose three times in the next five working days for a meeting of ${length} that fall into working hours in ${zones}. Use the tools "now" and "convert", and show each time in every zone.`,
      ),
    },
  })
  return { server, close: async () => {} }
}

/** The time as the tools know it. */
interface Clock {
  readonly now: () => number
  /** The zone that is meant where none is named. */
  readonly home: string
}

const READING = { readOnly: true, idempotent: true, openWorld: false } as const

function zoneOf({ home }: Clock, zone: string | undefined): string {
  return zone === undefined ? home : checkZone(zone)
}

function completeZone(value: string) {
  const zones = zonesLike(value)
  return { values: zones.slice(0, MOST_PROPOSALS), total: zones.length, hasMore: zones.length > MOST_PROPOSALS }
}

function createTools(clock: Clock) {
  return {
    now: nowTool(clock),
    convert: convertTool(clock),
    difference: differenceTool(clock),
    next: nextTool(clock),
  }
}

function nowTool(clock: Clock) {
  return tool(
    {
      description: 'The time at this moment in one zone.',
      input: { type: 'object', properties: { zone: ZONE }, additionalProperties: false },
      output: ZONED,
      readOnly: true,
      openWorld: false,
    },
    ({ zone }) => toZoned(clock.now(), zoneOf(clock, zone)),
  )
}

function convertTool(clock: Clock) {
  return tool(
    {
      description: 'The same moment as other zones see it.',
      input: {
        type: 'object',
        properties: { time: TIME, from: ZONE, to: ZONES },
        required: ['time', 'to'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { times: TIMES, note: NOTE }, required: ['times'] },
      ...READING,
    },
    ({ time, from, to }) => {
      const { moment, note } = fromText(time, zoneOf(clock, from), clock.now())
      const zones = typeof to === 'string' ? [to] : to
      return { times: zones.map((zone) => toZoned(moment, checkZone(zone))), ...(note !== undefined && { note }) }
    },
  )
}

function differenceTool(clock: Clock) {
  return tool(
    {
      description: 'How long it is between two times.',
      input: {
        type: 'object',
        properties: { from: TIME, to: TIME, zone: ZONE },
        required: ['from', 'to'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          seconds: { type: 'number', description: 'Below 0 where the second time is the earlier one.' },
          words: { type: 'string', description: 'The same as a person would say it.' },
          note: NOTE,
        },
        required: ['seconds', 'words'],
      },
      ...READING,
    },
    ({ from, to, zone }) => {
      const [begin, end] = [from, to].map((time) => fromText(time, zoneOf(clock, zone), clock.now()))
      const span = (end?.moment ?? 0) - (begin?.moment ?? 0)
      const notes = [begin?.note, end?.note].filter((note) => note !== undefined)
      const words = `${describeSpan(span)}${span < 0 ? ' before' : ''}`
      return { seconds: span / 1000, words, ...(notes.length > 0 && { note: notes.join(' ') }) }
    },
  )
}

function nextTool(clock: Clock) {
  return tool(
    {
      description: 'When a weekday or a time of day comes next; one of the two is needed.',
      input: {
        type: 'object',
        properties: {
          weekday: { type: 'string', description: 'Monday; any by default', maxLength: 20 },
          at: {
            type: 'string',
            description: 'HH:MM; with a weekday midnight by default',
            maxLength: 20,
          },
          after: { ...TIME, description: 'Now by default' },
          zone: ZONE,
        },
        additionalProperties: false,
      },
      output: { ...ZONED, properties: { ...ZONED.properties, note: NOTE } },
      readOnly: true,
      openWorld: false,
    },
    ({ weekday, at, after, zone }) => {
      if (weekday === undefined && at === undefined) {
        throw new ToolError('What is to come next is not said. Give `weekday`, `at` (HH:MM), or both.')
      }
      const there = zoneOf(clock, zone)
      const from = after === undefined ? clock.now() : fromText(after, there, clock.now()).moment
      return nextTime(from, there, weekday === undefined ? undefined : dayOf(weekday), timeOf(at ?? '00:00'))
    },
  )
}

/** The day that is meant, in any case and by its first letters. */
function dayOf(text: string): string {
  const typed = text.trim().toLowerCase()
  const found = DAYS.filter((day) => typed.length > 1 && day.toLowerCase().startsWith(typed))
  if (found.length === 1 && found[0] !== undefined) return found[0]
  throw new ToolError(`${JSON.stringify(spellHidden(text))} is no weekday. Use one of ${DAYS.join(', ')}.`)
}

/** A time of day as everybody writes it, with both digits of the hour. */
function timeOf(text: string): string {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? []
  if (hour !== undefined) return `${hour.padStart(2, '0')}:${minute}`
  throw new ToolError(`${JSON.stringify(text)} is no time of day. Write it as 9:00 or 14:30.`)
}

/** Looks a fortnight ahead, day by day, so that changes of clocks are counted as the zone has them. */
function nextTime(from: number, zone: string, weekday: string | undefined, at: string) {
  for (let day = 0; day < 15; day++) {
    const date = toZoned(from + day * 86_400_000, zone).iso.slice(0, 10)
    const { again, ...first } = fromText(`${date}T${at}`, zone, from)
    const next = first.moment > from || again === undefined ? first : again
    const seen = toZoned(next.moment, zone)
    if (next.moment > from && (weekday === undefined || seen.weekday === weekday))
      return { ...seen, ...(next.note !== undefined && { note: next.note }) }
  }
  throw new ToolError(`${at} does not come in ${zone} within two weeks.`)
}
