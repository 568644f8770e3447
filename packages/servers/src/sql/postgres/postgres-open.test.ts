import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createSqlServer } from '../server.ts'

const READY = Buffer.from('Z\0\0\0\x05I')
const WELCOME = Buffer.concat([Buffer.from('R\0\0\0\x08\0\0\0\0'), READY])
const FAULT = Buffer.from('SERROR\0C42501\0Mnot today\0\0')
const REFUSAL = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.from([FAULT.length + 4]), FAULT, READY])

it('a connection whose first question fails is ended, not left open', async () => {
  const listener = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(WELCOME)
      socket.on('data', (data) => {
        // Q is a question; X says goodbye.
        if (data[0] === 0x51) socket.write(REFUSAL)
      })
    })
    socket.once('close', () => listener.emit('ended'))
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const ended = once(listener, 'ended')
  const { port } = listener.address() as AddressInfo
  await expect(createSqlServer({ url: `postgres://u:p@127.0.0.1:${port}/d` })).rejects.toThrow('not today')
  await ended
  listener.close()
})
