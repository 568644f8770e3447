/** Generators that several targets share: texts and keys that have hurt parsers before. */

import fc from 'fast-check'

export const hostileKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  '$ref',
  '\u0000',
  '../../etc/passwd',
)

export const anyText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  hostileKey,
  fc.constantFrom('a'.repeat(2000), '\ud800', '\ufeff', '\r\n', '\u2028', '{{{{', '%00', '%', '%zz', '💥'),
)

export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(null, true, 0, -0, 1e308, -1, 2 ** 53, 1.5, '', []),
      anyText,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(fc.oneof(hostileKey, anyText), tie('value')), { maxLength: 4 }).map(toOwnMembers),
    ),
  })).value,
)

/** As `JSON.parse` would: `__proto__` becomes a member like any other. */
export function toOwnMembers(entries: readonly (readonly [string, unknown])[]): { [key: string]: unknown } {
  const object: { [key: string]: unknown } = {}
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return object
}

/** Bytes that come in pieces, with the places where they are cut. */
export function inPieces(bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<{ bytes: Uint8Array; cuts: number[] }> {
  return fc.record({ bytes, cuts: fc.array(fc.nat({ max: 400 }), { maxLength: 8 }) })
}

export function* pieces({ bytes, cuts }: { bytes: Uint8Array; cuts: number[] }): Generator<Uint8Array> {
  let from = 0
  for (const cut of cuts.map((at) => Math.min(at, bytes.length)).sort((one, other) => one - other)) {
    yield bytes.subarray(from, cut)
    from = cut
  }
  yield bytes.subarray(from)
}
