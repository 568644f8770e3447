/** The marks that the host puts around words that went `[-so-]` or came `{+so+}`, as runs to be drawn. */

interface Run {
  readonly text: string
  readonly marked: boolean
}

export function toRuns(text: string, mark: 'removed' | 'added'): readonly Run[] {
  const [open, close] = mark === 'removed' ? ['[-', '-]'] : ['{+', '+}']
  const runs: Run[] = []
  let at = 0
  while (at < text.length) {
    const start = text.indexOf(open, at)
    const end = start < 0 ? -1 : text.indexOf(close, start + 2)
    if (end < 0) break
    if (start > at) runs.push({ text: text.slice(at, start), marked: false })
    runs.push({ text: text.slice(start + 2, end), marked: true })
    at = end + 2
  }
  if (at < text.length) runs.push({ text: text.slice(at), marked: false })
  return runs
}
