/**
 * Which acts of ours a server is working on, so that what it asks meanwhile is asked as part of the right conversation,
 * ends with the act, and what it asks with nothing under way is known to come from the background.
 */

import type { AskContext } from '@portico/sdk/client'
import type { ActOptions } from './options.ts'

/** One act under way. */
interface Flight {
  readonly options: ActOptions
  /** Fires when the act is over, however it ended. */
  readonly signal: AbortSignal
  end(): void
}

/** The act that a question belongs to, as far as that is known. */
interface Cause {
  /** Undefined when nothing is under way, or it cannot be told which of several conversations the question is part of. */
  readonly act: ActOptions | undefined
  /** Fires when nothing that the question can belong to is under way any more. */
  readonly signal: AbortSignal | undefined
}

export class CallsInFlight {
  readonly #flights = new Map<string, Set<Flight>>()

  /** Notes an act; end it when it is over. */
  enter(server: string, options: ActOptions): Flight {
    const flights = this.#flights.get(server) ?? new Set()
    this.#flights.set(server, flights)
    const flight = new ActUnderWay(options, flights)
    flights.add(flight)
    return flight
  }

  /** What a server asks about. Where its connection does not say, only acts of one and the same session answer for it. */
  causeOf(server: string, { owner, owned }: Pick<AskContext, 'owner' | 'owned'>): Cause {
    const flights = [...(this.#flights.get(server) ?? [])]
    const certain = owned === true ? flights.find((one) => one === owner) : undefined
    if (certain !== undefined) return { act: certain.options, signal: certain.signal }
    const newest = flights.at(-1)
    if (newest === undefined) return { act: undefined, signal: undefined }
    const isOne = flights.every(({ options }) => isSame(options, newest.options))
    return { act: isOne ? newest.options : undefined, signal: whenAllEnd(flights) }
  }
}

class ActUnderWay implements Flight {
  readonly options: ActOptions
  readonly #flights: Set<Flight>
  /** Made for the first who asks: few calls are asked about. */
  #over: AbortController | undefined

  constructor(options: ActOptions, flights: Set<Flight>) {
    this.options = options
    this.#flights = flights
  }

  get signal(): AbortSignal {
    this.#over ??= new AbortController()
    return this.#over.signal
  }

  end(): void {
    this.#flights.delete(this)
    this.#over?.abort(new DOMException('The call that it was asked in is over', 'AbortError'))
  }
}

function isSame(one: ActOptions, other: ActOptions): boolean {
  return one.session === other.session && one.principal?.id === other.principal?.id
}

function whenAllEnd(flights: readonly Flight[]): AbortSignal {
  const over = new AbortController()
  let left = flights.length
  for (const { signal } of flights) {
    const ended = () => {
      left--
      if (left === 0) over.abort(signal.reason)
    }
    signal.addEventListener('abort', ended, { once: true })
  }
  return over.signal
}
