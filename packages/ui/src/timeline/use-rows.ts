/** The rows of the timeline that are in sight, whatever the filter: asks for what is missing, one request at a time. */

import type { TimelineRow } from 'portico/web-api'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiError, call } from '../app/data/api.ts'
import { useApiEvent, useReconnected } from '../app/data/events.ts'
import { toApiError } from '../app/data/use-api.ts'
import {
  EMPTY_WINDOW,
  type IdSpan,
  type Need,
  needOf,
  PAGE,
  type RowWindow,
  rowAt,
  withChanged,
  withJump,
  withNewer,
  withOlder,
  withTail,
  withTotal,
} from './row-window.ts'

export interface RowsState {
  readonly window: RowWindow
  /** What of the filter was not understood. */
  readonly problem: string | undefined
  readonly error: ApiError | undefined
  readonly isFirst: boolean
  readonly onRange: (first: number, last: number) => void
  readonly reload: () => void
}

interface State {
  readonly window: RowWindow
  readonly problem: string | undefined
  readonly error: ApiError | undefined
  readonly isFirst: boolean
}

const NOTHING: State = { window: EMPTY_WINDOW, problem: undefined, error: undefined, isFirst: true }

export function useRows(filter: string): RowsState {
  const [state, setState] = useState<State>(NOTHING)
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const loader = useRef<RowLoader>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is how a reload is asked for
  useEffect(() => {
    const made = new RowLoader(filter, setState)
    loader.current = made
    made.start()
    return () => made.stop()
  }, [filter, turn])
  useApiEvent('timeline', ({ total, newest }) => loader.current?.told(total, newest))
  useReconnected(reload)
  const onRange = useCallback((first: number, last: number) => loader.current?.look(first, last), [])
  return { ...state, onRange, reload }
}

/** Answers of one filter; a new filter gets a new one. */
class RowLoader {
  readonly #filter: string
  readonly #show: (state: State) => void
  readonly #abort = new AbortController()
  #state: State = NOTHING
  #span: IdSpan = { oldest: 1, newest: 1 }
  #sight: readonly [number, number] = [0, -1]
  #isBusy = false
  #isStale = false

  constructor(filter: string, show: (state: State) => void) {
    this.#filter = filter
    this.#show = show
  }

  start(): void {
    void this.#begin()
  }

  /** Where far rows are is guessed from the ids that exist at all; a filter's answer does not tell them. */
  async #begin(): Promise<void> {
    this.#isBusy = true
    try {
      const { rows, total } = await call('timeline.query', { limit: 1 }, this.#abort.signal)
      const newest = rows.at(-1)?.id ?? 1
      this.#span = { oldest: newest - total + 1, newest }
    } catch {
      // The next request meets the same trouble, and says so.
    } finally {
      this.#isBusy = false
    }
    await this.#pump()
  }

  stop(): void {
    this.#abort.abort()
  }

  look(first: number, last: number): void {
    this.#sight = [first, last]
    void this.#pump()
  }

  /** There are more messages, or none any more. */
  told(total: number, newest: number): void {
    const { oldest } = this.#span
    this.#span = { oldest: newest - total + 1, newest }
    if (total === 0) {
      this.#set({ window: EMPTY_WINDOW, isFirst: false })
      return
    }
    const lost = this.#filter === '' ? Math.max(0, this.#span.oldest - oldest) : 0
    const shown = this.#filter === '' ? total : this.#state.window.total
    this.#set({ window: withTotal(this.#state.window, shown, lost) })
    this.#isStale = true
    void this.#pump()
  }

  async #pump(): Promise<void> {
    if (this.#isBusy || this.#abort.signal.aborted) return
    this.#isBusy = true
    try {
      for (let turns = 0; turns < 50 && !this.#abort.signal.aborted; turns++) {
        const need = this.#need()
        if (need !== undefined) await this.#fill(need)
        else if (this.#isStale) await this.#refresh()
        else break
        if (this.#state.window.rows.length === 0 && this.#state.window.total === 0) break
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#set({ error: toApiError(error), isFirst: false })
    } finally {
      this.#isBusy = false
    }
  }

  #need(): Need | undefined {
    const [first, last] = this.#sight
    const { window } = this.#state
    return needOf(window, first, Math.min(last, window.total - 1), this.#span)
  }

  async #fill(need: Need): Promise<void> {
    const before = need.kind === 'older' ? need.before : undefined
    const after = need.kind === 'newer' || need.kind === 'jump' ? need.after : undefined
    const { rows, total, problem } = await this.#query(before, after, PAGE)
    const { window } = this.#state
    const next =
      need.kind === 'tail'
        ? withTail(rows, Math.max(total, rows.length))
        : need.kind === 'older'
          ? withOlder(window, rows, total, PAGE)
          : need.kind === 'newer'
            ? withNewer(window, rows, total, PAGE)
            : withJump(need.index, rows, total, PAGE)
    this.#set({ window: next, problem, error: undefined, isFirst: false })
  }

  /** What came since, and requests in sight that have been answered since. */
  async #refresh(): Promise<void> {
    this.#isStale = false
    const { window } = this.#state
    const tail = window.rows.at(-1)
    const isAtEnd = window.base + window.rows.length >= window.total || this.#filter !== ''
    if (tail !== undefined && isAtEnd) {
      const { rows, total } = await this.#query(undefined, tail.id, PAGE)
      this.#set({ window: withNewer(this.#state.window, rows, total, PAGE) })
    }
    const [first, last] = this.#sight
    const seen = Array.from({ length: Math.min(200, last - first + 1) }, (_, place) =>
      rowAt(this.#state.window, first + place),
    ).filter((row): row is TimelineRow => row !== undefined)
    const open = seen.find(({ kind, durationMs }) => kind === 'request' && durationMs === undefined)
    if (open === undefined) return
    const { rows } = await this.#query(undefined, open.id - 1, seen.length)
    this.#set({ window: withChanged(this.#state.window, rows) })
  }

  #query(before: number | undefined, after: number | undefined, limit: number) {
    const params = {
      ...(this.#filter !== '' && { filter: this.#filter }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      limit,
    }
    return call('timeline.query', params, this.#abort.signal)
  }

  #set(part: Partial<State>): void {
    if (this.#abort.signal.aborted) return
    this.#state = { ...this.#state, ...part }
    this.#show(this.#state)
  }
}
