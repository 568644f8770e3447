/** Moments and how zones see them, on the runtime's own tables. Nothing here knows the protocol. */

import { ToolError } from '@portico/sdk/server'
import { spellHidden } from '../text/plain-text.ts'

/** A moment as a zone sees it. */
interface Zoned {
  readonly [member: string]: string
  /** ISO 8601, with the zone's offset. */
  readonly iso: string
  readonly zone: string
  readonly weekday: string
  readonly offset: string
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

export function zonesLike(text: string): string[] {
  const wanted = text.toLowerCase().replaceAll(' ', '_')
  const starting = ZONES.filter((zone) => zone.toLowerCase().startsWith(wanted))
  const within = ZONES.filter((zone) => !starting.includes(zone) && zone.toLowerCase().includes(wanted))
  return [...starting, ...within]
}

/** What a misspelt zone may have meant: those that hold its last part, else those whose spelling is nearest. */
function nearZones(text: string): string[] {
  const place = (text.split('/').at(-1) ?? text).trim()
  const holding = place === '' ? [] : zonesLike(place).slice(0, 3)
  if (holding.length > 0) return holding
  const wanted = spell(place.slice(0, 40))
  const most = Math.floor(wanted.length / 3)
  return ZONES.map((zone) => ({ zone, far: distance(wanted, spell(zone.split('/').at(-1) ?? zone)) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ zone }) => zone)
}

function spell(name: string): string {
  return name.toLowerCase().replaceAll(' ', '_')
}

/** Letters to change, add or leave out to come from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The name of a zone as it is written everywhere: an IANA name, or how far it is from UTC, as +05:30. */
export function checkZone(zone: string): string {
  const fixed = fixedOffset(zone)
  if (fixed !== undefined) return fixed === 0 ? 'UTC' : formatOffset(fixed)
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (cause) {
    const near = nearZones(zone)
    const hint =
      near.length === 0
        ? 'Use an IANA name such as Europe/Berlin, or an offset such as +05:30.'
        : `Did you mean ${near.join(', ')}?`
    throw new ToolError(`There is no time zone ${JSON.stringify(spellHidden(zone.slice(0, 60)))}. ${hint}`, { cause })
  }
}

export function toZoned(moment: number, zone: string): Zoned {
  const parts = partsOf(moment, zone)
  // Years with more digits, and those before, have a form of their own that nothing here reads.
  if (parts.year < 0 || parts.year > 9999)
    throw new ToolError(`That is outside of the years 0000 to 9999 in ${zone}, which are all that is counted here.`)
  const offsetMinutes = Math.round((toUtc(parts) - floorSecond(moment)) / 60_000)
  const offset = formatOffset(offsetMinutes)
  const date = `${String(parts.year).padStart(4, '0')}-${pad(parts.month)}-${pad(parts.day)}`
  const time = `${pad(parts.hour)}:${pad(parts.minute)}:${pad(parts.second)}`
  const weekday = WEEKDAY.format(toUtc(parts))
  return { iso: `${date}T${time}${offset}`, zone, weekday, offset }
}

const WEEKDAY = new Intl.DateTimeFormat('en', { timeZone: 'UTC', weekday: 'long' })

/** A time that was read, and what its writer should know: that it comes twice, or not at all. */
interface ReadTime {
  readonly moment: number
  /** The second time that it comes. */
  readonly again?: { readonly moment: number; readonly note: string }
  readonly note?: string
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?))?(Z|[+-]\d{2}:?\d{2})?$/
const TIME_OF_DAY = /^\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?$/

/**
 * Reads ISO 8601, and a time of day as one of the day that it is at `now`. Without an offset the time is meant in `zone`; of an
 * hour that comes twice the first is meant, and a time that a change of clocks skips is moved on.
 */
export function fromText(text: string, zone: string, now: number): ReadTime {
  const written = text.trim()
  const whole = TIME_OF_DAY.test(written) ? `${toZoned(now, zone).iso.slice(0, 10)}T${written}` : written
  const [, date, said = '00:00:00', offset] = ISO.exec(whole) ?? []
  const time = said.replace(/^\d:/, '0$&')
  const wall = isDay(date) ? Date.parse(`${date}T${time}Z`) : Number.NaN
  if (Number.isNaN(wall)) {
    throw new ToolError(
      `${JSON.stringify(spellHidden(text.slice(0, 60)))} is no time. Write it as 2026-03-01T14:30, with +01:00 or Z at the end to fix the offset; 14:30 alone is today.`,
    )
  }
  if (offset !== undefined) {
    const moment = Date.parse(
      `${date}T${time}${offset === 'Z' ? 'Z' : offset.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2')}`,
    )
    return { moment }
  }
  // The offset depends on the moment looked for: those of a day before and a day after are all that it can be. An hour that
  // comes twice is meant the first time; one that is skipped is moved on.
  const offsets = [offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)]
  const moments = offsets.map((one) => wall - one).filter((moment) => moment + offsetAt(moment, zone) === wall)
  const [first, second] = [...new Set(moments)].sort((a, b) => a - b)
  if (first === undefined) {
    const moment = wall - (offsets[0] ?? 0)
    return {
      moment,
      note: `There is no ${date} ${time} in ${zone}: clocks skip it. ${toZoned(moment, zone).iso} is meant.`,
    }
  }
  if (second === undefined) return { moment: first }
  const [earlier, later] = [first, second].map((one) => toZoned(one, zone).iso)
  const twice = `${date} ${time} comes twice in ${zone}:`
  const again = { moment: second, note: `${twice} ${later} is meant, not ${earlier}.` }
  return { moment: first, note: `${twice} ${earlier} is meant, not ${later}.`, again }
}

/** A day that the month does not have would be counted on into the next. */
function isDay(date: string | undefined): boolean {
  const start = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(`${date}T`)
}

/** `3 days 4 hours 5 minutes`, the largest parts first. */
export function describeSpan(milliseconds: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const
  let left = Math.abs(milliseconds)
  const words = units.flatMap(([name, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return words.length === 0 ? 'no time at all' : words.join(' ')
}

const DAY_MS = 86_400_000

function offsetAt(moment: number, zone: string): number {
  return toUtc(partsOf(moment, zone)) - floorSecond(moment)
}

/** Minutes from UTC, of a zone that is no more than that. */
function fixedOffset(zone: string): number | undefined {
  const [, sign, hours = '', minutes = '0'] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i.exec(zone.trim()) ?? []
  if (sign === undefined || Number(hours) > MOST_HOURS) return undefined
  const size = Number(hours) * 60 + Number(minutes)
  return sign === '-' ? -size : size
}

/** No place on Earth is further from UTC than 14 hours; a day of them can still be written. */
const MOST_HOURS = 23

function partsOf(moment: number, zone: string) {
  const fixed = fixedOffset(zone)
  if (fixed !== undefined) return partsOf(moment + fixed * 60_000, 'UTC')
  const format = new Intl.DateTimeFormat('en-CA-u-ca-gregory', {
    timeZone: zone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = format.formatToParts(moment)
  const numbers = new Map(parts.map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes): number => numbers.get(type) ?? 0
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
  return {
    // The year before 1 is counted as 0.
    year: isBefore ? 1 - of('year') : of('year'),
    month: of('month'),
    day: of('day'),
    hour: of('hour'),
    minute: of('minute'),
    second: of('second'),
  }
}

/** `Date.UTC` takes years below 100 for those of the last century. */
function toUtc({ year, month, day, hour, minute, second }: ReturnType<typeof partsOf>): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute, second, 0)
}

function floorSecond(moment: number): number {
  return Math.floor(moment / 1000) * 1000
}

function formatOffset(minutes: number): string {
  if (minutes === 0) return 'Z'
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
