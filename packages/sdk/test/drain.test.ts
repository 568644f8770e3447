/** A server that goes down ends its listens with a result and takes no new ones (2026-07-28, subscriptions). */

import { Agent, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { open, type Target, type Wire } from './wire.ts'

const ID = 'io.modelcontextprotocol/subscriptionId'

async function begin(transport: 'http' | 'fetch'): Promise<{ target: Target; drain: () => unknown; server: Server }> {
  const server = createServer({ name: 'drained', version: '1', tools: {} })
  if (transport === 'fetch') {
    const handler = serveFetch(server)
    return { target: { transport, handler }, drain: () => handler.close(), server }
  }
  const http = await serveHttp(server, { port: 0 })
  return { target: { transport, url: http.url }, drain: () => http.close(), server }
}

const isAcknowledged = ({ method }: { method?: unknown }) => method === 'notifications/subscriptions/acknowledged'
const listen = (wire: Wire, id: string) =>
  wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id }).outcome

describe.each(['http', 'fetch'] as const)('draining over %s', (transport) => {
  it('ends every listen with its result', async () => {
    const { target, drain } = await begin(transport)
    const wire = await open(target, '2026-07-28')
    const listens = [listen(wire, 'one'), listen(wire, 'two')]
    await expect.poll(() => wire.log.filter(isAcknowledged).length, { interval: 2, timeout: 10_000 }).toBe(2)
    const drained = drain()
    const ended = await Promise.all(listens)
    expect(ended.map(({ result }) => (result._meta as { [key: string]: unknown })[ID])).toEqual(['one', 'two'])
    for (const { result } of ended) expect(result.resultType).toBe('complete')
    await drained
    await wire.close()
  })

  it('keeps middleware around a listen until it ends', async () => {
    const { target, drain, server } = await begin(transport)
    const told: string[] = []
    server.use('subscriptions/listen' as 'tools/list', async (_request, next) => {
      told.push('began')
      const result = await next()
      told.push('ended')
      return result
    })
    const wire = await open(target, '2026-07-28')
    const outcome = listen(wire, 'one')
    await expect.poll(() => wire.log.filter(isAcknowledged).length, { interval: 2, timeout: 10_000 }).toBe(1)
    expect(told).toEqual(['began'])
    const drained = drain()
    expect((await outcome).result._meta).toMatchObject({ [ID]: 'one' })
    expect(told).toEqual(['began', 'ended'])
    await drained
    await wire.close()
  })
})

it('tells whoever still sends on a kept connection to go elsewhere, and ends that connection after its answer (reliability F20)', async () => {
  let begun = (): void => {}
  let finish = (): void => {}
  const running = new Promise<void>((resolve) => {
    begun = resolve
  })
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = tool({}, async () => {
    begun()
    await finished
    return 'done'
  })
  const http = await serveHttp(createServer({ name: 'drained', version: '1', tools: { slow } }), { port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await post(http.url, agent)).toMatchObject({ connection: 'keep-alive' })
  const wire = await open({ transport: 'http', url: http.url }, '2026-07-28')
  const { outcome } = wire.start('tools/call', { name: 'slow', arguments: {} }, { id: 'one' })
  await running
  const closed = http.close()
  expect(await post(http.url, agent)).toMatchObject({
    status: 503,
    connection: 'close',
    'retry-after': expect.any(String),
  })
  finish()
  expect((await outcome).result).toMatchObject({ content: [{ text: 'done' }] })
  await closed
  await wire.close()
  agent.destroy()
})

/** Sends something that is answered without a session, and gives the head of the answer. */
function post(url: string, agent: Agent): Promise<object> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode, ...response.headers }))
    })
    sent.once('error', reject)
    sent.end('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  })
}
