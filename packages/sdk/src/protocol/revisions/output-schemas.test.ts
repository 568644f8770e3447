import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { REVISIONS } from '../revisions.ts'
import { toObjectSchema, toStructuredObject } from './output-schemas.ts'

const $schema = 'https://json-schema.org/draft/2020-12/schema'

describe('structured content', () => {
  const shown = (value: unknown) =>
    [...REVISIONS.values()].map(
      (r) => r.writeCallToolResult({ content: [], structuredContent: value }).structuredContent,
    )

  it.each([
    ['an object', { a: 1 }, { a: 1 }],
    ['an array', [1], { result: [1] }],
    ['a text', 'x', { result: 'x' }],
    ['zero', 0, { result: 0 }],
    ['null', null, { result: null }],
  ])('%s is absent at first, then an object, then itself', (_, value, object) => {
    expect(shown(value)).toEqual([undefined, undefined, object, object, value])
  })

  it('is told in text where it would be all there is and the revision has none', () => {
    const [oldest] = [...REVISIONS.values()]
    const text = (content: { type: 'text'; text: string }[]) =>
      oldest!.writeCallToolResult({ content, structuredContent: { a: 1 } })
    expect(text([])).toEqual({ content: [{ type: 'text', text: '{"a":1}' }] })
    expect(text([{ type: 'text', text: 'a is 1' }])).toEqual({ content: [{ type: 'text', text: 'a is 1' }] })
  })
})

describe('toObjectSchema', () => {
  it('leaves a schema of objects alone', () => {
    const schema = { type: 'object', properties: {} }
    expect(toObjectSchema(schema)).toBe(schema)
  })

  it('puts other types under `result`, definitions and dialect at the top', () => {
    const schema = {
      $schema,
      $id: 'urn:x',
      type: 'array',
      items: { $ref: '#/$defs/n' },
      $defs: { n: { type: 'number' } },
    }
    expect(toObjectSchema(schema)).toEqual({
      $schema,
      $id: 'urn:x',
      $defs: { n: { type: 'number' } },
      type: 'object',
      properties: { result: { type: 'array', items: { $ref: '#/$defs/n' } } },
      required: ['result'],
    })
  })

  const tree = { type: ['array', 'null'], items: { $ref: '#' } }
  const viaItems = { type: 'array', prefixItems: [{ type: 'number' }], items: { $ref: '#/prefixItems/0' } }
  const either = { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] }
  const reference = { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#' } } } } }
  const data = { type: 'string', enum: ['#'], default: { $ref: '#' }, examples: [{ $ref: '#/x' }] }
  const named = {
    type: 'array',
    items: { type: 'object', properties: { default: { $ref: '#/items/properties/b' }, b: { type: 'number' } } },
  }

  it.each<[string, JsonObject, unknown, boolean]>([
    ['recursion', tree, [[], null, [[]]], true],
    ['recursion', tree, [[1]], false],
    ['a reference into the schema', viaItems, [1, 2], true],
    ['a reference into the schema', viaItems, [1, 'x'], false],
    ['a choice, as a text', either, 'x', true],
    ['a choice, as an object', either, { a: 1 }, true],
    ['a choice, as a wrong object', either, { b: 1 }, false],
    ['a choice, as a number', either, 1, false],
    ['a bare reference', reference, { next: { next: {} } }, true],
    ['a bare reference', reference, { next: { next: 1 } }, false],
    ['data that looks like a reference', data, '#', true],
    ['a property named like a keyword', named, [{ default: 1 }], true],
    ['a property named like a keyword', named, [{ default: 'x' }], false],
    ['no constraint', {}, [1], true],
    ['no constraint', {}, {}, true],
    ['several types', { type: ['object', 'string'] }, 'x', true],
    ['several types', { type: ['object', 'string'] }, { a: 1 }, true],
    ['several types', { type: ['object', 'string'], additionalProperties: false }, 1, false],
  ])("judges what is sent as the tool's schema judges the value: %s (%#)", (_, schema, value, fits) => {
    const judge = (by: JsonObject, what: unknown) => new Ajv2020({ strict: false }).compile(by)(what)
    const older = toObjectSchema(schema)
    expect(older.type).toBe('object')
    expect(judge(schema, value)).toBe(fits)
    expect(judge(older, toStructuredObject(value))).toBe(fits)
  })

  it('does not change the schema that it is given, and survives absurd depth', () => {
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 20_000; level++) deep = { type: 'array', items: deep }
    expect(toObjectSchema(deep).type).toBe('object')
    const schema = { type: 'array', items: { $ref: '#' } }
    toObjectSchema(schema)
    expect(schema).toEqual({ type: 'array', items: { $ref: '#' } })
  })
})
