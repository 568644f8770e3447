import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeaderValue, encodeHeaderValue } from './headers-encoding.ts'

describe('encodeHeaderValue (Streamable HTTP, "Value Encoding"; sec-20)', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['=?BASE64?literal?=', '=?BASE64?literal?='],
    ['=?base64?open', '=?base64?open'],
    ['\tindented', '=?base64?CWluZGVudGVk?='],
    ['a\u0000b', '=?base64?YQBi?='],
    ['a b', 'a b'],
    ['', ''],
    [42, '42'],
    [-7, '-7'],
    [true, 'true'],
    [false, 'false'],
  ])('%j becomes %j', (value, header) => expect(encodeHeaderValue(value)).toBe(header))

  it('is read back as it was, for any text, and never ends a header early', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('\ufeffmark', '\r\nX-Evil: 1', '=?base64??=', ' ', '\t'),
    )
    fc.assert(
      fc.property(text, (value) => {
        const header = encodeHeaderValue(value)
        expect(header).toMatch(/^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/)
        expect(decodeHeaderValue(header)).toBe(value)
      }),
      { numRuns: 500 },
    )
  })
})

describe('decodeHeaderValue (sec-19)', () => {
  it.each([
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['  plain\t', 'plain'],
    [' =?base64?SGVsbG8=?= ', 'Hello'],
    ['=?base64??=', ''],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
    ['=?base64?=', '=?base64?='],
    ['a\tb', 'a\tb'],
  ])('reads %j as %j', (header, value) => expect(decodeHeaderValue(header)).toBe(value))

  it.each([
    ['padding is missing', '=?base64?SGVsbG8?='],
    ['characters are foreign', '=?base64?SGVs!!!bG8=?='],
    ['the alphabet is that of URLs', '=?base64?_-__?='],
    ['bits are left over', '=?base64?SGVsbG9=?='],
    ['there is a space inside', '=?base64?SGVs bG8=?='],
    ['the bytes are not UTF-8', '=?base64?//79?='],
    ['a character is not ASCII', 'caf\u00e9'],
    ['a character is a control', 'a\u0007b'],
  ])('refuses a value when %s', (_, header) => expect(decodeHeaderValue(header)).toBeUndefined())
})
