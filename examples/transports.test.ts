/** The examples of transports: the custom one against the published contract, and WebSocket beside HTTP as a process. */

import { Worker } from 'node:worker_threads'
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { channelContract } from '@portico/sdk/testing'
import { serveChannel } from '@portico/sdk/transport'
import { afterEach, describe, expect, it, test } from 'vitest'
import { createPortChannel } from './custom-transport.ts'
import { HttpExample } from './test/http-example.ts'

const ERAS = ['2025-11-25', '2026-07-28'] as const

describe('custom-transport', () => {
  const makePair = async () => {
    const { port1, port2 } = new MessageChannel()
    return [createPortChannel(port1), createPortChannel(port2)] as [
      ReturnType<typeof createPortChannel>,
      ReturnType<typeof createPortChannel>,
    ]
  }
  it.each(channelContract(makePair))('$name', ({ run }) => run())

  it.each(ERAS)('carries a server and a client of %s', async (versions) => {
    const tools = { hello: tool({}, (_, ctx) => `Hello from ${ctx.version}`) }
    const server = createServer({ name: 'ports', version: '1.0.0', tools })
    const { port1, port2 } = new MessageChannel()
    const connection = serveChannel(server, createPortChannel(port1))
    const client = await connect(createPortChannel(port2), { versions })
    const { content } = await client.callTool('hello', {})
    expect(content).toMatchObject([{ text: `Hello from ${versions}` }])
    await client.close()
    await connection.closed
  })

  it('notices when the thread at the other end dies', async () => {
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker('require("node:worker_threads").workerData.start()', {
      eval: true,
      workerData: port2,
      transferList: [port2],
    })
    const channel = createPortChannel(port1)
    const closed = new Promise<void>((resolve) => {
      channel.open({ message() {}, malformed() {}, closed: () => resolve() })
    })
    await worker.terminate()
    await closed
  })
})

let running: HttpExample | undefined
afterEach(() => {
  running?.child.kill()
  running = undefined
})

test('websocket: serves both eras beside HTTP on one port and ends on Ctrl-C', async () => {
  running = new HttpExample('websocket.ts', { PORT: '0' })
  const [, http = '', ws = ''] = await running.printed(/Serving on (\S+) and (\S+)/)
  for (const url of [http, ws]) {
    for (const versions of ERAS) {
      const client = await connect(url, { versions })
      const { content } = await client.callTool('count', {})
      expect(content).toMatchObject([{ text: `Counted to three for ${versions}` }])
      await client.close()
    }
  }
  expect(await running.stop()).toBe(0)
})
