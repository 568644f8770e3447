import fc from 'fast-check'
import { expect, it } from 'vitest'
import { growsInStep, repeated } from '../../../../tests/support/growth.ts'
import { sayError, withoutCredentials } from './say-error.ts'
import { createPaint } from './terminal/io.ts'
import { showMarkdown } from './terminal/show-markdown.ts'

it.each([
  ['sql has no tool "postgres://a:geheim@host/db"', 'sql has no tool "postgres://…@host/db"'],
  ['mysql://a:p@ss/w:rd@host', 'mysql://…@host'],
  ['mongodb+srv://a:b@host and https://token@host/x', 'mongodb+srv://…@host and https://…@host/x'],
  ['https://host/mcp?api_key=geheim&page=2', 'https://host/mcp?api_key=…&page=2'],
  ['a://b:c@d,e://f:g@h', 'a://…@h'],
  ['a://b@c,d://e@f', 'a://…@c,d://…@f'],
  ['https://host:8080/@scope/name', 'https://host:8080/@scope/name'],
  ['ask ada@host.example about https://host/a', 'ask ada@host.example about https://host/a'],
])('newcomer 5, sec-682: an error masks credentials in addresses: %s', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown)
})

it('newcomer 5, sec-682: no password of an address is in the message or in the remedy', () => {
  const word = fc.string({ minLength: 6 }).map((text) => `geheim${encodeURIComponent(text)}`)
  fc.assert(
    fc.property(fc.constantFrom('postgres', 'mysql', 'https', 'mongodb+srv'), word, (scheme, password) => {
      const said: string[] = []
      const io = { paint: createPaint(true), say: (line: string) => void said.push(line) }
      const url = `${scheme}://ada:${password}@db.example/x`
      sayError(`There are no "${url}"`, `Type \`${url}\`.`, io)
      expect(said.join()).not.toContain('geheim')
      expect(said.join()).toContain('@db.example/x')
    }),
  )
})

it('sec-739: colours that a server put into its error are shown and do not act, ours do', () => {
  const said: string[] = []
  const io = { paint: createPaint(true), say: (line: string) => void said.push(line) }
  sayError('FAKE \u001B[32mok: verified\u001B[39m', '\u001B[2mdo this\u001B[22m', io)
  const [line = ''] = said
  expect(line.startsWith(io.paint.red('error'))).toBe(true)
  expect(line.slice(io.paint.red('error').length)).not.toContain('\u001B')
  expect(line).toContain('ok: verified')
})

const paint = createPaint(false)

it.each([
  ['addresses', withoutCredentials, repeated('a://:')],
  ['addresses of one word', withoutCredentials, repeated('a://a', '', '@')],
  ['names of parameters', withoutCredentials, repeated('?-')],
  ['links', (text: string) => showMarkdown(text, { paint }), repeated('[a](')],
  ['brackets', (text: string) => showMarkdown(text, { paint }), repeated('[')],
] as const)('sec-719: the work on what a server says grows with its length: %s', (_name, work, hostile) => {
  expect(growsInStep(work, hostile)).toBe(true)
})

it('sec-719: a long error is cut, and not in the middle of a password', () => {
  const said: string[] = []
  sayError(`${'a'.repeat(1_990)} https://ada:geheim@host${'b'.repeat(9_000)}`, 'c'.repeat(9_000), {
    paint,
    say: (line) => void said.push(line),
  })
  expect(said.join()).not.toContain('geheim')
  expect(said.join().length).toBeLessThan(4_200)
})
