/**
 * The limit of a gateway on HTTP: what Node itself needs to take a call and pass it on. `node:http` on both sides, one
 * parse and one stringify per message, an id of its own, no check of anything.
 */

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startHttp } from '../clients/target.ts'
import { announce } from '../control.ts'

interface Message {
  id?: number | string
  readonly params?: { name?: string }
}

const { hostname, port, pathname } = new URL(await startHttp())
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
let lastId = 0

function pass(req: IncomingMessage, res: ServerResponse): void {
  read(req, (message) => {
    const { id } = message
    if (id !== undefined) message.id = ++lastId
    const text = JSON.stringify(message)
    const { connection, host: _, ...headers } = req.headers
    const options = { host: hostname, port, path: pathname, method: 'POST', agent }
    const onward = request(
      { ...options, headers: { ...headers, 'content-length': Buffer.byteLength(text) } },
      (answer) => {
        if (id === undefined) {
          answer.resume()
          res.writeHead(answer.statusCode ?? 202).end()
        } else read(answer, (result) => reply(res, answer, { ...result, id }))
      },
    )
    onward.end(text)
  })
}

function reply(res: ServerResponse, { headers }: IncomingMessage, message: Message): void {
  const text = JSON.stringify(message)
  const session = headers['mcp-session-id']
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  res.writeHead(200, session === undefined ? own : { ...own, 'mcp-session-id': session }).end(text)
}

function read(from: IncomingMessage, done: (message: Message) => void): void {
  const chunks: Buffer[] = []
  from.on('data', (chunk: Buffer) => chunks.push(chunk))
  from.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())))
}

const server = createServer(pass)
server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port))
