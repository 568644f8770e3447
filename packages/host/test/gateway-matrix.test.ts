/** Every client revision to every server revision through the gateway, one feature at a time, in memory. */

import { type Client, connect, PROTOCOL_VERSIONS, type ProtocolVersion } from '@portico/sdk/client'
import { afterEach, describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../src/gateway/gateway.ts'
import { createFeatureServer, createLab, type Lab, waitingAt } from './gateway-lab.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Cell {
  readonly client: Client
  readonly lab: Lab
  readonly gateway: Gateway
  readonly server: ReturnType<typeof createFeatureServer>
  readonly asked: string[]
}

async function createCell(clientVersion: ProtocolVersion, serverVersion: ProtocolVersion): Promise<Cell> {
  const server = createFeatureServer([serverVersion])
  const lab = await createLab({ features: { target: server } })
  const gateway = createGateway(lab, { onError: () => {} })
  const asked: string[] = []
  const client = await connect(gateway.server, {
    versions: clientVersion,
    elicitation: {
      form: ({ message }) => {
        asked.push(message)
        return {
          action: 'accept',
          content: (message === 'Who?' ? { name: 'Ada' } : { age: 36 }) as { [name: string]: string | number },
        }
      },
      url: ({ url }) => {
        asked.push(url)
        return { action: 'accept' }
      },
    },
    sampling: {
      tools: true,
      handler: ({ tools }) => ({
        role: 'assistant',
        model: 'test',
        content: tools
          ? { type: 'tool_use', id: 't1', name: tools[0]?.name ?? '', input: {} }
          : { type: 'text', text: 'hello' },
        stopReason: tools ? 'toolUse' : 'endTurn',
      }),
    },
    roots: [{ uri: 'file:///work' }],
  })
  closers.push(
    () => lab.close(),
    () => gateway.close(0),
    () => client.close(),
  )
  return { client, lab, gateway, server, asked }
}

const at = (version: ProtocolVersion) => PROTOCOL_VERSIONS.indexOf(version)
const has = (version: ProtocolVersion, since: ProtocolVersion) => at(version) >= at(since)
const textOf = (result: { content: readonly { type: string }[] }) =>
  result.content
    .map((block) => (block.type === 'text' ? (block as unknown as { text: string }).text : block.type))
    .join()

const CELLS = PROTOCOL_VERSIONS.flatMap((client) => PROTOCOL_VERSIONS.map((server) => [client, server] as const))

describe.each(CELLS)('a %s client of a %s server', (clientVersion, serverVersion) => {
  const both = (since: ProtocolVersion) => has(clientVersion, since) && has(serverVersion, since)

  test('tools: list, call, `_meta`, structured output, errors', async () => {
    const { client } = await createCell(clientVersion, serverVersion)
    expect((await client.listTools()).map(({ name }) => name)).toContain('echo')
    const result = await client.callTool('echo', { text: 'hi' }, { meta: { 'example.com/tag': 'nonce' } })
    expect(textOf(result)).toBe('hi')
    expect(result._meta?.['example.com/seen']).toBe('nonce')
    const sum = await client.callTool('sum', { a: 1, b: 2 })
    if (both('2025-06-18')) expect(sum.structuredContent).toEqual({ sum: 3 })
    else expect(JSON.parse(textOf(sum))).toEqual({ sum: 3 })
    await expect(client.callTool('nothing')).rejects.toMatchObject({ rpcCode: -32602 })
    expect((await client.callTool('fail')).isError).toBe(true)
    const wrong = client.callTool('echo', { text: 1 })
    if (has(serverVersion, '2025-11-25')) expect((await wrong).isError).toBe(true)
    else await expect(wrong).rejects.toMatchObject({ rpcCode: -32602 })
  })

  test('elicitation by form, two rounds', async () => {
    const { client, asked } = await createCell(clientVersion, serverVersion)
    const call = client.callTool('ask')
    if (both('2025-06-18')) {
      expect(textOf(await call)).toBe('Ada is 36')
      expect(asked).toEqual(['Who?', 'How old?'])
    } else await expectRefused(call)
  })

  test('elicitation by URL', async () => {
    const { client, asked } = await createCell(clientVersion, serverVersion)
    const call = client.callTool('visit')
    if (both('2025-11-25')) {
      expect(textOf(await call)).toBe('visit: accept')
      expect(asked).toEqual(['https://example.com/visit'])
    } else await expectRefused(call)
  })

  test('sampling, with and without tools', async () => {
    const { client } = await createCell(clientVersion, serverVersion)
    expect(textOf(await client.callTool('sample'))).toBe('model said: hello')
    const call = client.callTool('sampleTools')
    if (both('2025-11-25')) expect(textOf(await call)).toBe('model wants: weather')
    else await expectRefused(call)
  })

  test('roots', async () => {
    const { client } = await createCell(clientVersion, serverVersion)
    expect(textOf(await client.callTool('roots'))).toBe('file:///work')
  })

  test('progress and cancellation', async () => {
    const { client, server } = await createCell(clientVersion, serverVersion)
    const seen: number[] = []
    await client.callTool('progress', {}, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2])
    const controller = new AbortController()
    const call = client.callTool('wait', {}, { signal: controller.signal })
    await expect.poll(() => waitingAt(server).length).toBe(1)
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => waitingAt(server)[0]?.aborted).toBe(true)
  })

  test('logging at the level that the client asked for', async () => {
    const { client } = await createCell(clientVersion, serverVersion)
    const seen: unknown[] = []
    client.on('log', ({ level, data, logger }) => seen.push([level, data, logger]))
    await client.setLogLevel('warning')
    await client.callTool('log')
    await expect.poll(() => seen).toEqual([['warning', 'look here', 'lab']])
  })

  test('resources, templates, subscriptions, prompts, completion', async () => {
    const { client, server, lab } = await createCell(clientVersion, serverVersion)
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['note://today'])
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['note://by/{name}'])
    expect((await client.readResource('note://today')).contents[0]).toMatchObject({ text: 'a note' })
    expect((await client.readResource('note://by/ada')).contents[0]).toMatchObject({ text: 'note of ada' })
    const missing = client.readResource('other://nothing')
    await expect(missing).rejects.toMatchObject({ rpcCode: clientVersion === '2026-07-28' ? -32602 : -32002 })
    const changes: unknown[] = []
    const subscription = await client.subscribe('note://today', (change) => changes.push(change))
    server.changed('note://today')
    await expect.poll(() => changes).toEqual([{ kind: 'resource', uri: 'note://today' }])
    await subscription.close()
    expect((await client.getPrompt('greet', { who: 'Ada' })).messages[0]?.content).toMatchObject({ text: 'Greet Ada' })
    const ref = { type: 'ref/prompt' as const, name: 'greet' }
    const { completion } = await client.complete({ ref, argument: { name: 'who', value: 'A' } })
    expect(completion.values).toEqual(['Alice'])
    await client.ping()
    const told = new Promise((resolve) => client.on('change', ({ kind }) => kind === 'tools' && resolve(kind)))
    await client.subscribe({ toolsListChanged: true })
    await lab.catalogue.load()
    expect(await told).toBe('tools')
  })
})

/** A feature that one side's revision lacks is refused in words, by an error or by a result that says so. */
async function expectRefused(
  call: Promise<{ isError?: boolean; content: readonly { type: string }[] }>,
): Promise<void> {
  const outcome = await call.then(
    (result) => ({ refused: result.isError === true, words: textOf(result) }),
    (error: Error) => ({ refused: true, words: error.message }),
  )
  expect(outcome.refused).toBe(true)
  expect(outcome.words).toMatch(/did not declare|does not offer|has no|no answer/)
}
