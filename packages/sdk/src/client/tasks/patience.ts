/**
 * How long a server that has a task is waited for when it does not answer. A lost connection, a server that is too busy or is
 * started anew are passed over; answers that say something else stand.
 */

import { INTERNAL_ERROR, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { httpFault } from '../link.ts'
import { pause } from '../with-deadline.ts'
import type { TaskHost } from './host.ts'

const MAX_ERRORS = 3
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 10_000

export class Patience {
  readonly #host: TaskHost
  #failures = 0
  #answeredAt = performance.now()

  constructor(host: TaskHost) {
    this.#host = host
  }

  /** An answer is a sign of life, whatever it says. */
  answered(): void {
    this.#failures = 0
    this.#answeredAt = performance.now()
  }

  /** Waits before the next try, or throws the error that it was given: it stands. */
  async afterFailure(error: unknown, signal: AbortSignal): Promise<void> {
    this.#failures++
    if (!this.#passes(error)) throw error
    await pause(Math.min(FIRST_WAIT_MS * 1.6 ** this.#failures, LONGEST_WAIT_MS), signal)
  }

  #passes(error: unknown): boolean {
    const { reconnector, timeouts } = this.#host
    if (reconnector.over || performance.now() - this.#answeredAt > timeouts.ceilingMs) return false
    if (error instanceof RpcError) return error.rpcCode === INTERNAL_ERROR && this.#failures <= MAX_ERRORS
    if (!(error instanceof PorticoError)) return false
    const status = httpFault(error)?.status
    if (status !== undefined) return status === 429 || status >= 500
    return error.code === 'closed' || error.code === 'connect-failed' || error.code === 'timeout'
  }
}
