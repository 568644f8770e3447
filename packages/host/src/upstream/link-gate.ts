/**
 * Bounds and counts what goes to one server: at most so many calls at a time, the rest in a short queue; so many in a
 * minute; how long answers take and how many fail. One gate serves all connections of a server, one wrapped link each.
 */

import { type Link, type LinkEvents, type Outgoing, PorticoError } from '@portico/sdk/client'

type RequestId = Outgoing['id']

export interface GateLimits {
  readonly maxConcurrent: number
  /** 0 is no limit. */
  readonly callsPerMinute: number
}

/** What a link tells of itself besides what the client hears. */
export interface LinkNotices {
  /** Something passed, in either direction. */
  active(): void
  /** A request got its answer, whatever it was. */
  answered(): void
  /** A request failed for a reason that is the connection's. */
  faulted(error: PorticoError): void
  /** A call was given up after so many milliseconds, and nothing at all has come since it was sent. */
  unanswered(afterMs: number): void
}

/** Calls that wait for their turn; more are refused. */
export const MAX_QUEUED = 256

export class Gate {
  calls = 0
  errors = 0
  latencyMs: number | undefined
  readonly #server: string
  readonly #now: () => number
  readonly #queue: { readonly id: RequestId; readonly owner: GatedLink; readonly send: () => void }[] = []
  #limits: GateLimits
  #open = 0
  #recent: number[] = []

  constructor(server: string, limits: GateLimits, now: () => number = performance.now.bind(performance)) {
    this.#server = server
    this.#limits = limits
    this.#now = now
  }

  set limits(limits: GateLimits) {
    this.#limits = limits
  }

  wrap(link: Link, notices: LinkNotices): GatedLink {
    return new GatedLink(link, this, notices, this.#now)
  }

  /** Runs `send` now or when it is the call's turn; says why not when it never will. */
  enter(id: RequestId, owner: GatedLink, send: () => void): PorticoError | undefined {
    this.calls++
    const refusal = this.#rateRefusal()
    if (refusal !== undefined) return refusal
    if (this.#open < this.#limits.maxConcurrent) {
      this.#open++
      send()
      return undefined
    }
    if (this.#queue.length >= MAX_QUEUED) {
      return limit(`"${this.#server}" has ${this.#open} calls open (maxConcurrent) and ${MAX_QUEUED} waiting`)
    }
    this.#queue.push({ id, owner, send })
    return undefined
  }

  /** Takes a call out of the queue; false when it had its turn already. */
  withdraw(id: RequestId, owner: GatedLink): boolean {
    const index = this.#queue.findIndex((entry) => entry.id === id && entry.owner === owner)
    if (index < 0) return false
    this.#queue.splice(index, 1)
    return true
  }

  leave(): void {
    this.#open--
    while (this.#open < this.#limits.maxConcurrent) {
      const next = this.#queue.shift()
      if (next === undefined) return
      this.#open++
      next.send()
    }
  }

  #rateRefusal(): PorticoError | undefined {
    const { callsPerMinute } = this.#limits
    if (callsPerMinute === 0) return undefined
    const now = this.#now()
    this.#recent = this.#recent.filter((at) => at > now - 60_000)
    if (this.#recent.length >= callsPerMinute) {
      const seconds = Math.ceil(((this.#recent[0] ?? now) + 60_000 - now) / 1000)
      return limit(
        `"${this.#server}" may be called ${callsPerMinute} times a minute (callsPerMinute); try again in ${seconds} s`,
      )
    }
    this.#recent.push(now)
    return undefined
  }
}

/** What counts as a call: what makes the server work for somebody. Lists, pings and subscriptions pass freely. */
const COUNTED: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete'])

interface Open {
  readonly method: string
  readonly counted: boolean
  readonly at: number
}

export class GatedLink implements Link {
  readonly #link: Link
  readonly #gate: Gate
  readonly #notices: LinkNotices
  readonly #now: () => number
  readonly #open = new Map<RequestId, Open>()
  readonly #subscribed = new Set<unknown>()
  #events: LinkEvents | undefined
  #lastHeard = Number.NEGATIVE_INFINITY

  constructor(link: Link, gate: Gate, notices: LinkNotices, now: () => number) {
    this.#link = link
    this.#gate = gate
    this.#notices = notices
    this.#now = now
  }

  get kind(): Link['kind'] {
    return this.#link.kind
  }

  get label(): string {
    return this.#link.label
  }

  get process(): Link['process'] {
    return this.#link.process
  }

  /** Requests that wait for an answer, and resources that are subscribed to. */
  get pending(): number {
    return this.#open.size - this.listens + this.#subscribed.size
  }

  /** Requests that are held open for change notices. */
  get listens(): number {
    return [...this.#open.values()].filter(({ method }) => method === 'subscriptions/listen').length
  }

  open(events: LinkEvents): void {
    this.#events = events
    this.#link.open({
      response: (response) => {
        this.#heard()
        if (response.id !== undefined && response.id !== null) this.#answered(response.id, 'error' in response)
        events.response(response)
      },
      message: (message, owner) => {
        this.#heard()
        events.message(message, owner)
      },
      failed: (id, error) => {
        this.#ended(id, true)
        if (isConnectionFault(error)) this.#notices.faulted(error)
        events.failed(id, error)
      },
      held: (id, waiting) => events.held?.(id, waiting),
      paused: (id, retryMs) => events.paused?.(id, retryMs),
      irregular: (reason, detail) => events.irregular(reason, detail),
      closed: (error) => {
        for (const id of [...this.#open.keys()]) this.#ended(id, true)
        this.#subscribed.clear()
        events.closed(error)
      },
    })
  }

  request(outgoing: Outgoing): void {
    const { id, method } = outgoing
    const counted = COUNTED.has(method)
    this.#notices.active()
    this.#open.set(id, { method, counted, at: this.#now() })
    if (method === 'resources/subscribe') this.#subscribed.add(outgoing.params.uri)
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(outgoing.params.uri)
    if (!counted) {
      this.#link.request(outgoing)
      return
    }
    const refusal = this.#gate.enter(id, this, () => this.#link.request(outgoing))
    if (refusal === undefined) return
    this.#open.delete(id)
    this.#gate.errors++
    // Later, since whoever sends has not begun to wait.
    queueMicrotask(() => this.#events?.failed(id, refusal))
  }

  cancel(id: RequestId, reason: string): void {
    const open = this.#open.get(id)
    if (open?.counted && this.#gate.withdraw(id, this)) {
      this.#open.delete(id)
      return
    }
    this.#ended(id, false)
    this.#link.cancel(id, reason)
    if (open?.counted && this.#lastHeard < open.at) this.#notices.unanswered(this.#now() - open.at)
  }

  send(message: Parameters<Link['send']>[0]): Promise<void> {
    this.#notices.active()
    return this.#link.send(message)
  }

  agree(revision: Parameters<Link['agree']>[0]): void {
    this.#link.agree(revision)
  }

  listen(): void {
    this.#link.listen()
  }

  close(): Promise<void> {
    for (const id of [...this.#open.keys()]) this.#ended(id, false)
    return this.#link.close()
  }

  #heard(): void {
    this.#lastHeard = this.#now()
    this.#notices.active()
  }

  #answered(id: RequestId, isError: boolean): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    if (open.method !== 'subscriptions/listen') this.#gate.latencyMs = this.#now() - open.at
    this.#ended(id, isError)
    this.#notices.answered()
  }

  #ended(id: RequestId, isError: boolean): void {
    const open = this.#open.get(id)
    if (open === undefined || !this.#open.delete(id) || !open.counted) return
    if (isError) this.#gate.errors++
    if (!this.#gate.withdraw(id, this)) this.#gate.leave()
  }
}

/** The connection failed, the server as a whole, or the right to use it: not what was asked of it. */
function isConnectionFault(error: PorticoError): boolean {
  if (error.code === 'connect-failed' || error.code === 'auth-failed') return true
  const { status } = (error.code === 'http-status' ? (error.data ?? {}) : {}) as { status?: number }
  return status === 401 || status === 502 || status === 503 || status === 504
}

function limit(message: string): PorticoError {
  return new PorticoError('limit-exceeded', message, { delivery: 'not-sent' })
}
