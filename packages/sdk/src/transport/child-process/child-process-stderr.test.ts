import { expect, it } from 'vitest'
import { createLineTail } from './child-process-stderr.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const rows = [
  { name: 'keeps the last lines', max: 2, chunks: ['a\nb\nc\n'], tail: 'b\nc', lines: ['a', 'b', 'c'] },
  { name: 'joins lines across chunks', max: 5, chunks: ['a', 'b\r', '\nc'], tail: 'ab\nc', lines: ['ab', 'c'] },
  { name: 'keeps none when told so', max: 0, chunks: ['a\n'], tail: '', lines: ['a'] },
  {
    name: 'wraps around many times',
    max: 3,
    chunks: ['1\n2\n3\n4\n5\n6\n7\n'],
    tail: '5\n6\n7',
    lines: [...'1234567'],
  },
]
it.each(rows)('$name', ({ max, chunks, tail, lines }) => {
  const seen: string[] = []
  const stderr = createLineTail(max, (line) => seen.push(line))
  for (const chunk of chunks) stderr.push(bytes(chunk))
  stderr.end()
  expect(stderr.toString()).toBe(tail)
  expect(seen).toEqual(lines)
})

it('cuts a line that never ends', () => {
  const stderr = createLineTail(10, () => {})
  for (let n = 0; n < 1000; n++) stderr.push(bytes('x'.repeat(1000)))
  stderr.push(bytes('\nnext\n'))
  const [first, second] = stderr.toString().split('\n')
  expect([first?.length, second]).toEqual([4096, 'next'])
})

it('takes bytes that are not UTF-8', () => {
  const stderr = createLineTail(10, () => {})
  stderr.push(Uint8Array.of(0x61, 0xff, 0x0a))
  expect(stderr.toString()).toBe('a\ufffd')
})
