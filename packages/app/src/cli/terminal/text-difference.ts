/** What changes in a file, for a person to look at before it is written: the lines that differ, with those around. */

import { differenceOf } from '@portico/sdk/internal-text'

const AROUND = 2
const SIGNS = { same: ' ', removed: '-', added: '+' } as const

export function toChangedLines(before: string, after: string): readonly string[] {
  const runs = differenceOf(linesOf(before), linesOf(after))
  if (runs.every(({ kind }) => kind === 'same')) return []
  return runs.flatMap(({ kind, parts }, at) => {
    const from = kind === 'same' && at === 0 ? -AROUND : 0
    const to = kind === 'same' && at === runs.length - 1 ? AROUND : undefined
    return parts.slice(from, to).map((line) => `${SIGNS[kind]} ${line}`)
  })
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
