/** The words of a JSON value: its strings, the names of its members, and numbers that are long enough to tell something. */

interface Leaves {
  readonly leaves: readonly string[]
  /** Nothing was left out for its size. */
  readonly complete: boolean
}

const MAX_LEAVES = 50_000
const MAX_CHARS = 2_000_000
const MAX_DEPTH = 64
/** Of bytes in base64 that are no text (pictures, sound), the beginning is enough to know them again. */
const MAX_BINARY = 4_096

export function leavesOf(value: unknown): Leaves {
  const leaves: string[] = []
  let chars = 0
  let complete = true
  const take = (leaf: string) => {
    if (leaves.length >= MAX_LEAVES || chars + leaf.length > MAX_CHARS) complete = false
    else {
      chars += leaf.length
      leaves.push(leaf)
    }
  }
  const walk = (one: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || !complete) {
      complete = false
      return
    }
    if (typeof one === 'string') take(isBinary(one) ? one.slice(0, MAX_BINARY) : one)
    else if (typeof one === 'number') take(String(one))
    else if (Array.isArray(one)) for (const member of one) walk(member, depth + 1)
    else if (typeof one === 'object' && one !== null) {
      for (const [name, member] of Object.entries(one)) {
        if (!COMMON.has(name)) take(name)
        walk(member, depth + 1)
      }
    }
  }
  walk(value, 0)
  return { leaves, complete }
}

/** Names that every result has, and that say nothing of where it comes from. */
const COMMON = new Set(['content', 'structuredContent', 'isError', '_meta', 'type', 'text', 'data', 'mimeType', 'uri'])

function isBinary(text: string): boolean {
  if (text.length <= MAX_BINARY || !/^[A-Za-z0-9+/=_-]{64}/.test(text)) return false
  const start = Buffer.from(text.slice(0, 1_024), 'base64')
  return start.includes(0) || start.subarray(0, -3).toString('utf8').split('\ufffd').length > 3
}
