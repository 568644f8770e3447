import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sayError, withoutCredentials } from './say-error.ts'
import { createPaint } from './terminal/io.ts'

it.each([
  ['sql has no tool "postgres://a:geheim@host/db"', 'sql has no tool "postgres://…@host/db"'],
  ['mysql://a:p@ss/w:rd@host', 'mysql://…@host'],
  ['mongodb+srv://a:b@host and https://token@host/x', 'mongodb+srv://…@host and https://…@host/x'],
  ['https://host/mcp?api_key=geheim&page=2', 'https://host/mcp?api_key=…&page=2'],
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
