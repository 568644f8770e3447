/**
 * The time until a task of 2025-11-25 is accepted. A request that asks for one is not taken back by a notice, but by the end of the
 * task (tasks, "Task Cancellation"): so it is never given up on the wire, and whoever no longer waits has the task ended when it is there.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { LONGEST_TIMER_MS } from '../../jsonrpc/longest-timer.ts'
import type { RequestOptions } from '../options.ts'
import { signalOf } from '../relay.ts'
import { within } from '../with-deadline.ts'
import { questionsOf } from './tool-run.ts'

/** The options of a request that nothing ends before it is answered. */
export function unbounded(options: RequestOptions): RequestOptions {
  const { signal: _signal, relay, ...rest } = options
  return { ...rest, timeoutMs: LONGEST_TIMER_MS, ...(relay && { relay: questionsOf(relay) }) }
}

/** The answer, unless the caller's signal or the deadline is first; `undo` is then given what comes after all. */
export async function untilAccepted<Value>(
  accepted: Promise<Value>,
  options: RequestOptions,
  callMs: number,
  undo: (value: Value) => unknown,
): Promise<Value> {
  const signal = signalOf(options)
  const { timeoutMs = callMs } = options
  // Nobody is left who could be told of a failure.
  const giveUp = (): void => void accepted.then(undo).catch(() => {})
  try {
    return await within(accepted, { timeoutMs, ...(signal && { signal }) }, giveUp)
  } catch (error) {
    const local = error instanceof PorticoError && (error.code === 'timeout' || error.code === 'aborted')
    if (!local || error.delivery !== undefined) throw error
    throw new PorticoError(error.code, error.message, { cause: error.cause, delivery: 'unknown' })
  }
}
