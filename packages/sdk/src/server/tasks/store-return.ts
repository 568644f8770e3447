/** Work that has begun outlasts a store that is away for a while: what it has to write or read is tried until that is back. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { wait } from '../../jsonrpc/time-limit.ts'

const FIRST_WAIT_MS = 100
/** Short, since another process may take over what is left here once the store is back. */
const LONGEST_WAIT_MS = 1000

/** Whether an error says that the store did not answer, or could not take what was written. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'store-unavailable'
}

interface UntilBack {
  /** When it is given up, in milliseconds since 1970. */
  readonly until: number
  /** Gives it up before. */
  readonly signal?: AbortSignal
}

/** Does something again for as long as the store is away. Keeps no process alive. */
export async function untilBack<T>(work: () => Promise<T>, { until, signal }: UntilBack): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isStoreAway(error) || signal?.aborted || Date.now() + waitMs >= until) throw error
    }
    await wait(waitMs, signal, false)
  }
}
