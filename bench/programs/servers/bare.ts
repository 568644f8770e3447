/**
 * The limit: what Node itself needs for the work. `node:http` or a loop over lines, one JSON parse and one stringify per
 * message, no check of anything. Every library is measured against this.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { announce } from '../control.ts'
import { ADD, add, COUNT, fillers, INFO, NUMBERS, QUERY, SIZE, STEPS, TEXT, textOf } from '../work.ts'

interface Request {
  readonly id?: number | string
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly [name: string]: number }
    readonly _meta?: { readonly progressToken?: number; readonly 'io.modelcontextprotocol/protocolVersion'?: string }
  }
}

type Write = (text: string) => void

const TOOLS = [
  { name: 'add', description: ADD, inputSchema: NUMBERS },
  { name: 'text', description: TEXT, inputSchema: SIZE },
  { name: 'steps', description: STEPS, inputSchema: COUNT },
  ...fillers().map((tool) => ({ ...tool, inputSchema: QUERY })),
]
const LIST = JSON.stringify({ tools: TOOLS, resultType: 'complete', ttlMs: 0, cacheScope: 'public' })

/** The answer to a request; `notify` takes what goes out before it. */
function answer({ id, method, params = {} }: Request, notify: Write): string {
  if (method === 'tools/list') return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${LIST}}`
  const modern = params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
  const envelope = modern ? { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': INFO } } : {}
  return JSON.stringify({ jsonrpc: '2.0', id, result: { ...resultOf(method, params, notify), ...envelope } })
}

function resultOf(method: string, params: NonNullable<Request['params']>, notify: Write): object {
  if (method === 'initialize') {
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: INFO }
  }
  if (method === 'server/discover') {
    return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'public' }
  }
  if (method !== 'tools/call') return {}
  const { name, arguments: args = {} } = params
  if (name === 'text') return { content: [{ type: 'text', text: textOf(args.size ?? 0) }] }
  if (name === 'add') return { content: [{ type: 'text', text: add(args.a ?? 0, args.b ?? 0) }] }
  const total = args.count ?? 0
  const progressToken = params._meta?.progressToken
  for (let progress = 1; progress <= total; progress++) {
    notify(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress, total },
      }),
    )
  }
  return { content: [{ type: 'text', text: 'done' }] }
}

function serve(req: IncomingMessage, res: ServerResponse): void {
  if (req.method === 'GET') {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.flushHeaders()
    return
  }
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const [first] = chunks
    const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
    const message: Request = JSON.parse(body.toString())
    if (message.id === undefined) {
      res.writeHead(202).end()
      return
    }
    let streams = false
    const text = answer(message, (event) => {
      if (!streams) res.writeHead(200, { 'content-type': 'text/event-stream' })
      streams = true
      res.write(`data: ${event}\n\n`)
    })
    if (streams) {
      res.end(`data: ${text}\n\n`)
      return
    }
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    res.writeHead(
      200,
      message.method === 'initialize' ? { ...headers, 'mcp-session-id': crypto.randomUUID() } : headers,
    )
    res.end(text)
  })
}

function serveLines(): void {
  process.stdin.setEncoding('utf8')
  let rest = ''
  process.stdin.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    let out = ''
    for (const line of lines) {
      const message: Request = JSON.parse(line)
      if (message.id === undefined) continue
      const text = answer(message, (event) => {
        out += `${event}\n`
      })
      out += `${text}\n`
    }
    process.stdout.write(out)
  })
  process.stdin.on('end', () => process.exit())
}

if (process.argv[2] === 'stdio') {
  serveLines()
  announce()
} else if (process.argv[2] === 'websocket') {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
    announce((server.address() as AddressInfo).port)
  })
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message: Request = JSON.parse(String(data))
      if (message.id !== undefined) socket.send(answer(message, (event) => socket.send(event)))
    })
  })
} else {
  const server = createServer(serve)
  server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port))
}
