/** A value outside of components that they can watch. All the state that several screens share is in a few of these. */

import { useSyncExternalStore } from 'react'

interface Store<T> {
  get(): T
  set(next: T | ((before: T) => T)): void
  subscribe(changed: () => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      const made = typeof next === 'function' ? (next as (before: T) => T)(value) : next
      if (Object.is(made, value)) return
      value = made
      for (const changed of listeners) changed()
    },
    subscribe(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
