import type { TimelineRow } from 'portico/web-api'
import { describe, expect, it } from 'vitest'
import {
  EMPTY_WINDOW,
  indexOf,
  needOf,
  PAGE,
  type RowWindow,
  rowAt,
  withJump,
  withNewer,
  withOlder,
  withTail,
  withTotal,
} from './row-window.ts'

const row = (id: number): TimelineRow => ({
  id,
  at: id,
  server: 's',
  connection: 'c',
  direction: 'out',
  kind: 'request',
  method: 'ping',
  group: `m${id}`,
  bytes: 1,
  summary: '',
})

/** A program behind the page with these ids, answering as the contract says. */
class FakeLog {
  readonly ids: readonly number[]
  asked = 0
  constructor(ids: readonly number[]) {
    this.ids = ids
  }
  query({ before, after }: { before?: number; after?: number }, limit = PAGE): TimelineRow[] {
    this.asked++
    const place = (wanted: number) => this.ids.findIndex((id) => id >= wanted)
    const from = after === undefined ? undefined : place(after + 1)
    if (from !== undefined) return from === -1 ? [] : this.ids.slice(from, from + limit).map(row)
    const to = before === undefined ? this.ids.length : place(before)
    return this.ids.slice(Math.max(0, to - limit), to).map(row)
  }
}

function look(
  log: FakeLog,
  start: RowWindow,
  first: number,
  last: number,
  span: { oldest: number; newest: number },
): RowWindow {
  let window = start
  const total = log.ids.length
  for (let turn = 0; turn < 20; turn++) {
    const need = needOf(window, first, last, span)
    if (need === undefined) return window
    if (need.kind === 'tail') window = withTail(log.query({}), total)
    if (need.kind === 'older') window = withOlder(window, log.query({ before: need.before }), total, PAGE)
    if (need.kind === 'newer') window = withNewer(window, log.query({ after: need.after }), total, PAGE)
    if (need.kind === 'jump') window = withJump(need.index, log.query({ after: need.after }), total, PAGE)
  }
  throw new Error('never satisfied')
}

const every = Array.from({ length: 100_000 }, (_, index) => index + 51)
const span = { oldest: 51, newest: 100_050 }

describe('a window over 100,000 rows', () => {
  it('begins at the newest', () => {
    const window = look(new FakeLog(every), EMPTY_WINDOW, 0, -1, span)
    expect(rowAt(window, 99_999)?.id).toBe(100_050)
    expect(window.rows).toHaveLength(PAGE)
  })

  it.each([0, 40_000, 99_000, 70_123])('finds row %d at once, and exactly', (index) => {
    const log = new FakeLog(every)
    const window = look(log, withTail(log.query({}), every.length), index, Math.min(99_999, index + 40), span)
    expect(rowAt(window, index)?.id).toBe(index + 51)
    expect(log.asked).toBeLessThan(6)
  })

  it('stays small however far it is scrolled', () => {
    const log = new FakeLog(every)
    let window = withTail(log.query({}), every.length)
    for (let index = 99_960; index > 90_000; index -= 120) window = look(log, window, index, index + 40, span)
    expect(window.rows.length).toBeLessThanOrEqual(3_000)
    expect(rowAt(window, 90_000 + 120)?.id).toBeDefined()
  })
})

describe('a window over what a filter lets through', () => {
  // All of them in the first tenth of the ids: as uneven as can be.
  const few = every.filter((id) => id < 10_000 && id % 4 === 0)

  it('has the first and the last row in their places', () => {
    const log = new FakeLog(few)
    const window = look(log, withTail(log.query({}), few.length), 0, 40, span)
    expect(rowAt(look(log, window, 0, 40, span), 0)?.id).toBe(few[0])
    const end = look(log, window, few.length - 40, few.length - 1, span)
    expect(rowAt(end, few.length - 1)?.id).toBe(few.at(-1))
  })

  it('shows rows in order wherever it is', () => {
    const log = new FakeLog(few)
    const { rows } = look(log, withTail(log.query({}), few.length), 1_200, 1_240, span)
    expect(rows.every(({ id }, place) => place === 0 || id > (rows[place - 1]?.id ?? 0))).toBe(true)
  })
})

it('moves with a list that loses its oldest rows', () => {
  const window = withTail(every.slice(-PAGE).map(row), 100_000)
  const moved = withTotal(window, 100_000, 10)
  expect(indexOf(moved, 100_050)).toBe(99_989)
  expect(indexOf(moved, 1)).toBe(-1)
})
