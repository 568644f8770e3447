/** What JSON would lose without a word, put into words for the author who returned it. */

/** Names a value that `JSON.stringify` would drop, empty or falsify; undefined for what it carries. Looks no deeper. */
export function unserializable(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return `a ${typeof value}`
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'object':
      return value === null ? undefined : unserializableObject(value)
    default:
      return undefined
  }
}

function unserializableObject(value: object): string | undefined {
  if (Array.isArray(value)) return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  // Plain objects, of this realm or another, are by far the most common.
  if (prototype === null || prototype === Object.prototype) return undefined
  if (value instanceof Error) return 'an Error; throw it instead'
  if (value instanceof Map) return 'a Map; return Object.fromEntries(map)'
  if (value instanceof Set) return 'a Set; return [...set]'
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes; return them as base64 text'
  if ('toJSON' in value && typeof value.toJSON === 'function') return undefined
  if ('next' in value && typeof value.next === 'function') return 'a generator; collect what it yields into an array'
  if (Object.getPrototypeOf(prototype) === null || Object.keys(value).length > 0) return undefined
  const { name } = value.constructor
  return `an instance of ${name || 'a class'} that has no members of its own and no toJSON`
}
