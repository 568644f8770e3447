/** What authors write, and what they are told when it is not quite right. */

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { connect } from '../src/connect/connect.ts'
import { audio, embed, image, link, text } from '../src/protocol/content.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { compileJsonSchema } from '../src/schema/json-schema/json-schema.ts'
import { defineSchema } from '../src/schema/schema.ts'
import { ToolError } from '../src/server/features/tool-result.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer, endpointOf } from '../src/server/server.ts'

const base = { name: 's', version: '1' }
/** What somebody without types, or with another library's habits, may write. */
const loose = (definition: unknown) => () => createServer({ ...base, ...(definition as object) })

describe('a definition that is not quite right says what to write (sdk D20, D21, D22)', () => {
  const handler = () => 'x'
  it.each([
    ['a bare function', { tools: { a: handler } }, 'Tool "a": wrap it in tool(options, handler)'],
    ['a record with a handler', { tools: { a: { description: 'A', handler } } }, 'wrap it in tool(options, handler)'],
    ['nothing', { tools: { a: undefined } }, 'wrap it in tool(options, handler)'],
    ['no handler', { tools: { a: (tool as unknown as (o: object) => unknown)({}) } }, 'needs a handler'],
    ['inputSchema', { tools: { a: tool({ inputSchema: {} } as object, handler) } }, '"inputSchema" is "input" here'],
    ['parameters', { tools: { a: tool({ parameters: {} } as object, handler) } }, '"parameters" is "input" here'],
    ['a raw shape', { tools: { a: tool({ input: { b: z.string() } }, handler) } }, 'wrap it in z.object({...})'],
    ['a bare resource', { resources: { a: { uri: 'x://a' } } }, 'wrap it in resource(options, handler)'],
    ['no resource', { resources: { a: undefined } }, 'wrap it in resource(options, handler)'],
    [
      'two resources under one URI',
      { resources: { a: resource({ uri: 'x://a' }, handler), b: resource({ uri: 'x://a' }, handler) } },
      'Resource "b": there is one with the URI "x://a" already',
    ],
    [
      'two equal templates',
      { resources: { a: resource({ uri: 'x://{a}' }, handler), b: resource({ uri: 'x://{a}' }, handler) } },
      'there is one with the URI "x://{a}" already',
    ],
    [
      'a date deep inside',
      { tools: { a: tool({ input: z.object({ rows: z.array(z.object({ at: z.date() })) }) }, handler) } },
      'at "rows.[].at"',
    ],
  ])('%s', (_, definition, words) => {
    expect(loose(definition)).toThrow(words)
  })

  it('a schema that cannot describe itself is named its remedy, and the remedy works', () => {
    const plain = { '~standard': { version: 1 as const, vendor: 'zod', validate: (value: unknown) => ({ value }) } }
    const remedy = { input: "z.toJSONSchema(schema, { io: 'input' }) }", output: 'z.toJSONSchema(schema) }' }
    for (const io of ['input', 'output'] as const) expect(() => defineSchema(plain, { io })).toThrow(remedy[io])
    const schema = mini.object({ a: mini._default(mini.string(), 'x') })
    expect(() => defineSchema(schema)).toThrow(remedy.input)
    const json = z.toJSONSchema(schema, { io: 'input' }) as { [key: string]: unknown }
    const pair = defineSchema({ schema, json })
    expect(pair.json).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } })
    // What has a default need not be given.
    expect(pair.json).not.toHaveProperty('required')
    expect(pair.validate({})).toEqual({ ok: true, value: { a: 'x' } })
  })
})

describe('a union at the root of `input` (sdk D14)', () => {
  const cat = z.object({ kind: z.literal('cat'), lives: z.number() })
  const dog = z.object({ kind: z.literal('dog'), name: z.string() })
  const json = {
    anyOf: [
      { type: 'object', required: ['lives'] },
      { type: 'object', required: ['name'] },
    ],
  }
  const schemas = { discriminated: z.discriminatedUnion('kind', [cat, dog]), union: z.union([cat, dog]), json }

  it.each(PROTOCOL_VERSIONS)('is listed as an object and checked, on %s', async (versions) => {
    const tools = Object.fromEntries(
      Object.entries(schemas).map(([name, input]) => [name, tool({ input }, (pet) => JSON.stringify(pet))]),
    )
    const client = await connect(createServer({ ...base, tools }), { versions })
    for (const listed of await client.listTools()) {
      const { inputSchema } = listed
      expect(inputSchema.type).toBe('object')
      expect(inputSchema.oneOf ?? inputSchema.anyOf).toHaveLength(2)
      const good = await client.callTool(listed.name, { kind: 'cat', lives: 9 })
      expect(good.content).toEqual([{ type: 'text', text: '{"kind":"cat","lives":9}' }])
      const bad = await client.callTool(listed.name, { kind: 'bird' }).catch(() => ({ isError: true }))
      expect(bad.isError).toBe(true)
    }
    await client.close()
  })

  it.each([{ type: 'string' }, { anyOf: [{ type: 'object' }, { type: 'string' }] }, { anyOf: [] }, { minimum: 1 }])(
    'but not %j',
    (input) => {
      expect(loose({ tools: { a: tool({ input }, () => '') } })).toThrow('input must describe an object')
    },
  )
})

it.each([
  [4503599627370497, 2, false],
  [9007199254740991, 10, false],
  [2 ** 53, 3, false],
  [2 ** 53, 2, true],
  [-9, 3, true],
  [0.3, 0.1, true],
  [1.15, 0.01, true],
  [19.99, 0.01, true],
  [0.35, 0.1, false],
  [1e300, 1e-5, true],
  [1e-7, 1e-8, true],
  [12391239123, 1e-8, true],
  [1.0000000000000002, 1, false],
  [4.35, 0.05, true],
])('%d is a multiple of %d: %s (sdk D16)', (value, multipleOf, expected) => {
  expect(compileJsonSchema({ multipleOf }).validate(value) === undefined).toBe(expected)
})

describe('a result that JSON would lose is the operator’s to hear of (sdk D24)', () => {
  it.each([
    ['an Error', new Error('x'), 'an Error; throw it instead'],
    ['a generator', (function* () {})(), 'a generator'],
    ['a Map', new Map([[1, 2]]), 'Object.fromEntries'],
    ['a Set', new Set([1]), '[...set]'],
    ['bytes', new Uint8Array(1), 'bytes'],
    ['an instance with nothing to show', new URLSearchParams('a=1'), 'URLSearchParams'],
    ['an unknown block of media', [{ type: 'img', data: 'AA==', mimeType: 'image/png' }], 'Block 0'],
    [
      'a block that lacks its member',
      [
        { type: 'text', text: 'a' },
        { type: 'image', url: 'x' },
      ],
      'Block 1',
    ],
  ])('%s', async (_, value, words) => {
    const told: string[] = []
    const onError = (error: unknown) => void told.push(String(error))
    const client = await connect(createServer({ ...base, onError, tools: { t: tool({}, () => value) } }))
    expect(await client.callTool('t')).toMatchObject({ isError: true })
    expect(told.join()).toContain(words)
    await client.close()
  })

  it.each([
    ['dates', { at: new Date(0) }],
    ['rows of a class', Object.assign(new (class Row {})(), { id: 1 })],
    ['data with a type', [{ type: 'car', seats: 4 }, { type: 'text' }]],
    ['no prototype', Object.assign(Object.create(null), { a: 1 })],
  ])('but not %s', async (_, value) => {
    const client = await connect(createServer({ ...base, tools: { t: tool({}, () => value) } }))
    const { content, isError } = await client.callTool('t')
    expect(isError).toBeUndefined()
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(value) }])
    await client.close()
  })
})

it('a ToolError says its message beside its content, once (sdk D27)', () => {
  const block = { type: 'text' as const, text: 'b' }
  expect(new ToolError('a', { content: [block] }).content).toEqual([{ type: 'text', text: 'a' }, block])
  expect(new ToolError('b', { content: [block] }).content).toEqual([block])
})

it('a plain JSON Schema fills in its defaults, and leaves what was sent as it is (founding 13)', () => {
  const nested = { type: 'object', properties: { size: { type: 'string', default: 'M' } } }
  const schema = defineSchema(
    {
      type: 'object',
      properties: { limit: { type: 'integer', default: 10 }, box: { ...nested, default: {} }, rows: { items: nested } },
    },
    { io: 'input' },
  )
  const sent = Object.freeze({ rows: [{}, { size: 'L' }] })
  expect(schema.validate(sent)).toEqual({
    ok: true,
    value: { limit: 10, box: { size: 'M' }, rows: [{ size: 'M' }, { size: 'L' }] },
  })
  expect(schema.validate({ limit: null })).toMatchObject({ ok: false })
  expect(defineSchema({ properties: { a: { default: 1 } } }).validate({})).toEqual({ ok: true, value: {} })
})

describe('another copy of the package (sdk D17)', () => {
  /** The same module once more, as a second installation would load it. */
  const other = async () => ({
    errors: (await import(
      '../src/server/features/tool-result.ts?copy' as string
    )) as typeof import('../src/server/features/tool-result.ts'),
    server: (await import('../src/server/server.ts?copy' as string)) as typeof import('../src/server/server.ts'),
  })

  it('throws errors that count as one’s own', async () => {
    const { errors } = await other()
    expect(errors.ToolError).not.toBe(ToolError)
    const theirs = new errors.ToolError('no')
    expect(theirs).toBeInstanceOf(ToolError)
    expect(new Error('no')).not.toBeInstanceOf(ToolError)
    class Own extends ToolError {}
    expect(theirs).not.toBeInstanceOf(Own)
    expect(new Own('x')).toBeInstanceOf(ToolError)
    const t = tool({}, () => {
      throw theirs
    })
    const client = await connect(createServer({ ...base, tools: { t } }))
    expect(await client.callTool('t')).toMatchObject({ content: [{ type: 'text', text: 'no' }], isError: true })
    await client.close()
  })

  it('makes servers that can be served here; what is no server is told so', async () => {
    const theirs = (await other()).server.createServer(base)
    expect(endpointOf(theirs as never).versions).toEqual(PROTOCOL_VERSIONS)
    for (const wrong of [undefined, {}, 'x']) {
      expect(() => endpointOf(wrong as never)).toThrow('Only what createServer() made can be served')
    }
  })
})

describe('conveniences', () => {
  it('blocks are made of bytes or base64', () => {
    const bytes = new Uint8Array([1, 2, 3])
    expect([image(bytes, 'image/png'), audio('AQID', 'audio/wav')]).toEqual([
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
    ])
    expect(link('x://a', 'A', { size: 3 })).toEqual({ type: 'resource_link', uri: 'x://a', name: 'A', size: 3 })
    expect(embed('x://a', 'text')).toEqual({ type: 'resource', resource: { uri: 'x://a', text: 'text' } })
    expect(embed('x://a', bytes, 'a/b').resource).toEqual({ uri: 'x://a', mimeType: 'a/b', blob: 'AQID' })
  })

  it.each(PROTOCOL_VERSIONS)('a tool with `output` may return content beside it, checked, on %s', async (versions) => {
    const output = z.object({ celsius: z.number() })
    const server = createServer({
      ...base,
      onError: () => {},
      tools: {
        both: tool({ output }, () => ({ content: [text('warm')], structuredContent: { celsius: 21 } })),
        wrong: tool({ output }, () => ({ content: [text('x')], structuredContent: { celsius: 'x' } }) as never),
      },
    })
    const client = await connect(server, { versions })
    expect((await client.callTool('both')).content).toEqual([{ type: 'text', text: 'warm' }])
    expect((await client.callTool('wrong')).isError).toBe(true)
    await client.close()
  })

  it('a handler of resources knows the URI that was asked for; others have none', async () => {
    const server = createServer({
      ...base,
      tools: { t: tool({}, (_, ctx) => String(ctx.uri)) },
      resources: { r: resource({ uri: 'x://{+path}{?q}' }, (_, ctx) => String(ctx.uri)) },
    })
    const client = await connect(server)
    expect(JSON.stringify(await client.readResource('x://a/b?q=%C3%BC'))).toContain('"text":"x://a/b?q=%C3%BC"')
    expect(JSON.stringify(await client.callTool('t'))).toContain('undefined')
    await client.close()
  })

  it('an unknown name is answered with the one that was meant, if the caller may see it', async () => {
    const server = createServer({
      ...base,
      tools: { get_forecast: tool({}, () => ''), secret_tool: tool({ visible: () => false }, () => '') },
      prompts: { greet: prompt({}, () => '') },
    })
    const client = await connect(server)
    for (const name of ['getForecast', 'get_forcast', 'get-forecast']) {
      await expect(client.callTool(name)).rejects.toThrow(`Unknown tool: ${name}. Did you mean "get_forecast"?`)
    }
    for (const name of ['secret_tol', 'other', 'x'.repeat(5000)]) {
      await expect(client.callTool(name)).rejects.toThrow(/^Unknown tool: [^ ]+$/)
    }
    await expect(client.getPrompt('gret')).rejects.toThrow('Did you mean "greet"?')
    await client.close()
  })
})
