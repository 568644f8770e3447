/** The items of one kind, found across servers, loaded a page at a time as the list is scrolled. */

import type { ApiResult } from 'portico/web-api'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiError, call } from '../app/data/api.ts'
import { useApiEvent, useReconnected } from '../app/data/events.ts'
import { toApiError, useApi } from '../app/data/use-api.ts'
import type { Item } from './item-store.ts'

interface ItemQuery {
  readonly kind: Item['kind']
  readonly query: string
  readonly server: string | undefined
}

export interface ItemsState {
  readonly items: readonly Item[]
  readonly total: number
  readonly missing: ApiResult<'items.list'>['missing']
  readonly error: ApiError | undefined
  /** Nothing is known yet. */
  readonly isFirst: boolean
  readonly more: () => void
  readonly reload: () => void
}

interface Pages extends Omit<ItemsState, 'more' | 'reload'> {
  readonly next?: string
}

const NOTHING: Pages = { items: [], total: 0, missing: [], error: undefined, isFirst: true }

export function useItems({ kind, query, server }: ItemQuery): ItemsState {
  const [pages, setPages] = useState<Pages>(NOTHING)
  const [turn, setTurn] = useState(0)
  const busy = useRef<AbortController>(undefined)
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useReconnected(reload)
  useApiEvent('items-changed', reload)
  const load = useCallback(
    async (cursor: string | undefined) => {
      busy.current?.abort()
      const abort = new AbortController()
      busy.current = abort
      const params = {
        kind,
        ...(query !== '' && { query }),
        ...(server !== undefined && { server }),
        ...(cursor !== undefined && { cursor }),
      }
      try {
        const { items, total, next, missing } = await call('items.list', params, abort.signal)
        setPages((before) => ({
          items: cursor === undefined ? items : [...before.items, ...items],
          total,
          missing,
          error: undefined,
          isFirst: false,
          ...(next !== undefined && { next }),
        }))
      } catch (error) {
        if (!abort.signal.aborted) setPages((before) => ({ ...before, error: toApiError(error), isFirst: false }))
      } finally {
        if (busy.current === abort) busy.current = undefined
      }
    },
    [kind, query, server],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is how a reload is asked for
  useEffect(() => {
    void load(undefined)
    return () => busy.current?.abort()
  }, [load, turn])
  const { next, ...state } = pages
  const more = useCallback(() => {
    if (next !== undefined && busy.current === undefined) void load(next)
  }, [next, load])
  return { ...state, more, reload }
}

/** The item that the address names, from the list where it is there, else asked for by its name. */
export function useChosenItem(
  items: readonly Item[],
  kind: Item['kind'],
  name: string | null,
  server: string | null,
): { readonly item: Item | undefined; readonly isMissing: boolean } {
  const isIt = (item: Item) =>
    (item.name === name || (item.kind === 'resource' && item.definition.uri === name)) &&
    (server === null || item.server === server)
  const listed = name === null ? undefined : items.find(isIt)
  const isAsked = name !== null && listed === undefined
  const found = useApi('items.list', isAsked ? { kind, query: name, ...(server !== null && { server }) } : undefined)
  const item = listed ?? (isAsked ? found.data?.items.find(isIt) : undefined)
  return { item, isMissing: isAsked && item === undefined && !found.loading }
}
