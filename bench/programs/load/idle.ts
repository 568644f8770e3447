/** Clients that only listen: open event streams, as many as asked for, read and otherwise left alone. */

import { connect, type Socket } from 'node:net'
import { ACCEPT, openSession } from './http.ts'
import { type Era, MODERN_VERSION } from './messages.ts'

/** Opens the streams and returns what closes them. */
export async function openStreams(port: number, era: Era, count: number): Promise<() => Promise<void>> {
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += 50) {
    const some = Array.from({ length: Math.min(50, count - opened) }, async () => {
      sockets.push(await openStream(port, era === 'modern' ? listenRequest(port) : await getRequest(port)))
    })
    await Promise.all(some)
  }
  return async () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** Resolves with the socket once the head of the event stream is there. */
function openStream(port: number, request: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.once('data', (bytes) => {
      const head = bytes.toString()
      socket.resume()
      if (head.startsWith('HTTP/1.1 200')) resolve(socket)
      else reject(new Error(`no stream: ${head.slice(0, 300)}`))
    })
    socket.on('error', reject)
  })
}

async function getRequest(port: number): Promise<string> {
  const { id, version } = await openSession(port)
  return `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\nmcp-session-id: ${id}\r\nmcp-protocol-version: ${version}\r\n\r\n`
}

function listenRequest(port: number): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
  return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: ${ACCEPT}\r\nmcp-protocol-version: ${MODERN_VERSION}\r\nmcp-method: subscriptions/listen\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
