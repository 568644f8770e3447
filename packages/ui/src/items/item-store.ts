/** What the screens of items remember while the page is open: arguments that were typed, and which resources are watched. */

import type { ApiResult } from 'portico/web-api'
import { call } from '../app/data/api.ts'
import { onApiEvent, onReconnected } from '../app/data/events.ts'
import { createStore, useStore } from '../app/data/store.ts'
import { showFailure, toApiError } from '../app/data/use-api.ts'
import type { JsonRecord } from '../parts/json.ts'

export type Item = ApiResult<'items.list'>['items'][number]
export type ItemOf<K extends Item['kind']> = Extract<Item, { readonly kind: K }>

export function keyOf({ kind, server, name }: Pick<Item, 'kind' | 'server' | 'name'>): string {
  return `${kind} ${server} ${name}`
}

const MAX_DRAFTS = 200
const drafts = createStore<ReadonlyMap<string, JsonRecord>>(new Map())

export function useDraft(key: string): JsonRecord | undefined {
  return useStore(drafts).get(key)
}

export function setDraft(key: string, value: JsonRecord | undefined): void {
  drafts.set((before) => {
    const next = new Map(before)
    next.delete(key)
    if (value !== undefined) next.set(key, value)
    const [oldest] = next.keys()
    if (next.size > MAX_DRAFTS && oldest !== undefined) next.delete(oldest)
    return next
  })
}

export interface Watch {
  /** How often it has changed since. */
  readonly changes: number
  readonly changedAt?: number
}

const watched = createStore<ReadonlyMap<string, Watch>>(new Map())
const watchKey = (server: string, uri: string) => `${server} ${uri}`

export function useWatch(server: string, uri: string): Watch | undefined {
  return useStore(watched).get(watchKey(server, uri))
}

export function useWatches(): ReadonlyMap<string, Watch> {
  return useStore(watched)
}

export async function setWatch(server: string, uri: string, on: boolean): Promise<void> {
  try {
    await call('resources.subscribe', { server, uri, on })
    const key = watchKey(server, uri)
    watched.set((before) => {
      const next = new Map(before)
      if (on) next.set(key, { changes: 0 })
      else next.delete(key)
      return next
    })
  } catch (error) {
    showFailure(toApiError(error))
  }
}

/** Once it has been read again. */
export function markSeen(server: string, uri: string): void {
  watched.set((before) => {
    const watch = before.get(watchKey(server, uri))
    if (watch === undefined || watch.changes === 0) return before
    return new Map(before).set(watchKey(server, uri), { changes: 0 })
  })
}

onApiEvent('resource-changed', ({ server, uri }) => {
  watched.set((before) => {
    const watch = before.get(watchKey(server, uri))
    if (watch === undefined) return before
    return new Map(before).set(watchKey(server, uri), { changes: watch.changes + 1, changedAt: Date.now() })
  })
})

// A program that was started anew knows of no subscription.
onReconnected(() => {
  for (const key of watched.get().keys()) {
    const space = key.indexOf(' ')
    void setWatch(key.slice(0, space), key.slice(space + 1), true)
  }
})
