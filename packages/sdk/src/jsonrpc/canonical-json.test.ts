/** Equal values have equal texts and others have not, whatever is in them (house 7: one canonical JSON). */

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_CANONICAL_DEPTH, toCanonicalJson } from './canonical-json.ts'

const json = fc.jsonValue({ maxDepth: 5 })
/** So small that two of them are often equal. */
const small = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(0, '0', null, [], [0]))

/** The same value with the members of every object in another order. */
function shuffled(value: unknown, seed: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => shuffled(one, seed))
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, shuffled(member, seed)])
  return Object.fromEntries(seed % 2 === 0 ? entries.reverse() : entries.slice(1).concat(entries.slice(0, 1)))
}

describe('canonical JSON', () => {
  test('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('is the same whatever the order of keys', () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, seed) => {
        expect(toCanonicalJson(shuffled(value, seed))).toBe(toCanonicalJson(value))
      }),
    )
  })

  test('differs for values that differ', () => {
    fc.assert(
      fc.property(small, small, (one, other) => {
        const [first, second] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown)
        expect(toCanonicalJson(one) === toCanonicalJson(other)).toBe(isDeepStrictEqual(first, second))
      }),
    )
  })

  test.each([
    ['members that JSON does not have', { b: undefined, a: 1, f: () => 1, s: Symbol('s'), n: 1n }, '{"a":1}'],
    ['items that JSON does not have', [undefined, () => 1, 1n], '[null,null,null]'],
    ['a member called __proto__', JSON.parse('{"b":1,"__proto__":{"a":null}}'), '{"__proto__":{"a":null},"b":1}'],
    ['nothing at all', undefined, 'null'],
    ['keys by their code units', { é: 1, z: 2, A: 3, '10': 4, '9': 5 }, '{"10":4,"9":5,"A":3,"z":2,"é":1}'],
  ])('%s', (_name, value, text) => {
    expect(toCanonicalJson(value)).toBe(text)
  })

  test('is bounded in depth, also for a value that holds itself', () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 1
      for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value }
      return value
    }
    const round: { self?: unknown } = {}
    round.self = round
    expect(() => toCanonicalJson(nested(MAX_CANONICAL_DEPTH))).not.toThrow()
    expect(() => toCanonicalJson(nested(MAX_CANONICAL_DEPTH + 1))).not.toThrow()
    for (const value of [nested(MAX_CANONICAL_DEPTH + 2), nested(100_000), round]) {
      expect(() => toCanonicalJson(value)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }))
      expect(() => toCanonicalJson(value, () => new TypeError('own'))).toThrow('own')
    }
  })
})
