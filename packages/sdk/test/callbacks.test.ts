/** Every function that an author gives only to be told of something: it may throw, now or later, and ends nothing. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import { createLogger } from '../src/serve/observe/log.ts'
import { resource, tool } from '../src/server/items/definition.ts'
import { createServer, endpointOf, type Server } from '../src/server/server.ts'
import { serveChannel } from '../src/session/connection.ts'
import { createMemoryChannels } from '../src/transport/memory.ts'

type Hook = () => never | Promise<never>

const KINDS: { kind: string; fail: Hook }[] = [
  {
    kind: 'throws',
    fail: () => {
      throw new Error('the collector is down')
    },
  },
  { kind: 'rejects', fail: () => Promise.reject(new Error('the collector is down')) },
]

interface Row {
  readonly what: string
  /** Gives the hook to a server or a client, and brings about what it is told of. */
  run(hook: Hook): Promise<unknown>
}

function define(options: Partial<Parameters<typeof createServer>[0]> = {}): Server {
  const server: Server = createServer({
    name: 'told',
    version: '1',
    onError: () => {},
    tools: {
      any: tool({}, (_, ctx) => {
        ctx.progress(1)
        ctx.log('error', 'said')
        return 'any'
      }),
      fail: tool({}, () => Promise.reject(new Error('broken'))),
    },
    resources: { one: resource({ uri: 'mem://one' }, () => 'text') },
    ...options,
  })
  return server
}

async function withClient(server: Server, use: (client: Client) => Promise<unknown>, versions?: '2025-11-25') {
  const client = await connect(server, { ...(versions && { versions }), roots: [] })
  await use(client)
  // Whatever was told has been told by now, and the client is as well as before.
  expect(await client.callTool('any')).toMatchObject({ content: [{ text: 'any' }] })
  await client.close()
}

const ROWS: Row[] = [
  { what: 'onError', run: (onError) => withClient(define({ onError }), (client) => client.callTool('fail')) },
  {
    what: 'server.on',
    run: (hook) => withClient(define().on('tools/call', hook), (client) => client.callTool('any')),
  },
  {
    what: 'server.onSubscribe',
    run: (hook) => withClient(define().onSubscribe(hook), (client) => client.subscribe('mem://one')),
  },
  {
    what: 'server.onUnsubscribe',
    run: (hook) =>
      withClient(define().onUnsubscribe(hook), async (client) => (await client.subscribe('mem://one')).close()),
  },
  {
    what: 'server.onRootsChanged',
    run: (hook) => withClient(define().onRootsChanged(hook), (client) => client.setRoots([]), '2025-11-25'),
  },
  {
    what: 'the write function of a logger',
    run: async (write) => createLogger({ write }).log('info', 'anything'),
  },
  {
    what: 'onProgress',
    run: (onProgress) => withClient(define(), (client) => client.callTool('any', {}, { onProgress })),
  },
  {
    what: 'client.on',
    run: async (hook) => {
      const server = define()
      await withClient(server, async (client) => {
        const heard = new Promise<void>((resolve) => client.on('change', () => resolve()))
        client.on('change', hook)
        await client.subscribe({ toolsListChanged: true })
        server.changed('tools')
        await heard
      })
    },
  },
  {
    what: 'the callback of subscribe',
    run: async (hook) => {
      const server = define()
      await withClient(server, async (client) => {
        const heard = new Promise<void>((resolve) => client.on('change', () => resolve()))
        await client.subscribe('mem://one', hook)
        server.changed('mem://one')
        await heard
      })
    },
  },
  {
    what: 'debug of a connection',
    run: async (debug) => {
      const [near, far] = createMemoryChannels()
      const connection = serveChannel(endpointOf(define()), far, { debug })
      near.open({ message: () => {}, malformed: () => {}, closed: () => {} })
      near.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }))
      await near.flush()
      await connection.close()
    },
  },
]

describe.each(KINDS)('sdk D6: a function that only hears of things and $kind ends nothing', ({ fail }) => {
  const unheard: unknown[] = []
  const listen = (reason: unknown) => void unheard.push(reason)
  beforeEach(() => {
    unheard.length = 0
    vi.spyOn(console, 'error').mockImplementation(() => {})
    process.on('unhandledRejection', listen).on('uncaughtException', listen)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    process.off('unhandledRejection', listen).off('uncaughtException', listen)
  })

  it.each(ROWS)('$what', async ({ run }) => {
    const hook = vi.fn(fail)
    await run(hook)
    expect(hook).toHaveBeenCalled()
    // Rejections that nobody hears of are told after the turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unheard).toEqual([])
  })
})
