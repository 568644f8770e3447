/**
 * What the program tells without being asked: one event stream for the whole page, handed to whoever subscribed by
 * type, once for each animation frame so that a flood of events costs one update and not thousands.
 */

import type { ApiEvent } from 'portico/web-api'
import { useEffect, useRef, useSyncExternalStore } from 'react'

type EventType = ApiEvent['type']
type EventOf<T extends EventType> = Extract<ApiEvent, { readonly type: T }>
type Listener = (event: never) => void

const listeners = new Map<EventType, Set<Listener>>()
const onlineListeners = new Set<() => void>()
const reconnectListeners = new Set<() => void>()
const refusedListeners = new Set<() => void>()
let online = true
let source: EventSource | undefined
let waiting: ApiEvent[] = []

const RETRY_MS = 2_000

/** Opens the stream. Called once. The browser reconnects by itself, but not after a refusal: that is tried again here. */
export function openEvents(): void {
  if (source !== undefined) return
  source = new EventSource('/api/events')
  source.onopen = () => {
    setOnline(true)
    // What happened while nobody listened, the first time too, is not told again: whoever shows something loads it anew.
    for (const listener of reconnectListeners) listener()
  }
  source.onerror = () => {
    setOnline(false)
    if (source?.readyState !== EventSource.CLOSED) return
    source = undefined
    for (const listener of refusedListeners) listener()
    setTimeout(openEvents, RETRY_MS)
  }
  source.onmessage = ({ data }) => {
    if (waiting.length === 0) requestFrame(deliver)
    // The program writes these from the shared contract.
    waiting.push(JSON.parse(String(data)) as ApiEvent)
  }
}

/** Calls `listener` for each event of a type while the component is on the page. */
export function useApiEvent<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => onApiEvent(type, (event) => latest.current(event)), [type])
}

/** The same outside of components; the function that comes back removes the listener. */
export function onApiEvent<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void {
  const set = listeners.get(type) ?? new Set()
  listeners.set(type, set)
  // Kept under the type whose events it takes.
  set.add(listener as Listener)
  return () => set.delete(listener as Listener)
}

/** Calls `listener` whenever the stream is there: after it was gone, and once what was loaded with the page may have changed. */
export function onReconnected(listener: () => void): () => void {
  reconnectListeners.add(listener)
  return () => reconnectListeners.delete(listener)
}

/** Calls `listener` when the program answers and does not let this browser listen. */
export function onRefused(listener: () => void): () => void {
  refusedListeners.add(listener)
  return () => refusedListeners.delete(listener)
}

export function useReconnected(listener: () => void): void {
  useEffect(() => onReconnected(listener), [listener])
}

/** False while the program cannot be reached. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      onlineListeners.add(changed)
      return () => onlineListeners.delete(changed)
    },
    () => online,
  )
}

function deliver(): void {
  const events = waiting
  waiting = []
  for (const event of events) {
    for (const listener of listeners.get(event.type) ?? []) (listener as (event: ApiEvent) => void)(event)
  }
}

/** Hidden pages get no frames; they must not pile events up. */
function requestFrame(action: () => void): void {
  if (document.hidden) setTimeout(action, 200)
  else requestAnimationFrame(action)
}

function setOnline(value: boolean): void {
  if (online === value) return
  online = value
  for (const changed of onlineListeners) changed()
}
