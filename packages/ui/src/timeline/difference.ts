/** Two texts line by line: what stayed, what went, what came. Bounded, since messages may be huge. */

export interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** Beyond this many lines that differ, old and new are shown one after the other. */
const MAX_COMPARED = 1_200
const MAX_LINES = 20_000

export function differenceOf(before: string, after: string): readonly DifferenceLine[] {
  const old = before.split('\n').slice(0, MAX_LINES)
  const now = after.split('\n').slice(0, MAX_LINES)
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  return [
    ...toLines('same', old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...toLines('same', old.slice(old.length - end)),
  ]
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

function toLines(kind: DifferenceLine['kind'], texts: readonly string[]): DifferenceLine[] {
  return texts.map((text) => ({ kind, text }))
}

/** The longest common part by the classic table; small enough by the bound above. */
function compareMiddle(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  if (old.length === 0 || now.length === 0 || old.length > MAX_COMPARED || now.length > MAX_COMPARED) {
    return [...toLines('gone', old), ...toLines('new', now)]
  }
  const width = now.length + 1
  const common = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DifferenceLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]]
    if (before !== undefined && before === after) {
      lines.push({ kind: 'same', text: before })
      i++
      j++
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'gone', text: before })
      i++
    } else {
      lines.push({ kind: 'new', text: after ?? '' })
      j++
    }
  }
  return lines
}
