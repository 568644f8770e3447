/**
 * Leaving things out of plain objects without touching the original and without copying when there is nothing to leave
 * out. Everything that writes an older revision is made of these three.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'

/** A thing of the model as what it is on the wire: the model's interfaces hold JSON members only. */
export function toWire(value: object): JsonObject {
  return value as JsonObject
}

/** The object without the named members: the same object if it has none of them. */
export function omit<T extends object>(value: T, keys: readonly string[]): T {
  const wire = toWire(value)
  let copy: JsonObject | undefined
  for (const key of keys) {
    if (wire[key] === undefined) continue
    copy ??= { ...wire }
    delete copy[key]
  }
  // Only optional members are named by callers, so what is left is still a `T`.
  return (copy as T | undefined) ?? value
}

/** The object with one member replaced: the same object if the member is the same. */
export function replace<T extends object, K extends keyof T>(value: T, key: K, member: T[K]): T {
  return value[key] === member ? value : { ...value, [key]: member }
}

/** The array with each item written: the same array if every item is the same. */
export function mapItems<T>(items: readonly T[], write: (item: T) => T): T[] {
  let copy: T[] | undefined
  let index = 0
  for (const item of items) {
    const written = write(item)
    if (written !== item) copy ??= items.slice()
    if (copy !== undefined) copy[index] = written
    index++
  }
  // The array is handed on as it came; writers never change one in place.
  return copy ?? (items as T[])
}
