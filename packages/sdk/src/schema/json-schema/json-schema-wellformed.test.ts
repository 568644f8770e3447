/** The check that needs no engine says of a schema what the engine would say. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { compileJsonSchema } from './json-schema.ts'
import { requireWellFormed } from './json-schema-wellformed.ts'

const OLD = { $schema: 'http://json-schema.org/draft-07/schema#' }

describe('a schema that cannot be used is refused where it is defined, in the words of the engine (sec-143, sec-145)', () => {
  it.each([
    { $schema: 'http://json-schema.org/draft-04/schema#' },
    { $schema: 'http://json-schema.org/draft/2020-12/schema' },
    { $schema: 7 },
    { $ref: 'https://example.com/x.json' },
    { $id: 'https://example.com/a', $ref: 'b' },
    { $ref: '#/$defs/missing' },
    { $ref: '#missing' },
    { $ref: '#/%' },
    { $ref: '#/elsewhere', elsewhere: { type: 'strnig' } },
    { $dynamicRef: '#missing' },
    { $defs: { unused: { $ref: 'file:///etc/passwd' } } },
    { $id: `urn:${'x'.repeat(3_000)}` },
    { properties: { a: 7 } },
    { properties: 7 },
    { type: 'strnig' },
    { type: [], items: [] },
    { type: ['string', 7] },
    { minLength: '3' },
    { maxItems: -1 },
    { minimum: null },
    { format: 7 },
    { enum: 'a' },
    { required: 'a' },
    { multipleOf: 0 },
    { items: [{}] },
    { pattern: '(' },
    { patternProperties: { '(': {} } },
    { dependentRequired: { a: 'b' } },
    { anyOf: {} },
    { ...OLD, definitions: { a: 7 } },
    { ...OLD, $ref: '#/definitions/a', definitions: { b: {} } },
    7,
  ])('%.80j', (schema) => {
    const said = messageOf(() => compileJsonSchema(schema, { trusted: true }))
    expect(said).toBeTypeOf('string')
    expect(messageOf(() => requireWellFormed(schema))).toBe(said)
  })

  it.each([
    ['maxSchemaDepth', 63, (size: number) => nest(size)],
    ['maxSubschemas', 4_998, (size: number) => ({ allOf: new Array(size + 1).fill({}) })],
  ] as const)('%s at the limit and one beyond (sec-144)', (option, size, make) => {
    expect(() => requireWellFormed(make(size))).not.toThrow()
    expect(() => requireWellFormed(make(size + 1))).toThrow(option)
  })

  it('and one that is its own part is refused for its depth (sec-144)', () => {
    const circle: { not?: unknown } = {}
    circle.not = circle
    expect(() => requireWellFormed(circle)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }))
  })
})

it('every schema of the official suite that the engine takes is well-formed (sec-145)', () => {
  const suite = fileURLToPath(new URL('../../../test/official/json-schema/tests/', import.meta.url))
  let taken = 0
  for (const [draft, dialect] of [
    ['draft2020-12', {}],
    ['draft7', OLD],
  ] as const) {
    for (const file of readdirSync(`${suite}${draft}`).filter((name) => name.endsWith('.json'))) {
      for (const { schema } of JSON.parse(readFileSync(`${suite}${draft}/${file}`, 'utf8'))) {
        const whole = typeof schema === 'object' ? { ...dialect, ...schema } : schema
        if (messageOf(() => compileJsonSchema(whole, { trusted: true })) !== undefined) continue
        taken++
        expect(
          messageOf(() => requireWellFormed(whole)),
          JSON.stringify(whole),
        ).toBeUndefined()
      }
    }
  }
  expect(taken).toBeGreaterThan(400)
})

it('any JSON is refused by both or by neither, unless its parts have addresses of their own (sec-144)', () => {
  const keywords = [
    ...[
      'type',
      'enum',
      'const',
      'properties',
      'required',
      'items',
      'prefixItems',
      'allOf',
      'anyOf',
      'not',
      'if',
      'then',
    ],
    ...['$ref', '$dynamicRef', '$anchor', '$dynamicAnchor', '$defs', 'definitions', 'pattern', 'patternProperties'],
    ...['additionalProperties', 'dependentSchemas', 'dependentRequired', 'contains', 'format', 'minLength', 'a'],
  ]
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(true, false, {}, null, 7, '#', '#a', '#/$defs/a', '/', 'a', '(a', ['a'], 'object'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keywords), tie('schema'), { maxKeys: 4 }),
      fc.dictionary(fc.constantFrom(...keywords), tie('schema'), { maxKeys: 4 }),
    ),
  }))
  let accepted = 0
  fc.assert(
    fc.property(schema, fc.boolean(), (candidate, old) => {
      const isObject = typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate)
      const whole = isObject ? { ...(old && OLD), ...candidate } : candidate
      const said = messageOf(() => compileJsonSchema(whole, { trusted: true }))
      const refused = messageOf(() => requireWellFormed(whole)) !== undefined
      if (said === undefined) accepted++
      // What draft-07 does not read it does not check; the engine still meets some of it.
      if (said === undefined || !old) expect(refused).toBe(said !== undefined)
    }),
    { numRuns: 1_500 },
  )
  expect(accepted).toBeGreaterThan(100)
})

function nest(depth: number): unknown {
  let schema: unknown = true
  for (let level = 0; level < depth; level++) schema = { not: schema }
  return schema
}

function messageOf(action: () => unknown): string | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (error instanceof PorticoError) return error.message
    throw error
  }
}
