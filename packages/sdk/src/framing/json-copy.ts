/**
 * What a value is after a way through JSON text, without the text: for a sender and a receiver in one process. Only what
 * is surely the same either way is copied here; for anything else (a `toJSON`, a class, a number that JSON lacks, a bound
 * that is passed) the answer is that it cannot, and the sender writes text, which has its own rules for all of them.
 */

import { FRAMING_LIMITS } from './limits.ts'

export interface JsonCopy {
  readonly value: unknown
  /** About the length of the text that was not written. */
  readonly length: number
}

/** A copy that shares no object with the value, or undefined when only text will do. */
export function copyJson(value: unknown): JsonCopy | undefined {
  // One counter for the whole copy. A getter that copies something meanwhile spoils the count, and nothing else.
  size = 0
  nodes = 0
  const copied = copy(value, FRAMING_LIMITS.maxDepth)
  return copied === UNFIT ? undefined : { value: copied, length: size }
}

const UNFIT = Symbol('unfit')
/** What an entry costs beside the characters in it. */
const ENTRY = 8

let size = 0
/** Arrays, objects and members of objects. */
let nodes = 0

function copy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      size += value.length + ENTRY
      return value.length > FRAMING_LIMITS.maxStringLength ? UNFIT : value
    case 'number':
      size += ENTRY
      // Those that JSON cannot hold become null there, and a negative zero loses its sign.
      return Number.isFinite(value) && !Object.is(value, -0) ? value : UNFIT
    case 'boolean':
      size += ENTRY
      return value
    case 'object':
      if (value === null) return value
      return depth === 0 ? UNFIT : Array.isArray(value) ? copyArray(value, depth - 1) : copyObject(value, depth - 1)
    default:
      return UNFIT
  }
}

function copyArray(items: readonly unknown[], depth: number): unknown {
  const { length } = items
  if (length > FRAMING_LIMITS.maxItems || ++nodes > FRAMING_LIMITS.maxNodes || 'toJSON' in items) return UNFIT
  const copies: unknown[] = []
  for (let at = 0; at < length; at++) {
    const copied = copy(items[at], depth)
    if (copied === UNFIT) return UNFIT
    copies.push(copied)
  }
  return copies
}

function copyObject(value: object, depth: number): unknown {
  const prototype = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return UNFIT
  const keys = Object.keys(value)
  nodes += 1 + keys.length
  if (keys.length > FRAMING_LIMITS.maxKeys || nodes > FRAMING_LIMITS.maxNodes) return UNFIT
  const copies: { [key: string]: unknown } = {}
  for (const key of keys) {
    // Read once: what a getter says may differ the next time.
    const member = (value as { [key: string]: unknown })[key]
    if (member === undefined) continue
    const copied = copy(member, depth)
    // An assignment would set the prototype.
    if (copied === UNFIT || key === '__proto__' || key.length > FRAMING_LIMITS.maxStringLength) return UNFIT
    size += key.length
    copies[key] = copied
  }
  return copies
}
