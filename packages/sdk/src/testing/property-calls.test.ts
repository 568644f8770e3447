/** Generated calls find what crashes, and nothing else. */

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileJsonSchema } from '../schema/json-schema/json-schema.ts'
import { ToolError } from '../server/features/tool-result.ts'
import { tool } from '../server/items/definition.ts'
import { createServer } from '../server/server.ts'
import { arbitraryOf } from './arbitraries.ts'
import { propertyCalls } from './property-calls.ts'

const quiet = { name: 'subject', version: '1', onError: () => {} }

describe('propertyCalls', () => {
  test('calls every tool with arguments that fit its schema', async () => {
    const server = createServer({
      ...quiet,
      tools: {
        echo: tool(
          { input: z.object({ text: z.string().min(2), count: z.int().min(1).max(5).optional() }) },
          ({ text }) => text,
        ),
        refuse: tool({}, () => {
          throw new ToolError('not today')
        }),
      },
    })
    const reports = await propertyCalls(server, { runs: 30 })
    expect(reports.map(({ tool }) => tool)).toEqual(['echo', 'refuse'])
    expect(reports[0]).toMatchObject({ calls: 30, fitting: 30 })
  })

  const crashing = {
    'throws what it did not mean to': tool({ input: z.object({ n: z.int().min(0).max(50) }) }, ({ n }) => {
      if (n > 10) throw new Error('too far')
      return 'fine'
    }),
    'breaks its own output schema': tool(
      { input: z.object({ n: z.int().min(0).max(50) }), output: z.object({ n: z.number().max(10) }) },
      ({ n }) => ({ n }),
    ),
  }
  test.each(Object.entries(crashing))(
    'fails for a tool that %s, with the smallest arguments',
    async (_name, definition) => {
      const server = createServer({ ...quiet, tools: { bad: definition } })
      await expect(propertyCalls(server, { runs: 200, seed: 1 })).rejects.toThrow(/"n":11/)
    },
  )

  test('says when a tool that was named is not there', async () => {
    await expect(propertyCalls(createServer({ ...quiet, tools: {} }), { tools: ['none'] })).rejects.toThrow(
      'no tool "none"',
    )
  })
})

describe('generated values fit their schema', () => {
  const schemas: [string, unknown][] = [
    ['bounds', { type: 'integer', minimum: 3, exclusiveMaximum: 9 }],
    ['steps', { type: 'integer', minimum: 1, maximum: 100, multipleOf: 7 }],
    ['numbers', { type: 'number', exclusiveMinimum: 0, maximum: 1 }],
    ['patterns', { type: 'string', pattern: '^[a-z]{2,4}-\\d+$' }],
    ['formats', { type: 'string', format: 'date-time' }],
    ['choices', { oneOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }],
    ['several types', { type: ['string', 'null'], maxLength: 3 }],
    ['arrays', { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 3 }],
    ['unique arrays', { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 1 }],
    ['tuples', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }],
    [
      'objects',
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'], additionalProperties: false },
    ],
    [
      'references',
      { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } },
    ],
    [
      'all of',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'null' } } },
          { properties: { b: { type: 'boolean' } }, required: ['a', 'b'] },
        ],
      },
    ],
  ]
  test.each(schemas)('%s', (_name, schema) => {
    const validator = compileJsonSchema(schema)
    for (const value of fc.sample(arbitraryOf(fc, schema), { numRuns: 50, seed: 7 })) {
      expect(validator.validate(JSON.parse(JSON.stringify(value)))).toBeUndefined()
    }
  })
})
