/**
 * Two channels joined in memory, for tests and for a client and a server in one program. What crosses is text, parsed
 * on the other side, so that nothing passes here that would not pass a wire; a side that is not open yet is a peer that
 * does not read. By reference, what crosses is a copy of what the text would have said, and neither side can reach into
 * the other's objects.
 */

import { type JsonLimits, parseJson } from '../framing/json.ts'
import { copyJson, type JsonCopy } from '../framing/json-copy.ts'
import type { Channel, ChannelEvents, Urgency } from '../jsonrpc/channel.ts'
import { type SendLimits, SendQueue } from './send-queue.ts'

interface MemoryOptions extends SendLimits {
  /** Whether messages cross as values, without being written and parsed. */
  readonly byReference?: boolean
  /** What the second of the two may be sent, where that is not the usual. */
  readonly answerLimits?: JsonLimits
}

/**
 * Makes two channels that are each other's other end, within this process.
 *
 * @example
 * ```ts
 * import { createMemoryChannels, serveChannel } from '@portico/sdk/transport'
 * import { connect } from '@portico/sdk/client'
 *
 * const [near, far] = createMemoryChannels()
 * serveChannel(server, near)
 * const client = await connect(far)
 * ```
 */
export function createMemoryChannels(options: MemoryOptions = {}): [Channel, Channel] {
  const left = new MemoryChannel(options)
  const right = new MemoryChannel(options, options.answerLimits)
  left.join(right)
  right.join(left)
  return [left, right]
}

class MemoryChannel implements Channel {
  readonly label = 'memory'
  readonly sendValue: ((message: object) => boolean) | undefined
  readonly #queue: SendQueue<string | JsonCopy>
  readonly #inbox: (string | JsonCopy)[] = []
  readonly #gone: Promise<void>
  readonly #received: JsonLimits | undefined
  #peer: MemoryChannel | undefined
  #events: ChannelEvents | undefined
  #resolveGone = (): void => {}
  #closing = false
  #ended = false
  #closed = false
  #reason: Error | undefined

  constructor({ byReference, ...limits }: MemoryOptions, received?: JsonLimits) {
    this.#received = received
    this.sendValue = byReference ? (message) => this.#sendCopy(message) : undefined
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.#queue = new SendQueue({
      ...limits,
      write: (texts) => this.#peer?.receive(texts) ?? false,
      overflow: (error) => {
        this.#peer?.end(error)
        this.end(error)
      },
    })
  }

  join(peer: MemoryChannel): void {
    this.#peer = peer
  }

  open(events: ChannelEvents): void {
    this.#events = events
    queueMicrotask(() => {
      this.#deliver(this.#inbox.splice(0))
      this.#peer?.resume()
      if (this.#ended) this.#finish()
    })
  }

  send(text: string, urgency?: Urgency, key?: string | number): void {
    if (!this.#closing) this.#queue.push(text, urgency, key)
  }

  flush(): Promise<void> {
    return this.#queue.flushed()
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      // Later, since a receiver may close from within a delivery.
      queueMicrotask(() => this.#shut())
    }
    return this.#gone
  }

  /** Takes texts from the other side. False while nobody listens here. */
  receive(texts: (string | JsonCopy)[]): boolean {
    if (this.#events === undefined) {
      for (const text of texts) this.#inbox.push(text)
      return false
    }
    this.#deliver(texts)
    return true
  }

  /** The other side can be written to. */
  resume(): void {
    this.#queue.drained()
  }

  end(reason?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#closing = true
    this.#reason = reason
    this.#queue.close()
    if (this.#events === undefined) this.#resolveGone()
    else queueMicrotask(() => this.#finish())
  }

  #shut(): void {
    // A peer that never opened takes what is left into its inbox, to be read should it open later.
    while (this.#queue.waiting > 0) this.#queue.drained()
    this.#peer?.end()
    this.end()
  }

  #sendCopy(message: object): boolean {
    const copy = copyJson(message)
    if (copy === undefined) return false
    if (!this.#closing) this.#queue.push(copy)
    return true
  }

  #deliver(texts: readonly (string | JsonCopy)[]): void {
    for (const text of texts) {
      if (this.#closed) return
      if (typeof text !== 'string') {
        this.#events?.message(text.value)
        continue
      }
      const parsed = parseJson(text, this.#received)
      if (parsed.ok) this.#events?.message(parsed.value)
      else this.#events?.malformed({ ...parsed, excerpt: text.slice(0, 200) })
    }
  }

  #finish(): void {
    if (this.#closed) return
    this.#closed = true
    this.#events?.closed(this.#reason)
    this.#resolveGone()
  }
}
