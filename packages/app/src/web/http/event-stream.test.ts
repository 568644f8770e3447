import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { ApiEvent } from '../api-types/api.ts'
import { EventStream } from './event-stream.ts'

let stream: EventStream
let server: Server
let socket: Socket
afterEach(() => {
  stream.close()
  socket.destroy()
  server.close()
})

/** A page on a real connection that reads only when told to. */
async function open(): Promise<Socket> {
  stream = new EventStream()
  server = createServer((_request, response) => stream.add(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'readable')
  return socket
}

const progress = (at: number): ApiEvent => ({ type: 'progress', run: 'r', progress: at })

async function readUntil(page: Socket, mark: string): Promise<string> {
  let text = ''
  for (;;) {
    const chunk = page.read() as Buffer | null
    if (chunk === null) {
      if (page.destroyed) return text
      await Promise.race([once(page, 'readable'), once(page, 'close')])
    } else text += chunk.toString()
    if (text.includes(mark)) return text
  }
}

it('lets only the latest of what is passing through, and all of what must be known', async () => {
  const page = await open()
  for (let at = 1; at <= 10_000; at++) stream.send(progress(at))
  stream.send({ type: 'question-gone', id: 'a' })
  stream.send({ type: 'question-gone', id: 'b' })
  const text = await readUntil(page, '"id":"b"')
  expect(text.match(/"type":"progress"/g)).toHaveLength(1)
  expect(text).toContain('"progress":10000')
  expect(text).toContain('"id":"a"')
})

it('drops lines of logs when too many wait, and nothing else', async () => {
  const page = await open()
  for (let at = 0; at < 5_000; at++) stream.send({ type: 'log', server: 's', level: 'info', text: `line ${at}` })
  for (let at = 0; at < 50; at++) stream.send({ type: 'question-gone', id: `q${at}` })
  const text = await readUntil(page, '"id":"q49"')
  expect(text.match(/"type":"log"/g)?.length).toBe(2_000)
  expect(text.match(/"type":"question-gone"/g)).toHaveLength(50)
})

it('lets go of a page that does not read, rather than to keep everything for it', async () => {
  const page = await open()
  page.pause()
  const big = 'x'.repeat(1024 * 1024)
  for (let at = 0; stream.size > 0 && at < 200; at++) {
    stream.send({ type: 'server-removed', server: `${at}${big}` })
    await new Promise((resolve) => setTimeout(resolve, 35))
  }
  expect(stream.size).toBe(0)
})
