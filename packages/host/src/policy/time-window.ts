/** Times of day and days of the week, in the zone that a rule names. */

import { type TimeTest, WEEKDAYS, type Weekday } from './rule.ts'

export function createTimeWindow({
  days = WEEKDAYS,
  from = '00:00',
  to = '24:00',
  zone,
}: TimeTest): (at: number) => boolean {
  const format = formatFor(zone)
  const on = new Set<Weekday>(days)
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    // The format was told to give all three, and days in English.
    const day = parts.get('weekday')!.toLowerCase() as Weekday
    const time = `${parts.get('hour')}:${parts.get('minute')}`
    if (from <= to) return on.has(day) && time >= from && time < to
    // Over midnight: the hours after it belong to the day before.
    if (time >= from) return on.has(day)
    return time < to && on.has(dayBefore(day))
  }
}

/** Throws for a zone that there is not. */
export function formatFor(zone: string | undefined): Intl.DateTimeFormat {
  const known = FORMATS.get(zone ?? '')
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  FORMATS.set(zone ?? '', format)
  return format
}

/** Making one takes longer than all the rest of a rule; there are only so many zones. */
const FORMATS = new Map<string, Intl.DateTimeFormat>()

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7]!
}
