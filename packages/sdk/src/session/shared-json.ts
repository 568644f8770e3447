/**
 * Keeps equal JSON once. Ten thousand sessions and listeners are opened by a handful of kinds of client, and what each of
 * them says of itself stays for as long as it does; `legacy-session.ts` and the HTTP transport share it among equals.
 */

interface SharedJson {
  /** An equal value that came before, or this one. Either is frozen, deeply, unless it is too long to be shared. */
  share<T extends object>(value: T): T
  /** As `share`, but undefined for a value that is too long to be shared. */
  find<T extends object>(value: T): T | undefined
}

export const SHARED_JSON_LIMITS = {
  /** Values that are kept for sharing. */
  maxShared: 64,
  /** UTF-16 units of one that is, as text. */
  maxSharedLength: 2048,
} as const

export function createSharedJson(): SharedJson {
  const known = new Map<string, object>()
  function find<T extends object>(value: T): T | undefined {
    const text = textOf(value)
    if (text === undefined) return undefined
    const equal = known.get(text)
    // What has the same text has the same members; for values of JSON that makes it the same type.
    if (equal !== undefined) return equal as T
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= SHARED_JSON_LIMITS.maxShared) known.delete(oldest)
    freeze(value)
    known.set(text, value)
    return value
  }
  return { find, share: (value) => find(value) ?? value }
}

function textOf(value: object): string | undefined {
  try {
    const text = JSON.stringify(value)
    return text.length > SHARED_JSON_LIMITS.maxSharedLength ? undefined : text
  } catch {
    // Within one process, values come that no JSON text could have brought.
    return undefined
  }
}

/** Goes as deep as so short a text can. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}
