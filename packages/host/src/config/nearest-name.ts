/** Names that were mistyped. */

/**
 * Finds the name that a mistyped one most likely means; undefined where none is near.
 *
 * @example
 * ```ts
 * import { nearestName } from '@portico/host/text'
 *
 * nearestName('gatway', ['servers', 'gateway']) // 'gateway'
 * ```
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const short = word.slice(0, 64).toLowerCase()
  let best: { readonly name: string; readonly edits: number } | undefined
  for (const name of names.slice(0, 1_000)) {
    const edits = editDistance(short, name.slice(0, 64).toLowerCase())
    if (best === undefined || edits < best.edits) best = { name, edits }
  }
  const allowed = word.length <= 3 ? 1 : word.length <= 6 ? 2 : 3
  return best !== undefined && best.edits <= allowed ? best.name : undefined
}

/** What to do about a name that nothing goes by. */
export function insteadOf(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  return near === undefined ? 'Remove it' : `Did you mean "${near}"? Otherwise remove it`
}

/** Letters to add, drop, change, or swap with the one beside. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : change
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change, swap))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
