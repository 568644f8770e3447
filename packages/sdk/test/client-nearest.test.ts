/** Slips in a name: what the client says of them by itself, before servers that say nothing. */

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect, PROTOCOL_VERSIONS } from '../src/doors/client.ts'
import { createServer, prompt, RpcError, resource, tool } from '../src/doors/server.ts'

/** A server that says no more than that there is no such thing, as most do. */
function terse() {
  const lists: string[] = []
  const server = createServer({
    name: 'terse',
    version: '1',
    tools: { forecast: tool({}, () => 'sun'), search_notes: tool({}, () => 'none') },
    prompts: { review: prompt({ input: z.object({ language: z.string() }) }, () => 'x') },
    resources: { home: resource({ uri: 'wiki://pages/home' }, () => 'home') },
  })
  const refuse = (code: number) => () => {
    throw new RpcError(code, 'Not found')
  }
  server.use('tools/call', refuse(-32602)).use('prompts/get', refuse(-32602)).use('resources/read', refuse(-32002))
  for (const method of ['tools/list', 'prompts/list', 'resources/list']) server.on(method, () => lists.push(method))
  return { server, lists }
}

describe.each(PROTOCOL_VERSIONS)('%s', (versions) => {
  test('sdk 17: an error for an unknown name names the one that was listed and is near', async () => {
    const { server, lists } = terse()
    const client = await connect<unknown>(server, { versions })
    await Promise.all([client.listTools(), client.listPrompts(), client.listResources()])
    const asked = lists.length
    const found = { code: 'peer-error', data: undefined }
    await expect(client.callTool('forcast')).rejects.toMatchObject({
      ...found,
      message: 'Not found. Did you mean "forecast"?',
    })
    await expect(client.tools.searchNotes?.()).rejects.toThrow('Did you mean "search_notes"?')
    await expect(client.getPrompt('reveiw', { language: 'c' })).rejects.toThrow('Did you mean "review"?')
    await expect(client.readResource('wiki://pages/hom')).rejects.toThrow('Did you mean "wiki://pages/home"?')
    expect(lists.length).toBe(asked)
    await client.close()
  })

  test('sdk 17: nothing is added for what was listed, what is far, or while no list is known, and nothing is asked', async () => {
    const { server, lists } = terse()
    const client = await connect<unknown>(server, { versions })
    await expect(client.callTool('forcast')).rejects.toThrow(/^Not found$/)
    expect(lists).toEqual([])
    await client.listTools()
    await expect(client.callTool('forecast')).rejects.toThrow(/^Not found$/)
    await expect(client.callTool('delete_everything')).rejects.toThrow(/^Not found$/)
    await client.close()
  })
})

test('sdk 17: a caller whose request is relayed is told no names that were listed to the one who relays', async () => {
  const { server } = terse()
  const client = await connect<unknown>(server)
  await client.listTools()
  await expect(client.callTool('forcast', {}, { relay: {} })).rejects.toThrow(/^Not found$/)
  await client.close()
})

test('sdk 17: a server that reports an unknown tool as a failed one is helped too', async () => {
  const failing = createServer({ name: 'a', version: '1', tools: { forecast: tool({}, () => 'sun') } })
  failing.use('tools/call', () => ({ content: [{ type: 'text', text: 'Tool not found' }], isError: true }))
  const client = await connect<unknown>(failing)
  await client.listTools()
  await expect(client.tools.forcast?.()).rejects.toThrow('Tool not found. Did you mean "forecast"?')
  await client.close()
})

test.each([
  [{ header: {} }, 'There is no option "header". Did you mean "headers"?'],
  [{ timeOuts: {} }, 'There is no option "timeOuts". Did you mean "timeouts"?'],
  [{ limits: { maxPage: 1 } }, 'There is no limit "maxPage". Did you mean "maxPages"?'],
  [{ timeouts: { callMS: 1 } }, 'There is no timeout "callMS". Did you mean "callMs"?'],
])('sdk 17: a slip in an option is told: %j', async (options, message) => {
  const { server } = terse()
  await expect(connect(server, options as object)).rejects.toMatchObject({ code: 'invalid-arguments', message })
})

test('sdk 17: an option that is like none is for somebody else', async () => {
  const { server } = terse()
  const client = await connect(server, { somebodyElse: true } as object)
  await client.close()
})
