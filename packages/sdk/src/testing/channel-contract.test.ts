/** Every channel of the SDK passes the one contract. Real sockets and processes, no stand-ins. */

import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Channel } from '../jsonrpc/channel.ts'
import { createByteStreamChannel } from '../transport/byte-stream.ts'
import { spawnChannel } from '../transport/child-process/child-process.ts'
import { createMemoryChannels } from '../transport/memory.ts'
import { channelContract } from './channel-contract.ts'

let folder = ''
const servers: Server[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channel-'))
})

afterAll(async () => {
  for (const server of servers) server.close()
  await rm(folder, { recursive: true })
})

const kinds: { name: string; makePair: () => Promise<[Channel, Channel]> }[] = [
  { name: 'memory', makePair: async () => createMemoryChannels() },
  { name: 'memory by reference', makePair: async () => createMemoryChannels({ byReference: true }) },
  { name: 'TCP', makePair: () => socketPair(() => ({ port: 0, host: '127.0.0.1' })) },
  { name: 'Unix socket', makePair: () => socketPair(() => ({ path: nextPath() })) },
  { name: 'child process', makePair: childPair },
]

describe.each(kinds)('$name', ({ makePair }) => {
  it.each(channelContract(makePair))('$name', ({ run }) => run())
})

let paths = 0
function nextPath(): string {
  return join(folder, `${paths++}.sock`)
}

async function listening(where: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer({ allowHalfOpen: true })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(where, resolve))
  return server
}

function accepted(server: Server): Promise<Socket> {
  return new Promise((resolve) => server.once('connection', resolve))
}

async function socketPair(
  toWhere: () => { port: number; host: string } | { path: string },
): Promise<[Channel, Channel]> {
  const server = await listening(toWhere())
  const address = server.address()
  const far = accepted(server)
  const near = typeof address === 'string' ? connect(address) : connect(address?.port ?? 0, '127.0.0.1')
  return [overSocket(near), overSocket(await far)]
}

/** A process that passes its standard streams on to a socket, whose other end is here. */
async function childPair(): Promise<[Channel, Channel]> {
  const path = nextPath()
  const far = accepted(await listening({ path }))
  const relay = `
    const socket = require('node:net').connect(process.argv[1])
    process.stdin.pipe(socket)
    socket.pipe(process.stdout)`
  const child = spawnChannel({ command: process.execPath, args: ['-e', relay, path] })
  return [child, overSocket(await far)]
}

function overSocket(socket: Socket): Channel {
  return createByteStreamChannel({ readable: socket, writable: socket, label: 'socket' })
}
