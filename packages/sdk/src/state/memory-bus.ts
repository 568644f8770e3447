/** The bus of one process. */

import { PorticoError } from '../jsonrpc/errors.ts'
import { type Bus, type BusListener, requireMessage } from './bus.ts'
import { requireKey } from './store.ts'

/**
 * A bus among the listeners of this process, for one process and for tests.
 *
 * @example
 * ```ts
 * import { createMemoryBus } from '@portico/sdk/state'
 *
 * const bus = createMemoryBus()
 * const stop = await bus.subscribe('tasks', (id) => console.log(id))
 * await bus.publish('tasks', '4f1c')
 * stop()
 * ```
 */
export function createMemoryBus(): Bus {
  const topics = new Map<string, Set<{ readonly listener: BusListener }>>()
  let closed = false
  const requireOpen = () => {
    if (closed) throw new PorticoError('closed', 'The bus was closed')
  }
  return {
    async publish(topic, text) {
      requireOpen()
      requireMessage(topic, text)
      for (const entry of topics.get(topic) ?? []) {
        queueMicrotask(() => {
          if (topics.get(topic)?.has(entry) === true) tell(entry.listener, text)
        })
      }
    },
    async subscribe(topic, listener) {
      requireOpen()
      requireKey(topic)
      const entry = { listener }
      const entries = topics.get(topic) ?? new Set()
      topics.set(topic, entries.add(entry))
      return () => {
        entries.delete(entry)
        if (entries.size === 0 && topics.get(topic) === entries) topics.delete(topic)
      }
    },
    async close() {
      closed = true
      topics.clear()
    },
  }
}

function tell(listener: BusListener, text: string): void {
  try {
    listener(text)
  } catch {
    // What one listener does wrong is no reason for the others to miss a message.
  }
}
