/**
 * Bounds and counts what goes to one server: at most so many calls at a time, the rest in a short queue; so many in a
 * minute; how long answers take and how many fail. One serves all connections of a server, with one wrapped link each.
 */

import { PorticoError } from '@portico/sdk/client'
import {
  FairShares,
  isWithinShare,
  type Link,
  type LinkEvents,
  type Outgoing,
  type ShareOwner,
  type Turn,
} from '@portico/sdk/internal'

type RequestId = Outgoing['id']

interface RequestLimits {
  readonly maxConcurrent: number
  /** 0 is no limit. */
  readonly callsPerMinute: number
}

/** What a link tells of itself besides what the client hears. */
interface LinkNotices {
  /** Something passed, in either direction. */
  active(): void
  /** A request got its answer, whatever it was. */
  answered(): void
  /** A request failed for a reason that is the connection's. */
  faulted(error: PorticoError): void
  /** A call was given up after so many milliseconds, and nothing at all has come since it was sent. */
  unanswered(afterMs: number): void
}

/** Calls of one party that wait for their turn; more are refused. */
export const MAX_QUEUED = 256
const MINUTE_MS = 60_000

export class RequestLimiter {
  calls = 0
  errors = 0
  latencyMs: number | undefined
  readonly #server: string
  readonly #now: () => number
  /** The slots that calls have. */
  readonly shares: FairShares
  #limits: RequestLimits
  #recent: { readonly at: number; readonly party: ShareOwner }[] = []

  constructor(server: string, limits: RequestLimits, now: () => number = performance.now.bind(performance)) {
    this.#server = server
    this.#limits = limits
    this.#now = now
    this.shares = new FairShares(limits.maxConcurrent, MAX_QUEUED)
  }

  set limits(limits: RequestLimits) {
    this.#limits = limits
    this.shares.most = limits.maxConcurrent
  }

  /** `party` is whose calls go over the link: nobody's keep another's from their part of what the server may be asked. */
  wrap(link: Link, notices: LinkNotices, party: ShareOwner): LimitedLink {
    return new LimitedLink(link, { limiter: this, notices, now: this.#now, party })
  }

  /** Gives the call a slot now or when it is its turn; says why not when it never will. */
  enter(turn: Turn): PorticoError | undefined {
    this.calls++
    const refusal = this.#limits.callsPerMinute === 0 ? undefined : this.#rateRefusal(turn.party)
    if (refusal !== undefined || this.shares.enter(turn)) return refusal
    return limit(`"${this.#server}" has ${this.shares.open} calls open (maxConcurrent) and ${MAX_QUEUED} waiting`)
  }

  #rateRefusal(party: ShareOwner): PorticoError | undefined {
    const { callsPerMinute } = this.#limits
    const now = this.#now()
    this.#recent = this.#recent.filter(({ at }) => at > now - MINUTE_MS)
    const own = this.#recent.filter((one) => one.party === party)
    if (!isWithinShare(party, own.length, callsPerMinute - this.#recent.length)) {
      // The part that one party has grows as soon as anybody's call is a minute old.
      const seconds = Math.ceil(((this.#recent[0]?.at ?? now) + MINUTE_MS - now) / 1000)
      return limit(
        `"${this.#server}" may be called ${callsPerMinute} times a minute (callsPerMinute); try again in ${seconds} s`,
      )
    }
    this.#recent.push({ at: now, party })
    return undefined
  }
}

/** What counts as a call: what makes the server work for somebody. Lists, pings and subscriptions pass freely. */
const COUNTED: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete'])

/** What a server asks in the middle of a call, and somebody may have to think about. */
const ASKING: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

interface Open {
  readonly method: string
  /** For what counts as a call. */
  readonly turn: Turn | undefined
  readonly at: number
}

interface LimitedLinkParts {
  readonly limiter: RequestLimiter
  readonly notices: LinkNotices
  readonly now: () => number
  readonly party: ShareOwner
}

export class LimitedLink implements Link {
  readonly #link: Link
  readonly #limiter: RequestLimiter
  readonly #notices: LinkNotices
  readonly #now: () => number
  readonly #open = new Map<RequestId, Open>()
  readonly #subscribed = new Set<unknown>()
  readonly #party: ShareOwner
  /** What the server has asked and not been answered. A call that waits for a person holds no slot meanwhile. */
  readonly #questions = new Set<RequestId>()
  /** Calls that are with the server, and how many slots are taken for them. */
  #running = 0
  #held = 0
  #events: LinkEvents | undefined
  #lastHeard = Number.NEGATIVE_INFINITY

  constructor(link: Link, { limiter, notices, now, party }: LimitedLinkParts) {
    this.#party = party
    this.#link = link
    this.#limiter = limiter
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
        this.#asked(message)
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
        this.#questions.clear()
        this.#subscribed.clear()
        events.closed(error)
      },
    })
  }

  request(outgoing: Outgoing): void {
    const { id, method } = outgoing
    this.#notices.active()
    const turn: Turn | undefined = COUNTED.has(method)
      ? { party: this.#party, take: () => this.#begin(outgoing) }
      : undefined
    this.#open.set(id, { method, turn, at: this.#now() })
    if (method === 'resources/subscribe') this.#subscribed.add(outgoing.params.uri)
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(outgoing.params.uri)
    if (turn === undefined) {
      this.#link.request(outgoing)
      return
    }
    const refusal = this.#limiter.enter(turn)
    if (refusal === undefined) return
    this.#open.delete(id)
    this.#limiter.errors++
    // Later, since whoever sends has not begun to wait.
    queueMicrotask(() => this.#events?.failed(id, refusal))
  }

  cancel(id: RequestId, reason: string): void {
    const open = this.#open.get(id)
    if (open?.turn !== undefined && this.#limiter.shares.withdraw(open.turn)) {
      this.#open.delete(id)
      return
    }
    this.#ended(id, false)
    this.#link.cancel(id, reason)
    if (open?.turn !== undefined && this.#lastHeard < open.at) this.#notices.unanswered(this.#now() - open.at)
  }

  send(message: Parameters<Link['send']>[0]): Promise<void> {
    this.#notices.active()
    if (!('method' in message) && this.#questions.delete(message.id as RequestId)) this.#settle()
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
    if (open.method !== 'subscriptions/listen') this.#limiter.latencyMs = this.#now() - open.at
    this.#ended(id, isError)
    this.#notices.answered()
  }

  #ended(id: RequestId, isError: boolean): void {
    const open = this.#open.get(id)
    if (open === undefined || !this.#open.delete(id) || open.turn === undefined) return
    if (isError) this.#limiter.errors++
    if (this.#limiter.shares.withdraw(open.turn)) return
    this.#running--
    this.#settle()
  }

  #begin(outgoing: Outgoing): void {
    this.#running++
    this.#held++
    this.#settle()
    this.#link.request(outgoing)
  }

  /** Notes what the server asks, and what it takes back. */
  #asked(message: Parameters<LinkEvents['message']>[0]): void {
    if ('id' in message && ASKING.has(message.method)) this.#questions.add(message.id)
    else if (message.method !== 'notifications/cancelled') return
    else this.#questions.delete(message.params?.requestId as RequestId)
    this.#settle()
  }

  /** Has as many slots as calls that the server works on. Who gets one that is given back may come here again. */
  #settle(): void {
    while (this.#held > Math.max(0, this.#running - this.#questions.size)) {
      this.#held--
      this.#limiter.shares.leave(this.#party)
    }
    while (this.#held < Math.max(0, this.#running - this.#questions.size)) {
      this.#held++
      this.#limiter.shares.resume(this.#party)
    }
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
