/**
 * The one stream of events of each open page. Events wait a moment and go out together; a page that does not keep up
 * loses what is only of passing interest (progress, the timeline's count, logs) and never what it must know.
 */

import type { ServerResponse } from 'node:http'
import type { ApiEvent } from '../api-types/api.ts'

const FLUSH_MS = 30
const HEARTBEAT_MS = 15_000
const MAX_WAITING = 2_000
const MAX_BUFFERED = 4 * 1024 * 1024
const MAX_PAGES = 20

interface Page {
  readonly response: ServerResponse
  /** Passing events under what they are about, all others under a key of their own. */
  waiting: Map<string | symbol, ApiEvent>
}

export class EventStream {
  readonly #pages = new Set<Page>()
  readonly #heartbeat: ReturnType<typeof setInterval>
  #flush: ReturnType<typeof setTimeout> | undefined

  constructor() {
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** How many pages listen. */
  get size(): number {
    return this.#pages.size
  }

  add(response: ServerResponse): void {
    const [oldest] = this.#pages
    if (this.#pages.size >= MAX_PAGES && oldest !== undefined) {
      this.#pages.delete(oldest)
      oldest.response.end()
    }
    const page: Page = { response, waiting: new Map() }
    this.#pages.add(page)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': hello\n\n')
    response.on('close', () => this.#pages.delete(page))
    response.on('error', () => this.#pages.delete(page))
  }

  send(event: ApiEvent): void {
    if (this.#pages.size === 0) return
    for (const page of this.#pages) put(page.waiting, event)
    this.#flush ??= setTimeout(() => this.#deliver(), FLUSH_MS)
  }

  close(): void {
    clearInterval(this.#heartbeat)
    clearTimeout(this.#flush)
    for (const { response } of this.#pages) response.end()
    this.#pages.clear()
  }

  #deliver(): void {
    this.#flush = undefined
    for (const page of this.#pages) {
      // It reads on by itself after a reload; a page this far behind shows nothing useful anyway.
      if (page.response.writableLength > MAX_BUFFERED) page.response.destroy()
      else if (page.waiting.size > 0) {
        page.response.write(Array.from(page.waiting.values(), (event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
        page.waiting = new Map()
      }
    }
  }

  #beat(): void {
    for (const { response } of this.#pages) response.write(': still here\n\n')
  }
}

/** Passing events replace the waiting one about the same thing, or are left out when too much waits. */
function put(waiting: Page['waiting'], event: ApiEvent): void {
  const key = passingKey(event)
  if (key !== undefined && waiting.has(key)) waiting.set(key, event)
  else if (waiting.size < MAX_WAITING || !isPassing(event)) waiting.set(key ?? Symbol(event.type), event)
}

function passingKey(event: ApiEvent): string | undefined {
  if (event.type === 'progress') return `progress ${event.run}`
  if (event.type === 'timeline' || event.type === 'items-changed' || event.type === 'problems') return event.type
  if (event.type === 'server') return `server ${event.server.name}`
  if (event.type === 'resource-changed') return `resource ${event.server} ${event.uri}`
  return undefined
}

function isPassing({ type }: ApiEvent): boolean {
  return type === 'progress' || type === 'timeline' || type === 'log' || type === 'resource-changed'
}
