/** Resources, templates and prompts: lists, contents, errors (server/resources and server/prompts of each revision). */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import { BLOCKS, ICONS, PIXEL } from '../fixture-content.ts'
import type { Bench } from '../run-matrix.ts'

export function resourceSuite(bench: Bench): void {
  describe('resources/list', () => {
    it('shows resources, and those that a template lists, without what is hidden', async () => {
      const { result } = await bench.request('resources/list')
      const uris = (result.resources as JsonObject[]).map(({ uri }) => uri)
      expect(uris).toContain('file:///readme.txt')
      expect(uris.at(-1)).toBe('users://alice/home')
      expect(uris).not.toContain('data://secret')
    })

    it('says of a resource what the revision has words for', async () => {
      const { result } = await bench.request('resources/list')
      const readme = (result.resources as JsonObject[]).find(({ name }) => name === 'readme')
      expect(readme).toEqual({
        uri: 'file:///readme.txt',
        name: 'readme',
        description: 'A text',
        mimeType: 'text/plain',
        size: 5,
        annotations: {
          audience: ['user'],
          priority: 1,
          ...(bench.atLeast('2025-06-18') && { lastModified: '2026-01-01T00:00:00Z' }),
        },
        ...(bench.atLeast('2025-06-18') && { title: 'Read me', _meta: { 'com.example/x': 1 } }),
        ...(bench.atLeast('2025-11-25') && { icons: ICONS }),
      })
    })

    it('lists templates apart, without those beyond the scopes', async () => {
      const { result } = await bench.request('resources/templates/list')
      expect((result.resourceTemplates as JsonObject[]).map(({ uriTemplate }) => uriTemplate)).toEqual([
        'users://{id}/{+path}',
        'search://{kind}{?q,lang}',
      ])
    })
  })

  describe('resources/read', () => {
    it.each([
      ['text', 'file:///readme.txt', [{ uri: 'file:///readme.txt', mimeType: 'text/plain', text: 'Hello' }]],
      ['bytes', 'file:///pixel.png', [{ uri: 'file:///pixel.png', mimeType: 'image/png', blob: PIXEL }]],
      ['an object', 'data://json', [{ uri: 'data://json', mimeType: 'application/json', text: '{"deep":[1,2]}' }]],
    ])('gives %s', async (_, uri, contents) => {
      expect((await bench.request('resources/read', { uri })).result.contents).toEqual(contents)
    })

    it('gives several contents with addresses of their own', async () => {
      const { result } = await bench.request('resources/read', { uri: 'data://several' })
      expect(result.contents).toMatchObject([
        { uri: 'data://several/1', text: 'one' },
        { uri: 'data://several/2', blob: PIXEL },
      ])
    })

    it.each([
      ['users://alice/home', { id: 'alice', path: 'home' }],
      ['users://a%20b%2Fc/x/y%20z', { id: 'a b/c', path: 'x/y z' }],
      ['users://%C3%A9/%E2%9C%93', { id: 'é', path: '✓' }],
      ['search://books', { kind: 'books', q: null, lang: null }],
      ['search://books?q=1%262&lang=de', { kind: 'books', q: '1&2', lang: 'de' }],
      ['search://books?lang=de', { kind: 'books', q: null, lang: 'de' }],
    ])('reads the variables of a template from %s, decoded', async (uri, variables) => {
      const { result } = await bench.request('resources/read', { uri })
      const [contents] = result.contents as JsonObject[]
      expect(contents).toMatchObject({ uri, mimeType: 'application/json' })
      expect(JSON.parse(String(contents?.text))).toEqual(variables)
    })

    it.each(['file:///nothing', 'data://gone', 'data://secret', 'vault://x', 'users://', 'not a uri', '__proto__'])(
      '%s is not found, with the code of the revision',
      async (uri) => {
        const { error } = await bench.request('resources/read', { uri })
        expect(error).toMatchObject({ code: bench.modern ? -32602 : -32002, data: { uri } })
      },
    )

    it('needs a uri', async () => {
      expect((await bench.request('resources/read', {})).error).toMatchObject({
        code: -32602,
        data: { parameter: 'uri' },
      })
    })

    it('conceals what went wrong inside', async () => {
      const { error } = await bench.request('resources/read', { uri: 'data://broken' })
      expect(error?.code).toBe(-32603)
      expect(error?.message).not.toContain('hunter')
      const { errors } = await bench.control('read')
      expect(errors).toMatchObject([{ message: 'secret: hunter4' }])
      expect(error?.message).toContain(String((errors as JsonObject[])[0]?.reference))
    })

    it.skipIf(!bench.hasUsers)('opens to those who may see', async () => {
      const alice = await bench.open({ user: 'alice', scopes: ['admin'] })
      expect((await alice.request('resources/read', { uri: 'data://secret' })).result.contents).toMatchObject([
        { text: 'for alice' },
      ])
      expect((await alice.request('resources/read', { uri: 'vault://x' })).result.contents).toMatchObject([
        { text: 'vault x false' },
      ])
    })
  })

  promptSuite(bench)
}

function promptSuite(bench: Bench): void {
  describe('prompts', () => {
    it('are listed with their arguments', async () => {
      const { result } = await bench.request('prompts/list')
      const prompts = result.prompts as JsonObject[]
      expect(prompts.map(({ name }) => name)).toEqual(['greet', 'by_hand', 'everything', 'whole', 'failing', 'ask'])
      const titled = bench.atLeast('2025-06-18')
      expect(prompts[0]).toMatchObject({
        arguments: [
          { name: 'name', description: 'Whom', required: true, ...(titled && { title: 'Name' }) },
          { name: 'tone' },
        ],
        ...(titled && { title: 'Greeting' }),
        ...(bench.atLeast('2025-11-25') && { icons: ICONS }),
      })
      expect(prompts[1]?.arguments).toEqual([{ name: 'topic', required: true }, { name: 'extra' }])
    })

    it.each([
      ['greet', { name: 'Ada' }, 'user', 'Hello Ada'],
      ['greet', { name: 'Ada', tone: 'warm' }, 'user', 'Hello Ada, warm'],
      ['by_hand', { topic: 'x' }, 'assistant', 'On x'],
      ['whole', {}, 'user', 'x'],
    ])('%s with %j gives its messages', async (name, args, role, text) => {
      const { result } = await bench.request('prompts/get', { name, arguments: args })
      expect(result.messages).toEqual([{ role, content: { type: 'text', text } }])
      if (name === 'greet') expect(result.description).toBe('Greets')
    })

    it('hold content of every kind, in words where the revision lacks it', async () => {
      const { result } = await bench.request('prompts/get', { name: 'everything' })
      const contents = (result.messages as JsonObject[]).map(({ content }) => content as JsonObject)
      expect(contents).toHaveLength(BLOCKS.length)
      if (bench.atLeast('2025-11-25')) expect(contents).toEqual(BLOCKS)
      expect(contents[2]?.type).toBe(bench.atLeast('2025-03-26') ? 'audio' : 'text')
      expect(contents[3]?.type).toBe(bench.atLeast('2025-06-18') ? 'resource_link' : 'text')
    })

    it.each([
      ['no such prompt', { name: 'nobody' }, 'name'],
      ['a hidden prompt', { name: 'hidden' }, 'name'],
      ['a missing argument by schema', { name: 'greet' }, 'arguments.name'],
      ['an argument that is too short', { name: 'greet', arguments: { name: 'x' } }, 'arguments.name'],
      ['a missing argument by hand', { name: 'by_hand', arguments: { extra: 'y' } }, 'arguments.topic'],
      ['an argument that is no string', { name: 'by_hand', arguments: { topic: 5 } }, 'arguments.topic'],
      ['arguments that are no object', { name: 'greet', arguments: [] }, 'arguments'],
      ['an argument every object has', { name: 'by_hand', arguments: {} }, 'arguments.topic'],
    ])('%s is -32602 and names the parameter', async (_, params, parameter) => {
      expect((await bench.request('prompts/get', params)).error).toMatchObject({ code: -32602, data: { parameter } })
    })

    it('reportPrivately what went wrong inside', async () => {
      const { error } = await bench.request('prompts/get', { name: 'failing' })
      expect(error?.code).toBe(-32603)
      expect(error?.message).not.toContain('hunter')
      expect((await bench.control('read')).errors).toMatchObject([{ message: 'secret: hunter5' }])
    })
  })
}
