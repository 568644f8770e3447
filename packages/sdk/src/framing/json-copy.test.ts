import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'
import { copyJson } from './json-copy.ts'
import { FRAMING_LIMITS } from './limits.ts'

const MOST = FRAMING_LIMITS.maxNodes

describe('copyJson', () => {
  it('gives what a way through text gives, or nothing', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withDate: true, withSparseArray: true }), (value) => {
        const copied = copyJson(value)
        if (copied !== undefined) expect(copied.value).toStrictEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('copies every JSON value, but for a negative zero and a member named __proto__', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = JSON.parse(text)
        if (text.includes('-0') || text.includes('__proto__')) return
        expect(copyJson(value)?.value).toStrictEqual(value)
      }),
    )
  })

  it('shares no object with the value', () => {
    const value = { a: [{ b: 'x' }] }
    const copied = copyJson(value)?.value as typeof value
    value.a[0]!.b = 'changed'
    value.a.push({ b: 'more' })
    expect(copied).toEqual({ a: [{ b: 'x' }] })
  })

  it.each([
    ['a function', () => 1],
    ['a class', new (class A {})()],
    ['a date', new Date(0)],
    ['its own toJSON', { toJSON: () => 1 }],
    ['a big integer', 1n],
    ['no number', Number.NaN],
    ['a member named __proto__', JSON.parse('{"__proto__":{"x":1}}')],
    ['too many items', new Array(FRAMING_LIMITS.maxItems + 1).fill(0)],
    ['too long a string', 'x'.repeat(FRAMING_LIMITS.maxStringLength + 1)],
    ['too many arrays and objects (sec-715)', wide(MOST + 1)],
    ['too many members', wide(MOST / 10 + 30, { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 })],
    ['too long a name', { ['x'.repeat(FRAMING_LIMITS.maxStringLength + 1)]: 1 }],
    ['a cycle', cycle()],
  ])('leaves %s to text', (_, value) => {
    expect(copyJson(value)).toBeUndefined()
    expect(copyJson({ value })).toBeUndefined()
  })
})

it('takes as many nodes as the text of them may have', () => {
  const value = wide(MOST)
  expect(copyJson(value)?.value).toStrictEqual(value)
  expect(parseJson(JSON.stringify(value)).ok).toBe(true)
})

/** Arrays of arrays with so many nodes in all, each item in the inner ones one like `item`. */
function wide(nodes: number, item: object = []): object {
  const rows = 10
  const row = Math.ceil((nodes - 1 - rows) / rows)
  const items = (count: number) => Array.from({ length: count }, () => structuredClone(item))
  const whole = Array.from({ length: rows - 1 }, () => items(row))
  return [...whole, items(nodes - 1 - rows - row * (rows - 1))]
}

function cycle(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}
