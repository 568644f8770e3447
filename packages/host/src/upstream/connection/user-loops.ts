/**
 * Connections of single users that fail again and again while the server is well for everybody else: a program that ends
 * whenever that user calls it. Such a user is told so and left alone for a while; nobody else notices. `retry.ts`
 * says what failed and asks who may try again.
 */

import type { DegradationWords, PlainState } from '../server-status.ts'
import type { ConnectionRequest } from '../upstream.ts'
import { Breaker, type BreakerOptions } from './breaker.ts'
import { explainLoop, type Failure } from './failure.ts'
import { steadyNow } from './steady-clock.ts'

interface Loop {
  readonly breaker: Breaker
  last: Failure
}

const MAX_USERS = 1_000

export class UserLoops {
  readonly #options: Partial<BreakerOptions> | undefined
  readonly #show: (words: DegradationWords | undefined) => void
  readonly #loops = new Map<string, Loop>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: Partial<BreakerOptions> | undefined, show: (words: DegradationWords | undefined) => void) {
    this.#options = options
    this.#show = show
  }

  /** True when that was one too many: the connection is to be ended. */
  failed(request: ConnectionRequest, failure: Failure): boolean {
    const user = userOf(request)
    const loop = this.#loops.get(user) ?? { breaker: new Breaker(this.#options), last: failure }
    loop.last = failure
    this.#loops.delete(user)
    this.#loops.set(user, loop)
    const [oldest] = this.#loops.keys()
    if (this.#loops.size > MAX_USERS && oldest !== undefined) this.#loops.delete(oldest)
    const opened = loop.breaker.failed(failure.isOurs)
    if (opened) this.#tell()
    return opened
  }

  stands(request: ConnectionRequest): void {
    this.#loops.get(userOf(request))?.breaker.succeeded()
  }

  /** Why a user may not try now. */
  refusal(request: ConnectionRequest): PlainState | undefined {
    const loop = this.#loops.get(userOf(request))
    return loop?.breaker.isOpen ? toState(loop) : undefined
  }

  /** As after a repair. */
  reset(): void {
    this.#loops.clear()
    this.#tell()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #tell(): void {
    clearTimeout(this.#timer)
    const open = [...this.#loops.values()].filter(({ breaker }) => breaker.isOpen)
    const [first] = open
    if (first === undefined) {
      this.#show(undefined)
      return
    }
    const whose = open.length === 1 ? 'One user' : `${open.length} users`
    const { remedy } = first.last
    this.#show({ reason: `${whose} cannot use it, everybody else can: ${toState(first).reason}`, remedy })
    const next = Math.min(...open.map(({ breaker }) => breaker.retryAt))
    this.#timer = setTimeout(() => this.#tell(), Math.max(1, next - steadyNow() + 1)).unref()
  }
}

function toState({ breaker, last }: Loop): PlainState {
  const { reason, remedy } = explainLoop(breaker.count, last)
  return { state: 'failed', reason, remedy, retryAt: breaker.retryAt }
}

function userOf({ principal, session }: ConnectionRequest): string {
  return JSON.stringify([principal?.id ?? null, principal === undefined ? (session ?? null) : null])
}
