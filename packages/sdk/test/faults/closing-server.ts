/**
 * A server on bare TCP that keeps no connection: it speaks keep-alive, answers, and closes at a moment of its choosing,
 * maybe with the next request already received. It counts what it runs, so that a client cannot deceive itself.
 */

import { type AddressInfo, createServer, type Socket } from 'node:net'

export type Way = 'modern' | 'legacy' | 'http+sse'

export interface ClosingOptions {
  readonly way: Way
  /** Closes after the last answer of a connection was written, now or later. */
  close(socket: Socket): void
  /** How many requests a connection answers before it is closed; one unless given. */
  readonly answers?: number
  /** Whether a request that comes on a connection about to be closed is run; its answer is never sent. */
  runsLate(): boolean
  /** A token is good for so many requests; none is asked for unless given. */
  readonly requestsPerToken?: number
}

interface Request {
  readonly method: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: { id?: number; method?: string; params?: { name?: string; arguments?: { nonce?: string } } }
}

export class ClosingServer {
  /** How often each call ran, by its nonce. */
  readonly runs = new Map<string, number>()
  connections = 0
  readonly #options: ClosingOptions
  readonly #sockets = new Set<Socket>()
  readonly #tokens = new Map<string, number>()
  #events: Socket | undefined
  readonly #server = createServer((socket) => this.#accept(socket))

  constructor(options: ClosingOptions) {
    this.#options = options
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(socket: Socket): void {
    this.connections++
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    let received = ''
    let left = this.#options.answers ?? 1
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      for (let request = read(received); request !== undefined; request = read(received)) {
        received = received.slice(request.length)
        if (left === 0) {
          if (this.#options.runsLate()) this.#run(request.request)
          continue
        }
        if (this.#answer(socket, request.request) && --left === 0) this.#options.close(socket)
      }
    })
  }

  /** Whether that was an answer: a stream goes on. */
  #answer(socket: Socket, request: Request): boolean {
    const { way } = this.#options
    const refusal = this.#refusal(request)
    if (refusal !== undefined) return write(socket, refusal)
    if (request.method === 'GET' && way === 'http+sse') {
      this.#events = socket
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: /messages\n\n')
      return false
    }
    if (request.method !== 'POST') return write(socket, status('405 Method Not Allowed'))
    if (way === 'http+sse' && !request.headers.get(':path')?.startsWith('/messages')) {
      return write(socket, status('405 Method Not Allowed'))
    }
    const result = this.#run(request)
    if (way === 'http+sse') {
      if (result !== undefined) this.#events?.write(`event: message\ndata: ${result}\n\n`)
      return write(socket, status('202 Accepted'))
    }
    return write(socket, result === undefined ? status('202 Accepted') : json(result))
  }

  #refusal({ headers }: Request): string | undefined {
    const { requestsPerToken } = this.#options
    if (requestsPerToken === undefined) return undefined
    const token = headers.get('authorization') ?? ''
    const used = this.#tokens.get(token) ?? 0
    if (token === '' || used >= requestsPerToken) return status('401 Unauthorized', 'www-authenticate: Bearer\r\n')
    this.#tokens.set(token, used + 1)
    return undefined
  }

  #run({ body: { id, method, params } }: Request): string | undefined {
    if (id === undefined) return undefined
    const nonce = params?.arguments?.nonce
    if (nonce !== undefined) this.runs.set(nonce, (this.runs.get(nonce) ?? 0) + 1)
    const outcome = answerTo(this.#options.way, method ?? '', params?.name)
    return JSON.stringify({ jsonrpc: '2.0', id, ...outcome })
  }
}

function answerTo(way: Way, method: string, name: string | undefined): object {
  const complete = way === 'modern' ? { resultType: 'complete' } : {}
  const capabilities = { tools: {} }
  switch (method) {
    case 'server/discover':
      if (way !== 'modern') return { error: { code: -32601, message: 'Method not found' } }
      return { result: { ...complete, supportedVersions: ['2026-07-28'], capabilities } }
    case 'initialize': {
      const protocolVersion = way === 'legacy' ? '2025-11-25' : '2024-11-05'
      return { result: { protocolVersion, capabilities, serverInfo: { name: 'closing', version: '1' } } }
    }
    case 'tools/list':
      return { result: { ...complete, tools: TOOLS } }
    case 'ping':
      return { result: {} }
    default:
      return { result: { ...complete, content: [{ type: 'text', text: name ?? '' }] } }
  }
}

const inputSchema = { type: 'object' }
const TOOLS = [
  { name: 'once', inputSchema },
  { name: 'read', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'same', inputSchema, annotations: { idempotentHint: true } },
]

/** The first whole request, if there is one. */
function read(text: string): { request: Request; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const [method = '', path = ''] = first.split(' ')
  headers.set(':path', path)
  const length = end + 4 + Number(headers.get('content-length') ?? 0)
  if (text.length < length) return undefined
  const body = text.slice(end + 4, length)
  return { request: { method, headers, body: body === '' ? {} : JSON.parse(body) }, length }
}

function json(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: keep-alive\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function status(line: string, headers = ''): string {
  return `HTTP/1.1 ${line}\r\n${headers}connection: keep-alive\r\ncontent-length: 0\r\n\r\n`
}

function write(socket: Socket, text: string): true {
  socket.write(text)
  return true
}
