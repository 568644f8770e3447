/** Two texts side by side, as words or as lines: what stayed, what went, what came. */

/** Neighbouring words or lines that stayed, went or came. */
export interface DifferenceRun {
  readonly kind: 'same' | 'removed' | 'added'
  readonly parts: readonly string[]
}

/**
 * Compares two texts that were taken apart. Where they start and end alike costs nothing; in between the table of a
 * longest common sequence grows with the product of both lengths, and beyond `maxCells` all of it went and came.
 */
export function differenceOf(before: readonly string[], after: readonly string[], maxCells = 250_000): DifferenceRun[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const runs = new Runs()
  runs.add('same', before.slice(0, start))
  compare(runs, before.slice(start, before.length - end), after.slice(start, after.length - end), maxCells)
  runs.add('same', before.slice(before.length - end))
  return runs.all
}

class Runs {
  readonly all: { kind: DifferenceRun['kind']; parts: string[] }[] = []

  add(kind: DifferenceRun['kind'], parts: readonly string[]): void {
    if (parts.length === 0) return
    const last = this.all.at(-1)
    if (last?.kind !== kind) this.all.push({ kind, parts: [...parts] })
    else for (const part of parts) last.parts.push(part)
  }
}

function compare(runs: Runs, a: readonly string[], b: readonly string[], maxCells: number): void {
  if (a.length * b.length > maxCells || a.length === 0 || b.length === 0) {
    runs.add('removed', a)
    runs.add('added', b)
    return
  }
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      runs.add('same', [a[i++] ?? ''])
      j++
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) runs.add('removed', [a[i++] ?? ''])
    else runs.add('added', [b[j++] ?? ''])
  }
}
