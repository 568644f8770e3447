/** What every client must get from tools: lists, every kind of content, structured output, and errors of each sort. */

import assert from 'node:assert/strict'
import { codeOf, jsonOf, textOf } from '../client-under-test.ts'
import { type Check, spokenIn } from '../server-under-test.ts'

const hasStructure: NonNullable<Check['when']> = ({ version }) => version >= '2025-06-18'

export const toolChecks: Check[] = [
  {
    name: 'tools/list gives names, schemas, annotations and titles of the revision',
    async run(pair) {
      const { client } = pair
      const version = spokenIn(pair)
      const tools = await client.list('tools')
      const echo = tools.find((tool) => tool.name === 'echo')
      assert.ok(echo !== undefined, 'echo is listed')
      assert.deepEqual((echo.inputSchema as { required: unknown }).required, ['text'])
      const hint = (echo.annotations as { readOnlyHint?: boolean } | undefined)?.readOnlyHint
      assert.equal(hint, version >= '2025-03-26' ? true : undefined)
      assert.equal(echo.title, version >= '2025-06-18' ? 'Echo' : undefined)
      const add = tools.find((tool) => tool.name === 'add')
      assert.equal(add?.outputSchema !== undefined, version >= '2025-06-18')
    },
  },
  {
    name: 'icons are listed where the revision has them',
    when: ({ server }) => server.maker === 'ours',
    async run({ client, version }) {
      const echo = (await client.list('tools')).find((tool) => tool.name === 'echo')
      assert.equal(echo?.icons !== undefined, version >= '2025-11-25')
    },
  },
  {
    name: 'tools/call returns text as it was, in any script',
    async run({ client }) {
      for (const text of ['plain', '', 'two\nlines \u2028 "quoted" \\', 'żółć 漢字 🙂']) {
        assert.equal(textOf(await client.callTool('echo', { text })), text)
      }
    },
  },
  {
    name: 'structured output arrives and passes the schema',
    async run(pair) {
      const { client } = pair
      await client.list('tools')
      const result = await client.callTool('add', { a: 2, b: 40 })
      assert.deepEqual(jsonOf(result), { sum: 42 })
      assert.deepEqual(result.structuredContent, spokenIn(pair) >= '2025-06-18' ? { sum: 42 } : undefined)
    },
  },
  {
    name: 'a deep structure with nulls and optional members passes the schema',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      const value = jsonOf<{ days: unknown[] }>(await client.callTool('report'))
      assert.equal(value.days.length, 2)
    },
  },
  {
    name: 'structured output that is no object is wrapped where the revision needs it',
    when: (pair) => pair.server.maker === 'ours' && hasStructure(pair),
    async run({ client, modern }) {
      const { structuredContent } = await client.callTool('numbers', { count: 3 })
      assert.deepEqual(structuredContent, modern ? [0, 1, 2] : { result: [0, 1, 2] })
    },
  },
  {
    name: 'every kind of content arrives, as the nearest thing that the revision has',
    async run(pair) {
      const { content } = await pair.client.callTool('kinds')
      const version = spokenIn(pair)
      const audio = version >= '2025-03-26' ? 'audio' : 'text'
      const link = version >= '2025-06-18' ? 'resource_link' : 'text'
      assert.deepEqual(
        content.map((block) => block.type),
        ['text', 'image', audio, link, 'resource', 'resource'],
      )
      if (link === 'text') assert.match(String(content[3]?.text), /note:\/\/welcome/)
      assert.equal(content[1]?.mimeType, 'image/png')
      assert.match(String(content[1]?.data), /^iVBOR/)
      const embedded = content.slice(4).map(({ resource }) => resource as { text?: string; blob?: string })
      assert.equal(embedded[0]?.text, 'embedded words')
      assert.match(String(embedded[1]?.blob), /^iVBOR/)
    },
  },
  {
    name: 'a failure reported by the tool is a result with isError',
    async run({ client }) {
      const result = await client.callTool('refuse')
      assert.equal(result.isError, true)
      assert.match(textOf(result), /The door is closed/)
    },
  },
  {
    name: 'an unexpected exception says nothing of itself to the client',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      const result = await client.callTool('crash')
      assert.equal(result.isError, true)
      assert.doesNotMatch(JSON.stringify(result), /hunter2/)
    },
  },
  {
    name: 'a tool that breaks its own output schema is an error, not a wrong result',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      const result = await client.callTool('broken')
      assert.equal(result.isError, true)
      assert.equal(result.structuredContent, undefined)
    },
  },
  {
    name: 'wrong arguments are refused in the form of the revision, with the parameter named',
    async run({ client, version, server }) {
      const call = client.callTool('add', { a: 'two', b: 1 })
      if (server.maker === 'ours' && version < '2025-11-25') {
        await assert.rejects(call, (error) => codeOf(error) === -32602 && /\ba\b/.test(String(error)))
      } else {
        const result = await call
        assert.equal(result.isError, true)
        assert.match(textOf(result), /\ba\b/)
      }
    },
  },
  {
    name: 'an unknown tool is refused',
    async run({ client, server }) {
      const call = client.callTool('no_such_tool')
      if (server.maker === 'sdk-1') assert.equal((await call).isError, true)
      else await assert.rejects(call, (error) => codeOf(error) === -32602)
    },
  },
  {
    name: 'a tool of a mounted server is called under its prefix',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      assert.equal(textOf(await client.callTool('cellar_knock')), 'who is there')
    },
  },
  {
    name: 'a long answer arrives whole',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      assert.equal(textOf(await client.callTool('large', { length: 300_000 })).length, 300_000)
    },
  },
  {
    name: 'many calls at once are each answered with their own',
    async run({ client }) {
      const calls = Array.from({ length: 25 }, (_, at) => client.callTool('echo', { text: `call ${at}` }))
      const texts = (await Promise.all(calls)).map(textOf)
      assert.deepEqual(
        texts,
        calls.map((_, at) => `call ${at}`),
      )
    },
  },
]
