/** Tools: listing, calling, every form of result and of failure (server/tools of each revision). */

import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../../src/jsonrpc/message.ts'
import { BLOCKS, ICONS } from '../fixture-content.ts'
import { type Bench, textOf } from '../run-matrix.ts'

export function toolSuite(bench: Bench): void {
  describe('tools/list', () => {
    it('is the same each time and in the order of definition', async () => {
      const first = (await bench.request('tools/list')).result.tools as JsonObject[]
      const again = (await bench.request('tools/list')).result.tools as JsonObject[]
      expect(again).toEqual(first)
      expect(first.slice(0, 4).map(({ name }) => name)).toEqual(['echo', 'add', 'numbers', 'annotated'])
    })

    it('leaves out what this caller may not see', async () => {
      const names = ((await bench.request('tools/list')).result.tools as JsonObject[]).map(({ name }) => name)
      expect(names).not.toContain('hidden')
      expect(names).not.toContain('scoped')
      expect(names).toEqual(expect.arrayContaining(['constructor', '__proto__']))
    })

    it.skipIf(!bench.hasUsers)('shows it to those who may', async () => {
      const alice = await bench.open({ user: 'alice', scopes: ['admin'] })
      const { result } = await alice.request('tools/list')
      const names = (result.tools as JsonObject[]).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['hidden', 'scoped']))
      expect(textOf((await alice.request('tools/call', { name: 'hidden' })).result)).toBe('for alice')
      expect(textOf((await alice.request('tools/call', { name: 'scoped' })).result)).toBe('for admins')
    })

    it('says of a tool what the revision has words for', async () => {
      const tool = await toolNamed(bench, 'annotated')
      expect(tool).toEqual({
        name: 'annotated',
        description: 'Has all a tool may have',
        inputSchema: { type: 'object' },
        ...(bench.atLeast('2025-03-26') && {
          annotations: {
            title: 'Hinted',
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
        }),
        ...(bench.atLeast('2025-06-18') && { title: 'Annotated', _meta: { 'com.example/x': 1 } }),
        ...(bench.atLeast('2025-11-25') && { icons: ICONS }),
      })
    })

    it('describes output that is no object as the result will show it', async () => {
      const { outputSchema } = await toolNamed(bench, 'numbers')
      if (!bench.atLeast('2025-06-18')) expect(outputSchema).toBeUndefined()
      else if (bench.modern) expect(outputSchema).toEqual({ type: 'array', items: { type: 'integer' } })
      else expect(outputSchema).toMatchObject({ type: 'object', required: ['result'] })
    })
  })

  describe('tools/call', () => {
    it.each([
      ['echo', { text: 'héllo ✓' }, 'héllo ✓'],
      ['constructor', {}, 'constructed'],
      ['__proto__', {}, 'proto'],
      ['late', undefined, 'thenable'],
      ['annotated', undefined, 'annotated'],
    ])('%s answers', async (name, args, text) => {
      const { result } = await bench.call(name, args)
      expect(result).toMatchObject({ content: [{ type: 'text', text }] })
      expect(result.isError).toBeUndefined()
    })

    it('gives structured content with the same as text', async () => {
      const { result } = await bench.call('add', { a: 2, b: 3 })
      expect(JSON.parse(textOf(result))).toEqual({ sum: 5 })
      expect(result.structuredContent).toEqual(bench.atLeast('2025-06-18') ? { sum: 5 } : undefined)
    })

    it('wraps structured content that is no object for revisions before 2026-07-28', async () => {
      const { result } = await bench.call('numbers')
      expect(textOf(result)).toBe('[1,2,3]')
      const wrapped = bench.atLeast('2025-06-18') ? { result: [1, 2, 3] } : undefined
      expect(result.structuredContent).toEqual(bench.modern ? [1, 2, 3] : wrapped)
    })

    it('passes on a full result, `_meta` included', async () => {
      const { result } = await bench.call('full')
      expect(textOf(result)).toBe('own words')
      expect(result._meta).toMatchObject({ 'com.example/t': 'x' })
      if (bench.modern) expect(result._meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { name: 'matrix' } })
    })

    it('gives content of every kind, in words where the revision lacks the kind', async () => {
      const { result } = await bench.call('everything')
      const content = result.content as JsonObject[]
      const kinds = ['text', 'image', 'audio', 'resource_link', 'resource', 'resource']
      if (!bench.atLeast('2025-06-18')) kinds[3] = 'text'
      if (!bench.atLeast('2025-03-26')) kinds[2] = 'text'
      expect(content.map(({ type }) => type)).toEqual(kinds)
      if (bench.atLeast('2025-11-25')) expect(content).toEqual(BLOCKS)
      if (kinds[3] === 'text') expect(content[3]?.text).toContain('file:///readme.txt')
      if (kinds[2] === 'text') expect(content[2]?.text).toContain('audio/wav')
    })

    it.each([
      ['nothing', []],
      ['object', [{ type: 'text', text: '{"free":["form"]}' }]],
    ])('%s needs no schema', async (name, content) => {
      expect((await bench.call(name)).result.content).toEqual(content)
    })
  })

  failureSuite(bench)
}

function failureSuite(bench: Bench): void {
  describe('tools/call that fails', () => {
    it.each([
      ['echo', {}, 'text', 'arguments.text'],
      ['echo', { text: '' }, 'text', 'arguments.text'],
      ['echo', { text: 7 }, 'text', 'arguments.text'],
      ['add', { a: 1 }, 'b', 'arguments.b'],
    ])('%s refuses arguments %j in the form of the revision', async (name, args, field, parameter) => {
      const { result, error } = await bench.call(name, args)
      if (bench.atLeast('2025-11-25')) {
        expect(error).toBeUndefined()
        expect(result.isError).toBe(true)
        expect(textOf(result)).toContain(field)
      } else {
        expect(error).toMatchObject({ code: -32602, data: { parameter } })
        expect(error?.data?.reason).toEqual(expect.stringContaining(field))
      }
    })

    it.each([
      ['no such tool', { name: 'nobody' }, 'name'],
      ['a hidden tool', { name: 'hidden' }, 'name'],
      ['a tool beyond the scopes', { name: 'scoped' }, 'name'],
      ['a name that every object has', { name: 'toString' }, 'name'],
      ['no name', {}, 'name'],
      ['a name that is no string', { name: 5 }, 'name'],
      ['arguments that are no object', { name: 'echo', arguments: ['x'] }, 'arguments'],
    ])('%s is -32602 and names the parameter', async (_, params, parameter) => {
      // Over modern HTTP a name that is missing in the header too is found by the header rules.
      const { error } = await bench.request('tools/call', params)
      expect(error).toMatchObject({ code: -32602, data: { parameter } })
    })

    it('a hidden tool and an unknown one are refused in the same words', async () => {
      const hidden = await bench.call('hidden')
      const unknown = await bench.call('hiddem')
      expect(hidden.error?.message.replace('hidden', '')).toBe(unknown.error?.message.replace('hiddem', ''))
    })

    it.each(['boom', 'async_boom', 'wrong_output', 'unserializable'])(
      '%s shows the model a reference, the operator the error',
      async (name) => {
        const { result, error } = await bench.call(name)
        expect(error).toBeUndefined()
        expect(result.isError).toBe(true)
        expect(JSON.stringify(result)).not.toMatch(/hunter|circular|not a number/i)
        expect(result.structuredContent).toBeUndefined()
        const { errors } = await bench.control('read')
        const [noted] = errors as JsonObject[]
        expect(noted?.where).toBe(`tool ${name}`)
        expect(textOf(result)).toContain(String(noted?.reference))
      },
    )

    it('a result that cannot be written is -32603 with a reference', async () => {
      const { error } = await bench.call('bigint_meta')
      expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/Reference: \S+/) })
      const { errors } = await bench.control('read')
      expect(error?.message).toContain(String((errors as JsonObject[])[0]?.reference))
    })

    it('a ToolError reaches the model in its own words and content', async () => {
      const { result } = await bench.call('tool_error')
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('The disk is full')
      expect((result.content as JsonObject[])[1]?.type).toBe(bench.atLeast('2025-03-26') ? 'audio' : 'text')
      expect((await bench.control('read')).errors).toEqual([])
    })
  })

  describe('keys that every object inherits (sec-25)', () => {
    const args = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"plain":1}'

    it.each(['keys', 'raw_keys'])('as argument names change nothing: %s', async (name) => {
      const { result } = await bench.call(name, JSON.parse(args))
      const seen = JSON.parse(textOf(result)) as { keys: string[]; clean: boolean }
      expect(seen.clean).toBe(true)
      expect(seen.keys).toEqual(expect.arrayContaining(['constructor', 'plain']))
    })

    it('as members of the message change nothing', async () => {
      const { result } = await bench.request(
        'tools/call',
        JSON.parse('{"name":"annotated","__proto__":{"name":"boom"}}'),
      )
      expect(isObject(result) && textOf(result)).toBe('annotated')
    })
  })
}

async function toolNamed(bench: Bench, name: string): Promise<JsonObject> {
  const { result } = await bench.request('tools/list')
  return (result.tools as JsonObject[]).find((tool) => tool.name === name) ?? {}
}
