import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countFrom, fromCursor, toCursor } from './cursor.ts'

const question = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)), { maxLength: 4 })

it('servers 24: a cursor leads back to its place for the question that it was given for, and for no other (sec-641)', () => {
  fc.assert(
    fc.property(fc.nat(), question, question, (count, asked, other) => {
      const cursor = toCursor(String(count), asked)
      expect(countFrom(cursor, asked)).toBe(count)
      if (JSON.stringify(asked) === JSON.stringify(other)) return
      expect(() => countFrom(cursor, other)).toThrow('another question')
    }),
  )
})

it('a cursor that nobody gave out is refused, whatever it is (sec-136)', () => {
  fc.assert(
    fc.property(fc.string(), (cursor) => {
      expect(() => countFrom(cursor, ['question'])).toThrow('another question')
    }),
  )
  for (const cursor of ['', '=', 'a b', toCursor('-1', ['x']), toCursor('1.5', ['x']), toCursor('', ['x'])])
    expect(() => countFrom(cursor, ['x'])).toThrow('another question')
  expect(fromCursor(toCursor('a b', ['x']), ['x'])).toBe('a b')
})

it('servers 24: no cursor is given out that would be refused when it comes back', () => {
  const long = fc.tuple(fc.constantFrom('a', 'é', '東', '𝒜'), fc.nat(1_600)).map(([sign, times]) => sign.repeat(times))
  fc.assert(
    fc.property(long, question, (position, asked) => {
      let cursor: string
      try {
        cursor = toCursor(position, asked)
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid-definition' })
        return
      }
      expect(fromCursor(cursor, asked)).toBe(position)
    }),
  )
  expect(() => toCursor('x'.repeat(2_000), [])).toThrow('would be refused')
  // Bytes that are no text grow when they are read as one.
  const broken = Buffer.alloc(1_400, 0xff).toString('base64url')
  expect(() => fromCursor(broken, [])).toThrow('another question')
})
