/**
 * Three ways to move hand-written messages: a process's standard streams, Streamable HTTP as 2025-03-26 has it, and the
 * HTTP+SSE of 2024-11-05. They know nothing of what they carry; `raw.ts` does.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Address, Command } from '../server-under-test.ts'

export interface Wire {
  /** Sends a message or a batch. Resolves with the HTTP status, where there is one. */
  send(message: unknown): Promise<number | undefined>
  /** Called with everything that comes in, batches included. */
  receive: (message: unknown) => void
  /** Opens the stream for what the server says unasked, where that is a stream of its own. */
  listen(): Promise<void>
  close(): Promise<void>
}

export async function openWire(address: Address): Promise<Wire> {
  if (address.kind === 'stdio') return openProcess(address.command)
  return address.kind === 'sse' ? openEventStream(address.url) : openStreamable(address.url)
}

function openProcess({ command, args }: Command): Wire {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const wire: Wire = {
    receive: () => {},
    async send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`)
      return undefined
    },
    listen: async () => {},
    async close() {
      child.stdin.end()
      const [code] = await ended
      if (code !== 0) throw new Error(`the server ended with ${code}`)
    },
  }
  createInterface({ input: child.stdout }).on('line', (line) => wire.receive(JSON.parse(line)))
  return wire
}

function openStreamable(url: string): Wire {
  const ending = new AbortController()
  const reading = new Set<Promise<void>>()
  let session: string | undefined
  const headers = (accept: string) => ({ accept, ...(session !== undefined && { 'mcp-session-id': session }) })
  const read = (response: Response): void => {
    const work = readEvents(response, (_, data) => wire.receive(JSON.parse(data))).catch(() => {})
    reading.add(work)
    void work.finally(() => reading.delete(work))
  }
  const wire: Wire = {
    receive: () => {},
    async send(message) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers('application/json, text/event-stream'), 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal: ending.signal,
      })
      session ??= response.headers.get('mcp-session-id') ?? undefined
      const type = response.headers.get('content-type') ?? ''
      if (type.startsWith('text/event-stream')) read(response)
      else {
        const body = await response.text()
        if (body !== '') wire.receive(JSON.parse(body))
      }
      return response.status
    },
    async listen() {
      const response = await fetch(url, { headers: headers('text/event-stream'), signal: ending.signal })
      if (!response.ok) throw new Error(`GET was answered with ${response.status}`)
      read(response)
    },
    async close() {
      const { status } = await fetch(url, { method: 'DELETE', headers: headers('*/*') })
      if (status >= 300) throw new Error(`DELETE was answered with ${status}`)
      ending.abort()
      await Promise.all(reading)
    },
  }
  return wire
}

async function openEventStream(url: string): Promise<Wire> {
  const ending = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: ending.signal })
  const opened = deferred<URL>()
  const wire: Wire = {
    receive: () => {},
    async send(message) {
      const response = await fetch(await opened.promise, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
      await response.arrayBuffer()
      return response.status
    },
    listen: async () => {},
    async close() {
      ending.abort()
      await reading
    },
  }
  const reading = readEvents(response, (event, data) => {
    if (event === 'endpoint') opened.resolve(new URL(data, url))
    else wire.receive(JSON.parse(data))
  }).catch(() => {})
  await opened.promise
  return wire
}

/** Reads `event` and `data` of each event; comments, ids and retry times are of no interest here. */
async function readEvents(response: Response, take: (event: string, data: string) => void): Promise<void> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true })
    const events = rest.split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/)
      const field = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ''))
      const data = field('data').join('\n')
      if (data !== '') take(field('event')[0] ?? 'message', data)
    }
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
