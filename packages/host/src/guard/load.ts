/** What an effect carries to its server: the part in which data of another server could travel. */

import type { JsonObject } from '@portico/sdk/server'
import type { Effect } from '../policy/effect.ts'

/** Undefined where nothing is sent but that something is wanted. */
export function loadOf(effect: Effect): JsonObject | undefined {
  switch (effect.kind) {
    case 'call':
    case 'prompt':
    case 'complete':
      return effect.arguments
    case 'read':
      return { uri: effect.uri }
    default:
      return undefined
  }
}

/** The same effect with another load, as a person has edited it. */
export function withLoad<E extends Effect>(effect: E, load: JsonObject): E {
  // Every effect but a reading carries its arguments by that name, and keeps its other members.
  if (effect.kind !== 'read') return { ...effect, arguments: load }
  return typeof load.uri === 'string' ? { ...effect, uri: load.uri } : effect
}
