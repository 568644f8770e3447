import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { collectParamHeaders } from './headers-annotation.ts'

const mark = { type: 'string', 'x-mcp-header': 'Region' }
const schema = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest })

describe('collectParamHeaders (Streamable HTTP, "Schema Extension")', () => {
  it('finds annotated properties, nested ones too', () => {
    const found = collectParamHeaders(
      schema({
        region: mark,
        query: { type: 'string' },
        where: schema({ shard: { type: 'integer', 'x-mcp-header': 'Shard' } }),
        dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
      }),
    )
    expect(found).toEqual([
      { header: 'Region', path: ['region'], type: 'string' },
      { header: 'Dry-Run', path: ['dry'], type: 'boolean' },
      { header: 'Shard', path: ['where', 'shard'], type: 'integer' },
    ])
  })

  it.each([
    ['no properties', { type: 'object' }],
    ['a property of that name', schema({ 'x-mcp-header': { type: 'string' } })],
    ['a definition of that name', schema({}, { $defs: { 'x-mcp-header': { type: 'string' } } })],
    [
      'data of that name',
      schema({ a: { type: 'object', default: { 'x-mcp-header': 'A' }, const: { 'x-mcp-header': 1 } } }),
    ],
    ['schemas that are true or false', schema({ a: true, b: false })],
  ])('finds none in %s', (_, value) => expect(collectParamHeaders(value)).toEqual([]))

  it.each([
    ['empty', schema({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['no text', schema({ a: { type: 'string', 'x-mcp-header': 1 } })],
    ['with a space', schema({ a: { type: 'string', 'x-mcp-header': 'My Region' } })],
    ['with a colon', schema({ a: { type: 'string', 'x-mcp-header': 'A:B' } })],
    ['not ASCII', schema({ a: { type: 'string', 'x-mcp-header': 'Région' } })],
    ['with a tab', schema({ a: { type: 'string', 'x-mcp-header': 'A\t1' } })],
    ['with a line end', schema({ a: { type: 'string', 'x-mcp-header': 'A\r\nX: 1' } })],
    ['ending in a line end', schema({ a: { type: 'string', 'x-mcp-header': 'A\n' } })],
    ['twice', schema({ a: mark, b: mark })],
    ['twice but for case', schema({ a: mark, b: { type: 'string', 'x-mcp-header': 'REGION' } })],
    ['on an object', schema({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['on an array', schema({ a: { type: 'array', 'x-mcp-header': 'A' } })],
    ['on null', schema({ a: { type: 'null', 'x-mcp-header': 'A' } })],
    ['on a number', schema({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['on several types', schema({ a: { type: ['string', 'null'], 'x-mcp-header': 'A' } })],
    ['on no type', schema({ a: { 'x-mcp-header': 'A' } })],
    ['at the root', { ...schema({}), 'x-mcp-header': 'A' }],
    ['under items', schema({ a: { type: 'array', items: mark } })],
    ['under properties of items', schema({ a: { type: 'array', items: schema({ b: mark }) } })],
    ['under prefixItems', schema({ a: { prefixItems: [mark] } })],
    ['under oneOf', schema({ a: { oneOf: [mark] } })],
    ['under anyOf at the root', schema({}, { anyOf: [schema({ a: mark })] })],
    ['under allOf', schema({}, { allOf: [schema({ a: mark })] })],
    ['under not', schema({ a: { not: mark } })],
    ['under if', schema({}, { if: schema({ a: mark }) })],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, never awaited
    ['under then', schema({}, { then: schema({ a: mark }) })],
    ['under else', schema({}, { else: schema({ a: mark }) })],
    ['under $defs', schema({ a: { $ref: '#/$defs/a' } }, { $defs: { a: mark } })],
    ['under definitions', schema({ a: { $ref: '#/definitions/a' } }, { definitions: { a: mark } })],
    ['under patternProperties', schema({}, { patternProperties: { '^a': mark } })],
    ['under additionalProperties', schema({}, { additionalProperties: mark })],
    ['under dependentSchemas', schema({}, { dependentSchemas: { a: schema({ b: mark }) } })],
    ['under a keyword nobody knows', schema({}, { 'x-more': { a: mark } })],
  ])('refuses an annotation %s (sec-21)', (_, value) => {
    expect(collectParamHeaders(value)).toMatchObject({ reason: expect.any(String), where: expect.stringMatching(/^#/) })
  })

  it('says where', () => {
    expect(collectParamHeaders(schema({ a: { type: 'array', items: mark } }))).toMatchObject({
      where: '#/properties/a/items',
    })
  })

  it('keeps names such as __proto__ apart from prototypes', () => {
    const value = JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}')
    expect(collectParamHeaders(value)).toEqual([{ header: 'P', path: ['__proto__'], type: 'string' }])
  })

  it('gives up on schemas of absurd size or depth instead of freezing', () => {
    let deep: JsonObject = {}
    for (let level = 0; level < 50_000; level++) deep = { items: deep }
    expect(collectParamHeaders(deep)).toEqual([])
    const wide = schema(Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`p${index}`, {}])))
    expect(collectParamHeaders(wide)).toMatchObject({ reason: expect.stringContaining('too large') })
  })
})
