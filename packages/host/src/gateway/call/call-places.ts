/** Where calls wait that outlive a run of the handler, and how much of them is kept until they are taken up again. */

import type { Progress } from '@portico/sdk/client'

/** A call as its place knows it. */
export interface WaitingCall {
  readonly id: string
  readonly principal: string | undefined
  cancel(reason: string): void
  /** Ends it with the gateway; what a server keeps for another process goes on there where it is `kept` here, too. */
  end(reason: string, kept: boolean): void
}

export interface CallPlaces {
  /** The name of this process among several. */
  readonly replica: string | undefined
  /** Called before a question of a call that may have to wait for another request. Throws when it may not. */
  enter(call: WaitingCall): void
  /** Counts bytes that are kept for it. Throws when there is no room for them. */
  keep(call: WaitingCall, bytes: number): void
  unkeep(call: WaitingCall, bytes: number): void
  /** The run that was attached is over, and the call waits, for a moment that is given; false when there is no place for it. */
  wait(call: WaitingCall, until?: number): boolean
  /** A run has heard the end, or nobody will. */
  leave(call: WaitingCall): void
}

/** Has bytes kept for a call, where there is room for them. */
export function isKept(places: CallPlaces, call: WaitingCall, bytes: number): boolean {
  try {
    places.keep(call, bytes)
    return true
  } catch {
    return false
  }
}

/** Characters of a message about progress that is kept. */
const MAX_MESSAGE = 4_096

/** Bytes of a value that is kept. What cannot be written as JSON is not known to be small. */
export function keptBytes(value: unknown): number {
  try {
    return 2 * (JSON.stringify(value, withMessages) ?? '').length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** What is kept of progress: without a message that is long. */
export function keptProgress({ message, ...rest }: Progress): Progress {
  return message === undefined || message.length > MAX_MESSAGE ? rest : { ...rest, message }
}

function withMessages(_key: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, message: value.message } : value
}
