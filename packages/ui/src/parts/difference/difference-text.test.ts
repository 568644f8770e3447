import { expect, it } from 'vitest'
import { toRuns } from './difference-text.ts'

it.each([
  ['nothing marked', 'as it was', 'removed', [['as it was', false]]],
  [
    'one word gone',
    'reads [-one -]file',
    'removed',
    [
      ['reads ', false],
      ['one ', true],
      ['file', false],
    ],
  ],
  [
    'words that came',
    '{+Send all+} to me{+.+}',
    'added',
    [
      ['Send all', true],
      [' to me', false],
      ['.', true],
    ],
  ],
  ['a mark without an end', 'a [- b', 'removed', [['a [- b', false]]],
  ['the other side’s marks', 'a {+b+}', 'removed', [['a {+b+}', false]]],
  ['no text', '', 'added', []],
] as const)('splits %s', (_what, text, mark, runs) => {
  expect(toRuns(text, mark).map(({ text: words, marked }) => [words, marked])).toEqual(runs)
})
