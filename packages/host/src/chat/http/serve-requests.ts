/** A port for the requests of a chat and of browsers, as web requests within bounds. TLS is for the proxy before it. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callListener } from '../../config/call-listener.ts'

/** Options of `serveChatRequests`. */
export interface ChatRequestsOptions {
  readonly port: number
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** Of a request; 1,000,000 unless given. */
  readonly maxBodyBytes?: number
  /** What answers; undefined is a 404. */
  answer(request: Request): Promise<Response | undefined> | Response | undefined
  readonly onWarning?: (message: string) => void
}

const MAX_BODY_BYTES = 1_000_000
const TIMEOUT_MS = 10_000
const STALLED_MS = 60_000

/**
 * Listens on a port and hands requests to adapters and pages.
 *
 * @example
 * ```ts
 * import { serveChatRequests } from '@portico/host/chat'
 *
 * const { url, close } = await serveChatRequests({ port: 0, answer: () => new Response('here') })
 * console.log(url)
 * await close()
 * ```
 */
export async function serveChatRequests(
  options: ChatRequestsOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { port, host = '127.0.0.1', onWarning } = options
  const server = createServer(
    { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS },
    async (incoming, outgoing) => {
      try {
        await reply(incoming, outgoing, options)
      } catch (error) {
        callListener(onWarning, error instanceof Error ? error.message : String(error))
        if (!outgoing.headersSent) outgoing.writeHead(500)
        outgoing.end()
      }
    },
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, close }
}

async function reply(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { answer, maxBodyBytes = MAX_BODY_BYTES }: ChatRequestsOptions,
): Promise<void> {
  const body = await readBody(incoming, maxBodyBytes)
  if (body === undefined) {
    outgoing.writeHead(413, { connection: 'close' }).end()
    return
  }
  const { method = 'GET', url = '/', headers } = incoming
  const target = URL.canParse(url, 'http://chat.invalid') ? new URL(url, 'http://chat.invalid') : undefined
  if (target === undefined || !url.startsWith('/')) {
    outgoing.writeHead(400).end()
    return
  }
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const request = new Request(target, { method, headers: pairs, ...(hasBody && { body }) })
  const response = (await answer(request)) ?? new Response(null, { status: 404 })
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  // Whoever takes nothing of the answer for so long has gone.
  outgoing.setTimeout(STALLED_MS, () => outgoing.destroy())
  outgoing.end(Buffer.from(await response.arrayBuffer()))
}

/** Undefined where it is too large. */
async function readBody(incoming: IncomingMessage, most: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
