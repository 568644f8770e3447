import { expect, it } from 'vitest'
import { differenceOfLines, foldSame } from './difference.ts'

const show = (before: string, after: string) =>
  differenceOfLines(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`)

it.each([
  ['nothing changed', 'a\nb', 'a\nb', [' a', ' b']],
  ['a line changed', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a line came', 'a\nc', 'a\nb\nc', [' a', '+b', ' c']],
  ['a line went', 'a\nb\nc', 'a\nc', [' a', '-b', ' c']],
  ['lines around stay', 'a\nb\nc\nd', 'b\nc\ne', ['-a', ' b', ' c', '-d', '+e']],
  ['all is new', '', 'x', ['-', '+x']],
])('says it when %s', (_what, before, after, lines) => expect(show(before, after)).toEqual(lines))

it('takes two long texts without a common line one after the other', () => {
  const lines = (sign: string) => Array.from({ length: 15_000 }, (_, line) => `${sign}${line}`).join('\n')
  expect(differenceOfLines(lines('a'), lines('b'))).toHaveLength(30_000)
})

it('folds what stayed', () => {
  const text = Array.from({ length: 30 }, (_, line) => String(line))
  const folded = foldSame(differenceOfLines(text.join('\n'), text.with(15, 'x').join('\n')))
  expect(folded.map((line) => (typeof line === 'number' ? line : line.text))).toEqual([
    12,
    '12',
    '13',
    '14',
    '15',
    'x',
    '16',
    '17',
    '18',
    11,
  ])
})
