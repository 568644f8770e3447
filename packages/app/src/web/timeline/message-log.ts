/**
 * The messages of all connections, newest last, in bounded memory: a fixed number of rows and of bytes, the oldest go
 * first. Filters are followed as messages come, so that a page that scrolls does not search everything each time.
 */

import type { LostRequests, WireMessage } from '@portico/host/upstream'
import type { TimelineRow, TimelineStats } from '../api-types/api.ts'
import { isFailure, isId, kindOf, MAX_TEXT, summaryOf, type TimelineEntry } from './entry.ts'
import { Groups } from './groups.ts'
import { Statistics } from './statistics.ts'
import { readTimelineFilter } from './timeline-filter.ts'

interface MessageLogOptions {
  readonly maxRows?: number
  readonly maxBytes?: number
}

interface LogQuery {
  readonly filter?: string
  readonly before?: number
  readonly after?: number
  readonly limit?: number
}

interface LogPage {
  readonly rows: readonly TimelineRow[]
  readonly total: number
  readonly problem?: string
}

const MAX_ROWS = 150_000
const MAX_BYTES = 128 * 1_048_576
const DEFAULT_LIMIT = 200
const MAX_LIMIT = 2_000
const MAX_FOLLOWED = 4
const MAX_RELATED = 200

export class MessageLog {
  readonly #maxRows: number
  readonly #maxBytes: number
  readonly #groups = new Groups()
  readonly #statistics = new Statistics()
  readonly #followed = new Map<string, FollowedFilter>()
  /** Row `id` is at `id % maxRows`. */
  #ring: (TimelineEntry | undefined)[] = []
  #first = 1
  #next = 1
  #bytes = 0

  constructor({ maxRows = MAX_ROWS, maxBytes = MAX_BYTES }: MessageLogOptions = {}) {
    this.#maxRows = maxRows
    this.#maxBytes = maxBytes
  }

  get total(): number {
    return this.#next - this.#first
  }

  /** The id of the newest row, 0 when there never was one. */
  get newest(): number {
    return this.#next - 1
  }

  add({ server, connection, direction, at, bytes, message }: WireMessage): TimelineRow {
    const id = this.#next++
    const { group, answers } = this.#groups.place(message, { connection, direction, row: id, at })
    const kind = kindOf(message)
    const durationMs = answers === undefined ? undefined : Math.max(0, at - answers.at)
    const row: TimelineRow = {
      id,
      at,
      server,
      connection,
      direction,
      kind,
      method: typeof message.method === 'string' ? message.method.slice(0, 200) : (answers?.method ?? ''),
      ...(isId(message.id) && { rpcId: message.id }),
      group,
      ...(durationMs !== undefined && { durationMs }),
      bytes,
      summary: summaryOf(message),
    }
    const whole = textOf(message)
    const cut = whole.length > MAX_TEXT
    const text = cut ? whole.slice(0, MAX_TEXT) : whole
    const failed = isFailure(message)
    const status = kind === 'request' ? 'pending' : kind === 'notification' ? undefined : failed ? 'error' : 'ok'
    this.#keep({ row, text, cut, status })
    if (answers !== undefined && durationMs !== undefined) {
      this.#settle(answers.row, failed ? 'error' : 'ok', { durationMs })
      if (direction === 'in') this.#statistics.add(server, at, durationMs, failed)
    }
    return row
  }

  /** What is still open and gets no answer any more has failed, and counts as such. */
  lose({ server, connection, id, at, reason, cancelled }: LostRequests): void {
    for (const { row, at: begun, direction } of this.#groups.lose(connection, id)) {
      const durationMs = Math.max(0, at - begun)
      this.#settle(row, 'error', { durationMs, lost: reason })
      if (direction === 'out' && !cancelled) this.#statistics.add(server, at, durationMs, true)
    }
    if (id === undefined) this.#closed({ server, connection, at, reason })
  }

  query({ filter = '', before, after, limit = DEFAULT_LIMIT }: LogQuery): LogPage {
    const most = Math.min(Math.max(1, Math.floor(limit)), MAX_LIMIT)
    const followed = this.#follow(filter)
    const { ids, problem } = followed
    const rows = ids === undefined ? this.#between(before, after, most) : this.#among(ids, before, after, most)
    return { rows, total: ids?.length ?? this.total, ...(problem !== undefined && { problem }) }
  }

  find(id: number): TimelineEntry | undefined {
    return id >= this.#first && id < this.#next ? this.#ring[id % this.#maxRows] : undefined
  }

  /** The other rows of the same group, oldest first. */
  related(row: TimelineRow): TimelineRow[] {
    const found: TimelineRow[] = []
    // Groups are named by the row that began them.
    const start = Math.max(this.#first, Number(row.group.slice(1)) || this.#first)
    for (let id = start; id < this.#next && found.length < MAX_RELATED; id++) {
      const other = this.find(id)?.row
      if (other !== undefined && other.group === row.group && other.id !== row.id) found.push(other)
    }
    return found
  }

  stats(now = Date.now()): TimelineStats {
    return this.#statistics.view(now)
  }

  clear(): void {
    this.#ring = []
    this.#first = this.#next
    this.#bytes = 0
    this.#groups.clear()
    this.#statistics.clear()
    this.#followed.clear()
  }

  /** The end of a connection has a row of its own: what follows belongs to another one. */
  #closed({ server, connection, at, reason }: Pick<LostRequests, 'server' | 'connection' | 'at' | 'reason'>): void {
    const id = this.#next++
    const where = { id, at, server, connection, direction: 'in', group: `m${id}` } as const
    const row: TimelineRow = { ...where, kind: 'closed', method: '', bytes: 0, summary: reason }
    this.#keep({ row, text: reason, cut: false, status: undefined })
  }

  #keep(entry: TimelineEntry): void {
    const { id } = entry.row
    while (this.#first < id && (id - this.#first >= this.#maxRows || this.#bytes + costOf(entry) > this.#maxBytes)) {
      const oldest = this.#ring[this.#first % this.#maxRows]
      if (oldest !== undefined) this.#bytes -= costOf(oldest)
      this.#ring[this.#first % this.#maxRows] = undefined
      this.#first++
    }
    this.#ring[id % this.#maxRows] = entry
    this.#bytes += costOf(entry)
  }

  /** The answer came, or never will: the request's own row says so, too. */
  #settle(id: number, status: 'ok' | 'error', words: Pick<TimelineRow, 'durationMs' | 'lost'>): void {
    const request = this.find(id)
    if (request === undefined) return
    request.row = { ...request.row, ...words }
    request.status = status
    for (const filter of this.#followed.values()) filter.recheck(request)
  }

  #follow(text: string): FollowedFilter {
    const known = this.#followed.get(text) ?? new FollowedFilter(text)
    // Put last, so that the one used longest ago is the first to go.
    this.#followed.delete(text)
    this.#followed.set(text, known)
    const [oldest] = this.#followed.keys()
    if (this.#followed.size > MAX_FOLLOWED && oldest !== undefined) this.#followed.delete(oldest)
    known.catchUp(this.#first, this.#next, (id) => this.find(id))
    return known
  }

  #between(before: number | undefined, after: number | undefined, most: number): TimelineRow[] {
    const end = Math.min(this.#next, before ?? this.#next)
    const start = Math.max(this.#first, after === undefined ? end - most : after + 1)
    const rows: TimelineRow[] = []
    for (let id = start; id < end && rows.length < most; id++) {
      const entry = this.find(id)
      if (entry !== undefined) rows.push(entry.row)
    }
    return rows
  }

  #among(ids: readonly number[], before: number | undefined, after: number | undefined, most: number): TimelineRow[] {
    const end = before === undefined ? ids.length : lowerBound(ids, before)
    const start = after === undefined ? Math.max(0, end - most) : lowerBound(ids, after + 1)
    return ids.slice(start, Math.min(end, start + most)).flatMap((id) => this.find(id)?.row ?? [])
  }
}

/** The ids of the rows that a filter lets through, kept up to date. */
class FollowedFilter {
  readonly problem: string | undefined
  readonly #matches: ((entry: TimelineEntry) => boolean) | undefined
  #ids: number[] = []
  #to = 0

  constructor(text: string) {
    const { matches, problem } = readTimelineFilter(text)
    this.#matches = matches
    this.problem = problem
  }

  /** Undefined where everything is let through. */
  get ids(): readonly number[] | undefined {
    return this.#matches === undefined ? undefined : this.#ids
  }

  catchUp(first: number, next: number, find: (id: number) => TimelineEntry | undefined): void {
    const matches = this.#matches
    if (matches === undefined) return
    if ((this.#ids[0] ?? first) < first) this.#ids = this.#ids.slice(lowerBound(this.#ids, first))
    for (let id = Math.max(first, this.#to); id < next; id++) {
      const entry = find(id)
      if (entry !== undefined && matches(entry)) this.#ids.push(id)
    }
    this.#to = next
  }

  recheck(entry: TimelineEntry): void {
    const { id } = entry.row
    if (this.#matches === undefined || id >= this.#to) return
    const at = lowerBound(this.#ids, id)
    const isListed = this.#ids[at] === id
    const isWanted = this.#matches(entry)
    if (isWanted && !isListed) this.#ids.splice(at, 0, id)
    if (!isWanted && isListed) this.#ids.splice(at, 1)
  }
}

/** Where the first number that is not below `value` stands. */
function lowerBound(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** What a row takes besides its text, roughly. */
const ROW_BYTES = 400

function costOf({ text }: TimelineEntry): number {
  return text.length + ROW_BYTES
}

function textOf(message: object): string {
  try {
    return JSON.stringify(message) ?? ''
  } catch {
    return ''
  }
}
