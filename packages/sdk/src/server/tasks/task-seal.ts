/** How records and logs of tasks become texts: as JSON, or sealed where the author gave keys. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { type StateBinding, StateSealer } from '../../session/sealed-state.ts'

/** Turns what is kept of a task into a text and back. */
export interface TaskSealer {
  /** `place` is where the text is kept: taken from there to another place, it is refused. */
  seal(value: object, place: string): Promise<string>
  open(text: string, place: string): Promise<unknown>
}

/** What is sealed lives as long as the store keeps it. */
const FOREVER_MS = 8e15

const PLAIN: TaskSealer = {
  seal: async (value) => JSON.stringify(value),
  open: async (text) => {
    try {
      return JSON.parse(text) as unknown
    } catch (cause) {
      throw unreadable('it was sealed, and createTasks was given no keys', cause)
    }
  },
}

/** The first key seals, all open; without keys nothing is sealed. */
export function createTaskSealer(keys: readonly Uint8Array[] | undefined): TaskSealer {
  if (keys === undefined) return PLAIN
  const sealer = new StateSealer({ keys, ttlMs: FOREVER_MS, maxStateLength: Infinity })
  return {
    seal: (value, place) => sealer.seal(value, toBinding(place)),
    open: (text, place) => sealer.open(text, toBinding(place)).catch(explain),
  }
}

function toBinding(place: string): StateBinding {
  return { server: 'tasks', principal: undefined, method: 'tools/call', digest: place }
}

function explain(cause: unknown): never {
  if (!(cause instanceof PorticoError) || cause.code !== 'state-refused') throw cause
  throw unreadable('none of the keys of createTasks sealed it, or it was altered', cause)
}

function unreadable(reason: string, cause: unknown): PorticoError {
  return new PorticoError('state-refused', `A task cannot be opened: ${reason}`, { cause })
}
