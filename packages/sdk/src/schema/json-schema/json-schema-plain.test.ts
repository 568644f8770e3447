import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileJsonSchema } from './json-schema.ts'
import { compilePlainObject } from './json-schema-plain.ts'

const NAMES = ['a', 'b', 'c', 'toString', '__proto__'] as const
const name = fc.constantFrom(...NAMES)
const scalar = fc.record(
  { type: fc.constantFrom('string', 'number', 'integer', 'boolean'), description: fc.string(), default: fc.anything() },
  { requiredKeys: ['type'] },
)
const schema = fc.record(
  {
    type: fc.constant('object'),
    title: fc.string(),
    properties: fc.dictionary(name, scalar),
    required: fc.uniqueArray(name),
    additionalProperties: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)
const member = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, [], {}, Number.NaN, -0),
)
const value = fc.oneof(
  fc.dictionary(name, member),
  fc.dictionary(name, member, { noNullPrototype: true }),
  fc.dictionary(name, member).map((inherited) => Object.create(inherited) as object),
  fc.array(member),
  member,
)

describe('an object of scalars', () => {
  it('is judged in one loop as the keywords judge it (sdk D8)', () => {
    fc.assert(
      fc.property(schema, value, (given, candidate) => {
        // Within `allOf` it is no plain schema any more.
        const byKeywords = compileJsonSchema({ allOf: [given] }).validate(candidate)
        expect(compileJsonSchema(given).validate(candidate) === undefined).toBe(byKeywords === undefined)
        if (compilePlainObject(given, 100)?.(candidate)) expect(byKeywords).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['a bound', { type: 'object', properties: { a: { type: 'number', minimum: 1 } } }],
    ['a member without a type', { type: 'object', properties: { a: {} } }],
    ['several types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
    ['an object within', { type: 'object', properties: { a: { type: 'object' } } }],
    ['a schema for the rest', { type: 'object', additionalProperties: { type: 'string' } }],
    ['a keyword of which it knows nothing', { type: 'object', minProperties: 1 }],
    ['a name that objects inherit', { type: 'object', required: ['toString'] }],
    ['no type', { properties: { a: { type: 'string' } } }],
  ])('is not what a schema with %s describes', (_, given) => {
    expect(compilePlainObject(given, 100)).toBeUndefined()
  })

  it('still counts its steps where few are allowed', () => {
    const given = { type: 'object', properties: { a: { type: 'string' } } }
    const check = (steps: number) => compileJsonSchema(given, { maxValidationSteps: steps }).validate({ a: '' })
    expect(check(2)).toMatchObject([{ keyword: 'limit' }])
    expect(check(3)).toBeUndefined()
  })
})
