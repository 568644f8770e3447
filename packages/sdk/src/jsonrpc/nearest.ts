/** "Did you mean": the name that was probably meant, among those that the caller may see. */

import { invalidDefinition } from './errors.ts'

/** More names than this are not looked through for somebody's slip. */
const MOST_NAMES = 1000

/** ` Did you mean "x"?`, or nothing when no name is near. */
export function didYouMean(asked: string, names: Iterable<string>): string {
  let best: string | undefined
  let nearest = 3
  let seen = 0
  for (const name of names) {
    if (++seen > MOST_NAMES || asked.length > 128) break
    const distance = plain(name) === plain(asked) ? 0 : editDistance(asked, name, nearest)
    if (distance >= nearest) continue
    nearest = distance
    best = name
  }
  // Two slips in a short word make another word.
  return best === undefined || nearest * 3 > asked.length ? '' : `. Did you mean "${best}"?`
}

interface NameOptions {
  /** Names that are near none of the known ones pass: somebody else may know them. */
  readonly onlySlips?: boolean
  readonly fail?: (message: string) => Error
}

/**
 * Throws where a program names what does not exist: it would wait in vain for what is under that name.
 */
export function requireName(what: string, name: unknown, known: readonly string[], options: NameOptions = {}): void {
  const asked = String(name)
  if (known.includes(asked)) return
  const hint = didYouMean(asked, known)
  if (hint === '' && options.onlySlips === true) return
  const { fail = invalidDefinition } = options
  throw fail(`There is no ${what} "${asked}"${hint === '' ? `; there are ${[...new Set(known)].join(', ')}` : hint}`)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '')
}

/** How many letters differ, or `bound` when they are at least so many. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return Math.min(bound, row[b.length] ?? bound)
}
