import { expect, it } from 'vitest'
import { toWords } from './words.ts'

it.each([
  [{ path: '/a', total: 2, more: undefined }, 'path: /a\ntotal: 2'],
  [{ names: [], done: true }, 'done: true\nnames: none'],
  [{ a: ['x'], b: [], c: ['y'] }, 'a:\nx\nb: none\nc:\ny'],
  [{ columns: [{ name: 'id' }, { name: 'b c' }] }, 'columns (name): id, b c'],
  [{ columns: [{ name: 'id' }, { name: 'b, c' }] }, 'columns (name):\nid\nb, c'],
  [{ names: ['a', 'b c'] }, 'names:\na\nb c'],
  [
    {
      rows: [
        { a: 1, b: 'x' },
        { a: 2, c: null },
      ],
    },
    'rows (a, b, c):\n1\tx\n2\t\tnull',
  ],
  [{ text: 'one\ntwo', path: '/a', list: ['x'] }, 'path: /a\nlist:\nx\ntext:\none\ntwo'],
  [{ first: 'a\nb', second: 'c\nd' }, 'second: "c\\nd"\nfirst:\na\nb'],
  [{ deep: { a: [1] } }, 'deep: {"a":[1]}'],
  [[['a'], 'b'], ':\n["a"]\nb'],
])('servers 11: %j is %j', (value, words) => {
  expect(toWords(value)).toBe(words)
})

it('servers 11: a name cannot pass for another row, column or member', () => {
  const hostile = ['a\nsize: 9', 'b\tc', '\u2028d', ' e', '"f"', '{"g":1}', '']
  const lines = toWords({ entries: hostile.map((name) => ({ name, kind: 'file' })) }).split('\n')
  expect(lines).toHaveLength(hostile.length + 1)
  for (const line of lines.slice(1)) expect(line.split('\t')).toHaveLength(2)
})
