import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitPassed, parseJson, stringifyJson } from './json.ts'
import { FRAMING_LIMITS } from './limits.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const mixed = (depth: number) => '{"a":['.repeat(depth / 2) + ']}'.repeat(depth / 2)
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
const sameKeys = (count: number) => `{${Array.from({ length: count }, () => '"":0').join(',')}}`
const items = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`
/** `{"a":[]}` is three, what is around all of them one. */
const nodes = (count: number) =>
  `[${[...Array<string>(Math.floor((count - 1) / 3)).fill('{"a":[]}'), ...Array<string>((count - 1) % 3).fill('[]')].join()}]`
const text = (length: number) => `"${'a'.repeat(length)}"`
const escapes = (length: number) => `"${'\\u0061'.repeat(length / 2)}${'\\n'.repeat(length - Math.floor(length / 2))}"`

describe('parseJson holds its bounds (reliability: limits)', () => {
  const small = { maxDepth: 4, maxKeys: 3, maxItems: 3, maxStringLength: 30 }
  const cases: [string, (size: number) => string, 'maxDepth' | 'maxKeys' | 'maxItems' | 'maxStringLength'][] = [
    ['depth', nested, 'maxDepth'],
    ['keys', keys, 'maxKeys'],
    ['repeated keys', sameKeys, 'maxKeys'],
    ['items', items, 'maxItems'],
    ['string', text, 'maxStringLength'],
    ['escaped string', escapes, 'maxStringLength'],
  ]
  for (const [name, make, option] of cases) {
    for (const limits of [small, FRAMING_LIMITS]) {
      const limit = limits[option]
      it(`${name} around ${option} = ${limit}`, () => {
        expect(parseJson(make(limit - 1), limits).ok).toBe(true)
        expect(parseJson(make(limit), limits).ok).toBe(true)
        expect(parseJson(make(limit + 1), limits)).toEqual({
          ok: false,
          kind: 'limit',
          reason: `${option} (${limit}) exceeded`,
        })
      })
    }
  }

  it.each([10, 12, FRAMING_LIMITS.maxNodes])(
    'counts arrays, objects and members of all of a text: maxNodes %i (sec-700)',
    (maxNodes) => {
      for (const read of [
        (source: string) => parseJson(source, { maxNodes }),
        (source: string) => ({ reason: limitPassed(JSON.parse(source), { maxNodes }) }),
      ]) {
        expect(read(nodes(maxNodes - 1))).not.toHaveProperty('reason', expect.anything())
        expect(read(nodes(maxNodes))).not.toHaveProperty('reason', expect.anything())
        expect(read(nodes(maxNodes + 1))).toHaveProperty('reason', `maxNodes (${maxNodes}) exceeded`)
      }
      // Colons in strings are none.
      expect(parseJson(`["${':'.repeat(100_000)}"]`, { maxNodes })).toMatchObject({ ok: true })
    },
  )

  it('sees the end of a string behind many escaped quotes', () => {
    for (const count of [31, 32, 33, 100, 1000]) {
      for (const gap of ['', 'a', 'a'.repeat(64), 'a'.repeat(65), '\\\\']) {
        const source = `["${`${gap}\\"`.repeat(count)}",${nested(6)}]`
        expect(parseJson(source, { maxDepth: 7 })).toEqual({ ok: true, value: JSON.parse(source) })
        expect(parseJson(source, small)).toMatchObject({ kind: 'limit' })
        expect(parseJson(source, { maxDepth: 6, maxStringLength: 1e6 })).toMatchObject({
          kind: 'limit',
          reason: 'maxDepth (6) exceeded',
        })
      }
    }
  })

  it('holds depth alike in short texts, long texts and under a generous bound', () => {
    for (const pad of ['', ' '.repeat(70_000)]) {
      for (const [limit, make] of [
        [128, nested],
        [128, mixed],
        [2000, nested],
        [20_000, nested],
      ] as const) {
        expect(parseJson(pad + make(limit), { maxDepth: limit }).ok).toBe(true)
        expect(parseJson(pad + make(limit + 2), { maxDepth: limit })).toMatchObject({ ok: false, kind: 'limit' })
      }
    }
  })

  it('holds them inside other values, per container', () => {
    expect(parseJson(`{"a":${items(3)},"b":${items(3)},"c":${keys(3)}}`, small).ok).toBe(true)
    expect(parseJson(`{"a":[${items(4)}]}`, small)).toMatchObject({
      kind: 'limit',
      reason: expect.stringMatching('Items'),
    })
    expect(parseJson(`[[],${keys(4)}]`, small)).toMatchObject({ kind: 'limit', reason: expect.stringMatching('Keys') })
    expect(parseJson(mixed(6), small)).toMatchObject({ kind: 'limit', reason: expect.stringMatching('Depth') })
  })

  it('does not take brackets, commas and quotes within strings for structure', () => {
    for (const inner of [
      '[[[[[[[[',
      ',,,,,,,,,,',
      '\\"[[[[[[[\\"',
      '\\\\',
      '',
      'a'.repeat(63),
      `${'a'.repeat(62)}\\"[[[[`,
      `${'a'.repeat(70)}\\\\`,
      `${'a'.repeat(70)}\\\\\\"[[[[[[`,
      `${'a'.repeat(63)}\\"[[[[[[`,
    ]) {
      const source = `["${inner}","${inner}"]`
      expect(parseJson(source, { ...small, maxStringLength: 100 })).toEqual({ ok: true, value: JSON.parse(source) })
    }
  })

  it('sees where a string with escapes ends', () => {
    for (const inner of ['\\\\', '\\"\\\\', `${'a'.repeat(70)}\\\\`, `${'a'.repeat(70)}\\"\\\\\\\\`]) {
      const source = `["${inner}",${nested(6)}]`
      expect(parseJson(source, { ...small, maxStringLength: 100, maxItems: 2 })).toMatchObject({ kind: 'limit' })
    }
  })

  it('stays shallow on a megabyte of openers', () => {
    for (const opener of ['[', '{"a":', '[{"a":']) {
      expect(parseJson(opener.repeat(1_000_000))).toMatchObject({ ok: false, kind: 'limit' })
    }
  })
})

describe('parseJson', () => {
  it('agrees with JSON.parse on any value and any text', () => {
    const limits = { maxDepth: 1, maxKeys: 1000, maxItems: 1000, maxStringLength: 1 }
    fc.assert(
      fc.property(fc.json(), (source) => {
        expect(parseJson(source)).toEqual({ ok: true, value: JSON.parse(source) })
        const bounded = parseJson(source, limits)
        if (bounded.ok) expect(bounded.value).toEqual(JSON.parse(source))
        expect(bounded.ok).toBe(isWithin(JSON.parse(source), 1, 1))
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\0a u') }), (source) => {
        const parsed = parseJson(source, { maxDepth: 2, maxItems: 2 })
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(source))
        else if (parsed.kind === 'parse') expect(() => JSON.parse(source)).toThrow()
      }),
      { numRuns: 2000 },
    )
  })

  it('says that a text is no JSON without quoting it', () => {
    for (const source of [
      '',
      'secret',
      '{"token":"secret"',
      '\ufeff{}',
      '[1,]',
      ']'.repeat(400),
      `${'['.repeat(100)}${'x'.repeat(400)}`,
    ]) {
      const parsed = parseJson(source)
      expect(parsed).toMatchObject({ ok: false, kind: 'parse', reason: expect.stringContaining('not valid JSON') })
      expect(JSON.stringify(parsed)).not.toContain('secret')
    }
  })

  it('keeps __proto__ and its like as ordinary own members', () => {
    const parsed = parseJson('{"__proto__":{"polluted":1},"constructor":2}')
    if (!parsed.ok) throw new Error(parsed.reason)
    const value = parsed.value as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('stringifyJson', () => {
  it('writes any JSON value on one line that reads back (sec-38)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, key) => {
        const written = stringifyJson({ value, [`${key}\r\n\u2028`]: `\n${key}` })
        if (!written.ok) throw new Error(written.reason)
        expect(written.text).not.toMatch(/[\r\n]/)
        expect(new TextDecoder().decode(new TextEncoder().encode(written.text))).toBe(written.text)
        expect(parseJson(written.text)).toEqual({ ok: true, value: JSON.parse(written.text) })
      }),
    )
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const thrower = {
    toJSON: () => {
      throw new Error('secret')
    },
  }
  const cases: [string, unknown, string][] = [
    ['a cycle', cycle, 'cannot be written'],
    ['a BigInt', { count: 1n }, 'cannot be written'],
    ['a toJSON that throws', thrower, 'cannot be written'],
    ['undefined', undefined, 'undefined has no JSON form'],
    ['a function', () => 1, 'function has no JSON form'],
  ]
  for (const [name, value, reason] of cases) {
    it(`refuses ${name}`, () => {
      const written = stringifyJson(value)
      expect(written).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
      expect(written.ok || written.reason).not.toContain('secret')
    })
  }
})

function isWithin(value: unknown, depth: number, length: number): boolean {
  if (typeof value === 'string') return value.length <= length
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  return Object.entries(value).every(
    ([key, item]) => (Array.isArray(value) || key.length <= length) && isWithin(item, depth - 1, length),
  )
}
