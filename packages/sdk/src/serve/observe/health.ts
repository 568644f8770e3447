/**
 * Two paths beside the MCP endpoint for whatever keeps the process running: one says that it is alive, the other whether
 * it wants requests. They tell nothing about the server, so neither the check of origins nor authorization is made first.
 */

import type { HeaderList, Reply } from '../../transport/http-reply.ts'
import { pathOf } from '../rules/http-headers.ts'

/** Where health is told, and what counts towards it. */
export interface HealthOptions {
  /** `/healthz` unless given: 200 as long as the process answers at all. */
  readonly livePath?: string
  /** `/readyz` unless given: 200 when requests are welcome, 503 while starting, draining or not `ready`. */
  readonly readyPath?: string
  /** Whether what the server stands on is there: a database, a key. False, a rejection or 2 s of silence mean no. */
  readonly ready?: () => boolean | Promise<boolean>
  /** How long `ready` may take; 2 s unless given. */
  readonly readyTimeoutMs?: number
}

const HEADERS: HeaderList = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']
const READY_TIMEOUT_MS = 2_000

export class Health {
  /** Set when the server begins to close. */
  draining = false
  readonly #livePath: string
  readonly #readyPath: string
  readonly #ready: (() => boolean | Promise<boolean>) | undefined
  readonly #timeoutMs: number
  /** One check at a time, however many probes there are. */
  #checking: Promise<boolean> | undefined

  constructor(options: HealthOptions) {
    this.#livePath = options.livePath ?? '/healthz'
    this.#readyPath = options.readyPath ?? '/readyz'
    this.#ready = options.ready
    this.#timeoutMs = options.readyTimeoutMs ?? READY_TIMEOUT_MS
  }

  /** Answers a probe; false for every other request, which is then nobody's business here. */
  handle(method: string, url: string, reply: Reply): boolean {
    const path = pathOf(url)
    if (path !== this.#livePath && path !== this.#readyPath) return false
    if (method !== 'GET' && method !== 'HEAD') reply.empty(405, ['allow', 'GET, HEAD', ...HEADERS])
    else if (path === this.#livePath) answer(reply, method, true, 'alive')
    else if (this.draining) answer(reply, method, false, 'draining')
    else if (this.#ready === undefined) answer(reply, method, true, 'ready')
    else
      void this.#check(this.#ready).then((ok) =>
        answer(reply, method, ok && !this.draining, ok ? 'ready' : 'not ready'),
      )
    return true
  }

  #check(ready: () => boolean | Promise<boolean>): Promise<boolean> {
    this.#checking ??= inTime(ready, this.#timeoutMs).finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }
}

function answer(reply: Reply, method: string, ok: boolean, status: string): void {
  const headers = ok ? HEADERS : ['retry-after', '1', ...HEADERS]
  if (method === 'HEAD') reply.empty(ok ? 200 : 503, headers)
  else reply.json(ok ? 200 : 503, JSON.stringify({ status }), headers)
}

async function inTime(ready: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  try {
    return (await Promise.race([Promise.resolve().then(ready), late])) === true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
