import { expect, it } from 'vitest'
import { toChangedLines } from './text-difference.ts'

it.each([
  ['nothing', 'a\nb\n', 'a\nb\n', []],
  ['a new file', '', '{\n}\n', ['+ {', '+ }']],
  ['a line in the middle', '1\n2\n3\n4\n5\n6\n', '1\n2\n3\nx\n4\n5\n6\n', ['  2', '  3', '+ x', '  4', '  5']],
  ['a line replaced', 'a\nb\nc', 'a\nB\nc', ['  a', '- b', '+ B', '  c']],
  ['a line removed at the end', 'a\nb\n', 'a\n', ['  a', '- b']],
  ['equal lines around', 'a\na\n', 'a\na\na\n', ['  a', '  a', '+ a']],
])('%s', (_, before, after, shown) => {
  expect(toChangedLines(before, after)).toEqual(shown)
})
