import fc from 'fast-check'
import { type ParseError, parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { appendItem, removeMember, setMember } from './json-edit.ts'

const read = (text: string): unknown => {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  expect(errors, text).toEqual([])
  return value
}

describe('setting a member', () => {
  it.each([
    ['into nothing', '{}', '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['into one line', '{ "x": 1 }', '{ "x": 1, "a": {\n  "b": 1\n} }'],
    ['after the last', '{\n\t"x": 1\n}', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": 1\n\t}\n}'],
    ['after a comment', '{\n  "x": 1 // one\n}', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  }\n}'],
    ['with trailing commas', '{\n  "x": 1,\n}', '{\n  "x": 1,\n  "a": {\n    "b": 1\n  },\n}'],
    ['with Windows line ends', '{\r\n  "x": 1\r\n}', '{\r\n  "x": 1,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}'],
    [
      'into an object with a comment',
      '{\n  "a": {\n    // none\n  }\n}',
      '{\n  "a": {\n    "b": 1\n    // none\n  }\n}',
    ],
    ['in place of another', '{ "a": { "b": [0], "c": 2 } }', '{ "a": { "b": 1, "c": 2 } }'],
    ['in place of null', '{ "a": null }', '{ "a": {\n  "b": 1\n} }'],
  ])('%s', (_, before, after) => {
    expect(setMember(before, ['a', 'b'], 1)).toBe(after)
  })

  it('refuses when something else is in the way', () => {
    expect(() => setMember('{"a": 5}', ['a', 'b'], 1)).toThrow('"a" is not an object')
  })
})

describe('taking a member out', () => {
  it.each([
    ['the only one', '{ "a": 1 }', '{  }'],
    ['the only one with a comma', '{ "a": 1, }', '{ }'],
    ['the first', '{\n  "a": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'],
    ['the last', '{\n  "x": 1,\n  "a": 2\n}', '{\n  "x": 1\n}'],
    ['the last with a comma', '{\n  "x": 1,\n  "a": 2,\n}', '{\n  "x": 1,\n}'],
    ['one that is not there', '{ "x": 1 }', '{ "x": 1 }'],
  ])('%s', (_, before, after) => {
    expect(removeMember(before, ['a'])).toBe(after)
    read(after)
  })
})

it('appends to a list, or makes one', () => {
  expect(appendItem('{\n  "l": [\n    1\n  ]\n}', ['l'], 2)).toBe('{\n  "l": [\n    1,\n    2\n  ]\n}')
  expect(appendItem('{ "l": [] }', ['l'], 2)).toBe('{ "l": [\n  2\n] }')
  expect(read(appendItem('{}', ['l'], 2))).toEqual({ l: [2] })
})

it('whatever the text: the edit takes effect and nothing else changes', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const value = fc.dictionary(name, fc.oneof(fc.dictionary(name, fc.integer(), { maxKeys: 2 }), fc.constant(null)), {
    maxKeys: 3,
  })
  const decorate = (text: string, seed: number) =>
    [text.replace(/\n/g, ' // note, "x": {\n'), text.replace(/([^{[,\s])(\n\s*[}\]])/g, '$1,$2'), text][seed % 3] ??
    text
  fc.assert(
    fc.property(value, fc.nat(2), fc.constantFrom(0, 2, '\t'), name, name, (object, seed, indent, first, second) => {
      const plain = { ...object }
      const text = decorate(JSON.stringify(plain, null, indent), indent === 0 ? 2 : seed)
      const inner = { ...(plain[first] ?? {}), [second]: { z: 1 } }
      const after = setMember(text, [first, second], { z: 1 })
      expect(read(after)).toEqual({ ...plain, [first]: inner })
      const { [second]: _, ...rest } = inner
      expect(read(removeMember(after, [first, second]))).toEqual({ ...plain, [first]: rest })
    }),
    { numRuns: 500 },
  )
})
