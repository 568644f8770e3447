import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { formatIssues } from './json-schema/json-schema-issues.ts'
import { defineSchema, type FromJsonSchema, type InferInput, type InferOutput } from './schema.ts'

const json = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
} as const
const pair = { schema: v.object({ city: v.string(), days: v.optional(v.number()) }), json }

describe('every kind of schema checks the same values', () => {
  const kinds = [
    ['JSON Schema', json],
    ['Zod', z.object({ city: z.string(), days: z.int().optional() })],
    ['ArkType', type({ city: 'string', 'days?': 'number.integer' })],
    ['Valibot', toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }))],
    ['a pair of schema and JSON Schema', pair],
  ] as const
  it.each(kinds)('%s', async (_name, schema) => {
    const compiled = defineSchema(schema)
    expect(compiled.json).toMatchObject({ type: 'object', required: ['city'] })
    expect(compiled.validate({ city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo' } })
    const refused = await compiled.validate({ city: 7 })
    expect(refused).toMatchObject({ ok: false, issues: [{ path: ['city'] }] })
    if ('ok' in refused && !refused.ok) expect(formatIssues(refused.issues)).toMatch(/^city.*string/i)
  })

  it('JSON Schema hands the value back uncopied', () => {
    const value = { city: 'Oslo' }
    const checked = defineSchema(json).validate(value)
    expect('value' in checked && checked.value).toBe(value)
  })
})

describe('libraries transform and fill in defaults', () => {
  it('Zod', () => {
    const compiled = defineSchema(z.object({ unit: z.string().default('c'), n: z.string().transform(Number) }))
    expect(compiled.validate({ n: '7' })).toEqual({ ok: true, value: { unit: 'c', n: 7 } })
    expect(compiled.json).toMatchObject({ properties: { n: { type: 'string' } }, required: ['n'] })
  })

  it('Valibot', () => {
    const schema = v.object({ unit: v.optional(v.string(), 'c'), n: v.pipe(v.string(), v.transform(Number)) })
    const compiled = defineSchema({ schema, json: { type: 'object' } })
    expect(compiled.validate({ n: '7' })).toEqual({ ok: true, value: { unit: 'c', n: 7 } })
    expect(compiled.validate({ n: 7 })).toMatchObject({ ok: false, issues: [{ path: ['n'], keyword: 'valibot' }] })
  })

  it('ArkType', () => {
    const compiled = defineSchema({ schema: type({ unit: "string = 'c'", n: 'string.numeric.parse' }), json: {} })
    expect(compiled.validate({ n: '7' })).toEqual({ ok: true, value: { unit: 'c', n: 7 } })
  })

  it('asynchronously when the library does', async () => {
    const compiled = defineSchema(z.object({ a: z.string().refine(async (text) => text === 'x') }))
    const checked = compiled.validate({ a: 'x' })
    expect(checked).toBeInstanceOf(Promise)
    expect(await checked).toEqual({ ok: true, value: { a: 'x' } })
    expect(await compiled.validate({ a: 'y' })).toMatchObject({ ok: false, issues: [{ path: ['a'] }] })
  })
})

describe('the JSON form', () => {
  it('differs between input and output where a default stands between them', () => {
    const schema = z.object({ unit: z.string().default('c') })
    expect(defineSchema(schema, { io: 'input' }).json.required).toBeUndefined()
    expect(defineSchema(schema, { io: 'output' }).json.required).toEqual(['unit'])
  })

  it.each([
    ['Valibot alone', v.object({ a: v.string() }), undefined, 'valibot schema does not describe itself'],
    ['a transform on its output side', z.object({ a: z.string().transform(Number) }), 'output', 'Transforms cannot be'],
    ['a pair without an object', { schema: z.string(), json: 7 }, undefined, '"json"'],
    ['no schema', 7, undefined, 'must be a Standard Schema'],
    ['an array', [], undefined, 'must be a Standard Schema'],
    ['an unsupported dialect (sec-145)', { $schema: 'urn:other' }, undefined, 'unsupported dialect'],
  ] as const)('is refused with advice: %s', (_name, schema, io, message) => {
    // Deliberately ill-typed rows, as JavaScript callers may pass them.
    const define = () => defineSchema(schema as never, { io })
    expect(define).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
    expect(define).toThrow(message)
  })

  it('passes limits and trust on to the JSON Schema engine', async () => {
    expect(await defineSchema({ pattern: '(?=a)' }).validate('a')).toMatchObject({ ok: true })
    const limits = { maxPatternSize: 3 }
    await expect(async () => defineSchema({ pattern: 'abcd' }, { limits }).validate('a')).rejects.toThrow(
      'maxPatternSize',
    )
    expect(() => defineSchema({ not: { not: {} } }, { limits: { maxSchemaDepth: 2 } })).toThrow('maxSchemaDepth')
  })
})

describe('types', () => {
  it('follow from every kind of schema', () => {
    const zod = z.object({ n: z.string().transform(Number) })
    expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<{ n: string }>()
    expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{ n: number }>()
    expectTypeOf<InferOutput<typeof pair>>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
    expectTypeOf<FromJsonSchema<typeof json>>().toMatchTypeOf<{ city: string; days?: number }>()
    expectTypeOf<FromJsonSchema<{ type: ['string', 'null'] }>>().toEqualTypeOf<string | null>()
    expectTypeOf<FromJsonSchema<{ enum: ['a', 1] }>>().toEqualTypeOf<'a' | 1>()
    expectTypeOf<FromJsonSchema<{ type: 'array'; items: { type: 'boolean' } }>>().toEqualTypeOf<boolean[]>()
    expectTypeOf<FromJsonSchema<{ anyOf: [] }>>().toEqualTypeOf<unknown>()
    const compiled = defineSchema({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
    const checked = compiled.validate({ a: 'x' })
    if ('ok' in checked && checked.ok) expectTypeOf(checked.value.a).toEqualTypeOf<string>()
  })
})
