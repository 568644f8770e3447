/** Two texts line by line: what stayed, what went, what came. Bounded, since messages may be huge. */

import { type DifferenceRun, differenceOf } from '@portico/sdk/internal-text'

export interface DifferenceLine {
  readonly kind: DifferenceRun['kind']
  readonly text: string
}

/** Beyond so much to compare, old and new are shown one after the other. */
const MAX_CELLS = 1_440_000
const MAX_LINES = 20_000

export function differenceOfLines(before: string, after: string): readonly DifferenceLine[] {
  const runs = differenceOf(linesOf(before), linesOf(after), MAX_CELLS)
  return runs.flatMap(({ kind, parts }) => parts.map((text) => ({ kind, text })))
}

/** Long stretches that stayed, folded to a few lines at each side. */
export function foldSame(lines: readonly DifferenceLine[], around = 3): readonly (DifferenceLine | number)[] {
  const shown: (DifferenceLine | number)[] = []
  for (let at = 0; at < lines.length; ) {
    let next = at
    while (lines[next]?.kind === 'same') next++
    const from = at === 0 ? at : at + around
    const to = next === lines.length ? next : next - around
    if (to - from > 3) shown.push(...lines.slice(at, from), to - from, ...lines.slice(to, next))
    else shown.push(...lines.slice(at, next))
    const changed = lines[next]
    if (changed !== undefined) shown.push(changed)
    at = next + 1
  }
  return shown
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, MAX_LINES)
}
