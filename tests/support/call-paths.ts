/**
 * The way of one warm `tools/call` on every kind of door, counted in distinct functions of our own. What calls from
 * outside, and the server behind the gateway, are plain Node: all that is counted is what is measured. `npm run house`
 * prints the figures, `budget-calls.test.ts` and `gateway-calls.test.ts` hold them.
 */

import { Agent, createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Bundle, bundle, type FunctionsRun } from './own-functions.ts'

export type CallEra = '2025-11-25' | '2026-07-28'

/** One call, made anew each time, and the end of what was opened for it. */
interface OpenWay {
  call(): Promise<string>
  close(): Promise<unknown>
}

type Sdk = Bundle<
  typeof import('@portico/sdk/server') &
    typeof import('@portico/sdk/client') &
    typeof import('@portico/sdk/stdio') &
    typeof import('@portico/sdk/http') &
    typeof import('@portico/sdk/fetch')
>
type Host = Bundle<
  typeof import('@portico/host/config') &
    typeof import('@portico/host/gateway') &
    typeof import('@portico/host/upstream')
>

const SDK_DOORS = ['server', 'client', 'stdio', 'http', 'fetch']
  .map((door) => `export * from '@portico/sdk/${door}'`)
  .join('\n')
const HOST_DOORS = ['config', 'gateway', 'upstream'].map((door) => `export * from '@portico/host/${door}'`).join('\n')

export const bundleSdk = (): Promise<Sdk> => bundle(SDK_DOORS)
export const bundleHost = (): Promise<Host> => bundle(HOST_DOORS)

export async function stdioPath(sdk: Sdk, era: CallEra): Promise<FunctionsRun> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const connection = sdk.doors.serveStdio(createAdder(sdk), { stdin, stdout, exit: false })
  const exchange = (body: string): Promise<string> =>
    new Promise((resolve) => {
      stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
      stdin.write(`${body}\n`)
    })
  if (era === '2025-11-25') {
    await exchange(initialize)
    stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }
  return await measure(sdk, { call: () => exchange(callOf(era)), close: () => connection.close() })
}

export async function httpPath(sdk: Sdk, era: CallEra): Promise<FunctionsRun> {
  const { url, close } = await sdk.doors.serveHttp(createAdder(sdk), { port: 0, path: '/mcp' })
  return await measure(sdk, await openHttp(url, era, close))
}

export async function fetchPath(sdk: Sdk): Promise<FunctionsRun> {
  const handler = sdk.doors.serveFetch(createAdder(sdk))
  const headers = { ...headersOf('2026-07-28'), host: 'localhost' }
  const call = async (): Promise<string> => {
    const body = callOf('2026-07-28')
    // As it comes from a socket: whoever sends a text announces its length.
    const sent = { ...headers, 'content-length': String(body.length) }
    const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: sent, body }))
    return await response.text()
  }
  return await measure(sdk, { call, close: () => handler.close() })
}

/** From HTTP to HTTP, each side in the same revision; the server behind answers without any of our code. */
export async function gatewayPath(host: Host, era: CallEra): Promise<FunctionsRun> {
  const { defineServer, createUpstreams, createCatalogue, createGateway, serveGateway } = host.doors
  const behind = await serveBare(era)
  const upstreams = createUpstreams()
  const catalogue = createCatalogue(upstreams)
  await upstreams.set([defineServer('bare', { kind: 'http', url: behind.url, headers: {} })])
  await catalogue.list()
  const limits = { callsPerMinute: Number.MAX_SAFE_INTEGER }
  const gateway = createGateway({ upstreams, catalogue }, { allowAnonymous: true, ownNames: true, limits })
  const served = await serveGateway(gateway, { port: 0, path: '/mcp' })
  const way = await openHttp(served.url, era, async () => {
    await served.close()
    await upstreams.close()
    await behind.close()
  })
  return await measure(host, way)
}

/** The smallest of several calls: what a timer happens to run in between belongs to none of them. */
async function measure({ run }: Bundle<unknown>, { call, close }: OpenWay): Promise<FunctionsRun> {
  const once = async (): Promise<void> => {
    const answer = await call()
    if (!answer.includes('"text":"3"')) throw new Error(`The call failed: ${answer}`)
    // What is done after the answer belongs to the call.
    for (let turn = 0; turn < 3; turn++) await nextTurn()
  }
  try {
    for (let n = 0; n < 10; n++) await once()
    const runs: FunctionsRun[] = []
    for (let n = 0; n < 5; n++) runs.push(await run(once))
    return runs.reduce((least, next) => (next.distinct.length < least.distinct.length ? next : least))
  } finally {
    await close()
  }
}

const INFO = { name: 'calls', version: '1.0.0' }
const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
}

function createAdder({ doors }: Sdk) {
  const add = doors.tool({ description: 'Adds', input: NUMBERS }, ({ a, b }) => String(a + b))
  return doors.createServer({ ...INFO, tools: { add } })
}

let ids = 0

function callOf(era: CallEra): string {
  const params = { name: 'add', arguments: { a: 1, b: 2 }, ...(era === '2026-07-28' && { _meta: ENVELOPE }) }
  return JSON.stringify({ jsonrpc: '2.0', id: ++ids, method: 'tools/call', params })
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
})

function headersOf(era: CallEra): { [name: string]: string } {
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  if (era === '2025-11-25') return { ...common, 'mcp-protocol-version': era }
  return { ...common, 'mcp-protocol-version': era, 'mcp-method': 'tools/call', 'mcp-name': 'add' }
}

async function openHttp(url: string, era: CallEra, close: () => Promise<unknown>): Promise<OpenWay> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = headersOf(era)
  const post = (body: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request(url, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body)
    })
  if (era === '2025-11-25') {
    const opened = await post(initialize)
    await textOf(opened)
    headers['mcp-session-id'] = String(opened.headers['mcp-session-id'])
    await textOf(await post('{"jsonrpc":"2.0","method":"notifications/initialized"}'))
  }
  return {
    call: async () => await textOf(await post(callOf(era))),
    close: async () => {
      agent.destroy()
      await close()
    },
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = ''
  message.setEncoding('utf8')
  for await (const piece of message) text += piece
  return text
}

/** A server that has its answers ready. */
async function serveBare(era: CallEra): Promise<{ readonly url: string; close(): Promise<void> }> {
  const isModern = era === '2026-07-28'
  const tools = [{ name: 'add', description: 'Adds', inputSchema: NUMBERS }]
  const cached = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' }
  const results: { readonly [method: string]: object | undefined } = {
    'tools/list': { tools, ...(isModern && cached) },
    'tools/call': { content: [{ type: 'text', text: '3' }], ...(isModern && { resultType: 'complete' }) },
    [isModern ? 'server/discover' : 'initialize']: isModern
      ? { supportedVersions: [era], capabilities: { tools: {} }, serverInfo: INFO, ...cached }
      : { protocolVersion: era, capabilities: { tools: {} }, serverInfo: INFO },
  }
  const server = createHttpServer(async (req, res) => {
    if (req.method !== 'POST') return res.writeHead(405).end()
    const { id, method } = JSON.parse(await textOf(req))
    if (id === undefined) return res.writeHead(202).end()
    const result = results[method]
    const session = method === 'initialize' ? { 'mcp-session-id': 'bare' } : {}
    res.writeHead(200, { 'content-type': 'application/json', ...session })
    const outcome = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
    return res.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close }
}
