/** A gateway on a port for tests: callers by their bearer tokens, and requests as they are on the wire. */

import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import { createPrincipal, type Server } from '@portico/sdk/server'
import { createGateway, type Gateway, type GatewayOptions } from '../src/gateway/gateway.ts'
import { type GatewayServer, serveGateway } from '../src/gateway/serve.ts'
import { createLab, type Lab, type LabServer } from './gateway-lab.ts'

export const closers: (() => Promise<unknown>)[] = []
/** Closes what a test has opened, the newest first: for `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}

export interface Site {
  readonly lab: Lab
  readonly gateway: Gateway
  readonly http: GatewayServer
  connect(user: string, options?: ConnectOptions): Promise<Client>
}

/** A gateway on a port whose callers are whoever their bearer token names. */
export async function createSite(
  servers: { readonly [name: string]: LabServer },
  options: GatewayOptions = {},
  rest: Parameters<typeof createLab>[1] = {},
): Promise<Site> {
  const lab = await createLab(servers, rest)
  const gateway = createGateway(lab, { onError: () => {}, ...options })
  const http = await serveGateway(gateway, {
    port: 0,
    graceMs: 0,
    webSocketPath: '/ws',
    authenticate: (head) => {
      const user = /^Bearer (.+)$/.exec(head.header('authorization') ?? '')?.[1]
      return user === undefined ? undefined : createPrincipal(user)
    },
  })
  closers.push(
    () => lab.close(),
    () => gateway.close(0),
    () => http.close(),
  )
  return {
    lab,
    gateway,
    http,
    async connect(user, given = {}) {
      const client = await connect(http.url, { headers: { authorization: `Bearer ${user}` }, ...given })
      closers.push(() => client.close())
      return client
    },
  }
}

export async function onHttp(server: Server): Promise<HttpServer> {
  const http = await serveHttp(server, { port: 0, graceMs: 0 })
  closers.push(() => http.close())
  return http
}

export const MODERN = '2026-07-28'

export interface RawCall {
  readonly user?: string
  readonly capabilities?: object
  readonly headers?: { readonly [name: string]: string }
  readonly path?: string
  readonly signal?: AbortSignal
  /** Called when the answer begins. */
  readonly opened?: () => void
}

/** A request of the newest revision as it is on the wire, so that a test can stop between two rounds. */
export async function raw(site: Site, method: string, params: { [key: string]: unknown }, call: RawCall = {}) {
  const { user = 'ada', capabilities = { elicitation: { form: {}, url: {} } }, headers = {}, path = '' } = call
  const name = params.name ?? params.uri ?? params.taskId
  const response = await fetch(site.http.url + path, {
    method: 'POST',
    ...(call.signal && { signal: call.signal }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${user}`,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientCapabilities': capabilities,
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/logLevel': 'info',
          progressToken: 'p',
        },
      },
    }),
  })
  call.opened?.()
  const text = await response.text()
  const messages = response.headers.get('content-type')?.includes('event-stream')
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string))
    : [JSON.parse(text)]
  const last = messages.at(-1)
  return { status: response.status, result: last.result, error: last.error, notices: messages.slice(0, -1), response }
}

export const textOf = (result: { content: readonly { type: string }[] }) =>
  result.content.map((block) => (block as unknown as { text?: string }).text ?? block.type).join()
