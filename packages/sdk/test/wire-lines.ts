/**
 * How the wire kit reaches a server: in memory, through a spawned process, over Node's HTTP and through a fetch handler.
 * A line carries texts out and values in; what they mean is `wire.ts`'s business. Nothing of the SDK's client is used.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Principal } from '../src/auth/principal.ts'
import type { Channel } from '../src/jsonrpc/channel.ts'
import { endpointOf, type Server } from '../src/server/server.ts'
import { serveChannel } from '../src/session/connection.ts'
import { createMemoryChannels } from '../src/transport/memory.ts'

/** What one sent text brought back, where the transport ties answers to it. */
export interface Delivery {
  readonly status: number
  readonly headers: Headers
}

export interface Line {
  /** Sends one text. Resolves when the transport's own answer to it is complete; at once on duplex lines. */
  send(text: string, headers: { [name: string]: string }, signal?: AbortSignal): Promise<Delivery | undefined>
  /** Begins to listen for what belongs to no request, where that takes a request of its own. */
  listen?(headers: { [name: string]: string }): Promise<void>
  close(): Promise<void>
}

export type Receive = (value: unknown) => void

/** Two channels joined in memory, one of them served. */
export function openMemoryLine(server: Server, receive: Receive, principal?: Principal): Line {
  const channel = connectAs(server, principal)
  channel.open({ message: receive, malformed: (fault) => receive({ malformed: fault.reason }), closed: () => {} })
  return {
    async send(text) {
      channel.send(text)
      return undefined
    },
    close: () => channel.close(),
  }
}

/** One process per line; `fixture` is a TypeScript program beside the tests. */
export function openStdioLine(
  fixture: string,
  args: readonly string[],
  receive: Receive,
): Line & { exited: Promise<number | null> } {
  const program = fileURLToPath(new URL(fixture, import.meta.url))
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    ['--conditions=portico-source', '--import', 'tsx', program, ...args],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  child.stderr.resume()
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  createInterface({ input: child.stdout }).on('line', (line) => receive(JSON.parse(line)))
  return {
    exited,
    async send(text) {
      child.stdin.write(`${text}\n`)
      return undefined
    },
    async close() {
      child.stdin.end()
      await exited
    },
  }
}

export interface HttpTarget {
  /** Of a server that listens. */
  readonly url?: string
  /** Of a handler that is called in place. */
  readonly handler?: { fetch(request: Request): Promise<Response> }
}

export function toHttpPlace({ url, handler }: HttpTarget): { url: string; fetchLike: FetchLike } {
  if (handler !== undefined) {
    return { url: 'http://localhost/mcp', fetchLike: (to, init) => handler.fetch(new Request(to, init)) }
  }
  if (url === undefined) throw new Error('HTTP needs a url or a handler')
  return { url, fetchLike: (to, init) => fetch(to, init) }
}

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>

/** Streamable HTTP over anything that speaks `Response`: one POST per text, a GET to listen. */
export function openHttpLine(url: string, fetchLike: FetchLike, receive: Receive): Line {
  const closing = new AbortController()
  const pending = new Set<Promise<unknown>>()
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => {}).finally(() => pending.delete(settled))
    pending.add(settled)
    return work
  }
  return {
    send(text, headers, signal) {
      const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
      const signals = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal])
      return track(
        fetchLike(url, { method: 'POST', body: text, headers: all, signal: signals }).then(async (response) => {
          await readMessages(response, receive)
          return { status: response.status, headers: response.headers }
        }),
      )
    },
    async listen(headers) {
      const init = { method: 'GET', headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal }
      const response = await fetchLike(url, init)
      if (response.status !== 200) throw new Error(`GET was answered ${response.status}`)
      void track(readMessages(response, receive))
    },
    async close() {
      closing.abort()
      await Promise.all(pending)
    },
  }
}

function connectAs(server: Server, principal: Principal | undefined): Channel {
  const [near, far] = createMemoryChannels()
  serveChannel(endpointOf(server), near, { principal })
  return far
}

async function readMessages(response: Response, receive: Receive): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return readEvents(response, receive)
  const text = await response.text()
  if (type.startsWith('application/json') && text !== '') receive(JSON.parse(text))
}

async function readEvents(response: Response, receive: Receive): Promise<void> {
  const decoder = new TextDecoder()
  let buffer = ''
  for await (const chunk of response.body ?? []) {
    buffer += decoder.decode(chunk, { stream: true })
    const events = buffer.split('\n\n')
    buffer = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
      if (data.length > 0 && data.join('\n') !== '') receive(JSON.parse(data.join('\n')))
    }
  }
}
