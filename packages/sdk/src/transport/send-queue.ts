/**
 * The bounded queue between whoever sends and whatever writes. Duplex channels and event streams each own one: messages
 * queued in one turn of the event loop leave in one write, and while the peer does not read, the rules of `Urgency`
 * decide what waits, what is replaced and what is dropped. It knows texts only, or what has a length like them; framing is
 * the writer's.
 */

import { allowedMs } from '../framing/pace.ts'
import type { Sending } from '../framing/sending.ts'
import type { Urgency } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'

export const SEND_LIMITS = {
  /** What may wait for a peer that does not read before progress coalesces and logs drop. */
  maxQueueBytes: 1024 * 1024,
  /** What may wait in all; beyond this the connection is given up, since what is left may not be dropped. */
  maxKeptBytes: 64 * 1024 * 1024,
} as const

/** The most that waits to be sent. */
export interface SendLimits {
  readonly maxQueueBytes?: number | undefined
  readonly maxKeptBytes?: number | undefined
  /** How long a peer may take nothing of what waits for it before it is given up; for ever unless given. */
  readonly stalledMs?: number | undefined
}

/** How a queue writes, and its limits. */
export interface SendQueueOptions<Text = string> extends SendLimits {
  /** Counts what waits together with what waits for others. */
  readonly sending?: Sending | undefined
  /** Takes texts, in order, and keeps the array. False asks for a pause until `drained()`. Must not throw. */
  write(texts: Text[]): boolean
  /** Called once, when a bound is passed; the queue is closed then. */
  overflow(error: PorticoError): void
  /** Called when all that was queued is with the peer, as far as the writer knows. The queue can be let go until the next text. */
  idle?(): void
}

/** Somebody who waits until text number `upTo` was given to the writer. */
interface Flush {
  readonly upTo: number
  readonly resolve: () => void
}

/**
 * Messages that wait for a peer that reads slowly, within bounds. Sizes are counted in UTF-16 units, which is what a
 * waiting text costs in memory, up to a factor of two.
 */
export class SendQueue<Text extends { readonly length: number } = string> {
  readonly #options: SendQueueOptions<Text>
  readonly #maxQueue: number
  readonly #maxKept: number
  /** Waiting texts from `#head` on. The one at index `i` is number `#base + i` of all texts ever queued. */
  #texts: Text[] = []
  #head = 0
  #base = 0
  #size = 0
  /** What the write that asked for a pause took along: still unread by the peer. */
  #unread = 0
  #dropped = 0
  #blocked = false
  #scheduled = false
  #writing = false
  #closed = false
  /** The number of the newest waiting progress text by key; numbers already written are stale. */
  #newest: Map<string | number, number> | undefined
  #flushes: Flush[] | undefined
  /** Runs while the peer does not read. */
  #stalled: ReturnType<typeof setTimeout> | undefined

  constructor(options: SendQueueOptions<Text>) {
    this.#options = options
    this.#maxQueue = options.maxQueueBytes ?? SEND_LIMITS.maxQueueBytes
    this.#maxKept = options.maxKeptBytes ?? SEND_LIMITS.maxKeptBytes
  }

  /** How many log messages were dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** What waits, in the queue and in the write that has not drained. */
  get size(): number {
    return this.#size + this.#unread
  }

  /** How many texts the writer has not taken. */
  get waiting(): number {
    return this.#texts.length - this.#head
  }

  push(text: Text, urgency: Urgency = 'keep', key?: string | number): void {
    if (this.#closed) return
    if (this.#size + this.#unread + text.length > this.#maxQueue) {
      // Much queued in one turn says nothing of the peer; a write does.
      if (!this.#blocked) this.#write()
      if (this.#blocked && this.#yields(text, urgency, key)) return
    }
    if (urgency === 'progress' && key !== undefined) {
      this.#newest ??= new Map()
      this.#newest.set(key, this.#base + this.#texts.length)
    }
    this.#texts.push(text)
    this.#size += text.length
    if (this.#blocked) {
      if (this.size > this.#maxKept) this.#giveUp(`maxKeptBytes (${this.#maxKept})`)
      else this.#count()
    } else if (!this.#scheduled) {
      this.#scheduled = true
      // A function of its own each time costs less than one that every idle queue would keep.
      queueMicrotask(() => {
        this.#scheduled = false
        if (!this.#blocked) this.#write()
        this.#rest()
      })
    }
  }

  /** The writer can take more. */
  drained(): void {
    this.#unblock()
    this.#unread = 0
    this.#write()
    if (!this.#blocked) this.#options.sending?.waits(0)
    this.#rest()
  }

  /** Resolves once all that was queued so far was given to the writer, or the queue was closed. */
  flushed(): Promise<void> {
    if (!this.#blocked) this.#write()
    const upTo = this.#base + this.#texts.length
    if (this.#closed || this.#base + this.#head >= upTo) return Promise.resolve()
    this.#flushes ??= []
    const flushes = this.#flushes
    return new Promise((resolve) => flushes.push({ upTo, resolve }))
  }

  /** Forgets what waits and takes nothing more. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#stalled)
    this.#options.sending?.waits(0)
    this.#texts = []
    this.#head = 0
    this.#size = 0
    this.#unread = 0
    this.#newest = undefined
    for (const { resolve } of this.#flushes?.splice(0) ?? []) resolve()
  }

  /** Not from within a write: whoever called it may be about to queue something. */
  #rest(): void {
    if (!this.#writing && this.#size + this.#unread === 0) this.#options.idle?.()
  }

  /** True when a message for a peer that does not read needs no place of its own. */
  #yields(text: Text, urgency: Urgency, key: string | number | undefined): boolean {
    if (urgency === 'log') {
      this.#dropped++
      return true
    }
    if (urgency !== 'progress' || key === undefined) return false
    const number = this.#newest?.get(key)
    if (number === undefined || number < this.#base + this.#head) return false
    const index = number - this.#base
    this.#size += text.length - (this.#texts[index]?.length ?? 0)
    this.#texts[index] = text
    return true
  }

  #write(): void {
    // A writer in memory runs the receiver, which may send again from within.
    if (this.#writing) return
    this.#writing = true
    while (!this.#blocked && this.#head < this.#texts.length) {
      const before = this.#size
      const batch = this.#take()
      const taken = before - this.#size
      if (this.#options.write(batch)) continue
      this.#blocked = true
      if (this.#closed) break
      this.#unread = taken
      this.#watch()
      this.#count()
    }
    this.#writing = false
    if (this.#flushes !== undefined) this.#settleFlushes(this.#flushes)
  }

  /** All that waits, or the first part of it when that is a lot: what stays can still be replaced. */
  #take(): Text[] {
    if (this.#size <= WRITE_SIZE) {
      const all = this.#head === 0 ? this.#texts : this.#texts.slice(this.#head)
      this.#base += this.#texts.length
      this.#texts = []
      this.#head = 0
      this.#size = 0
      this.#newest?.clear()
      return all
    }
    const from = this.#head
    let taken = 0
    while (this.#head < this.#texts.length && taken < WRITE_SIZE) taken += this.#texts[this.#head++]?.length ?? 0
    const part = this.#texts.slice(from, this.#head)
    this.#size -= taken
    if (this.#head * 2 >= this.#texts.length) {
      this.#texts = this.#texts.slice(this.#head)
      this.#base += this.#head
      this.#head = 0
    }
    return part
  }

  #settleFlushes(flushes: readonly Flush[]): void {
    const written = this.#base + this.#head
    const due = flushes.filter(({ upTo }) => upTo <= written)
    if (due.length === 0) return
    const left = flushes.filter(({ upTo }) => upTo > written)
    this.#flushes = left.length === 0 ? undefined : left
    for (const { resolve } of due) resolve()
  }

  #count(): void {
    const passed = this.#options.sending?.waits(this.size)
    if (passed !== undefined) this.#giveUp(passed)
  }

  #watch(): void {
    const { stalledMs } = this.#options
    if (stalledMs === undefined) return
    const giveUp = (): void => this.#giveUp(`stalledMs (${stalledMs})`)
    this.#stalled = setTimeout(giveUp, allowedMs(stalledMs, this.#unread))
    // Node's timers are objects and would keep the process; elsewhere they are numbers.
    ;(this.#stalled as { unref?: () => void }).unref?.()
  }

  #unblock(): void {
    this.#blocked = false
    clearTimeout(this.#stalled)
    this.#stalled = undefined
  }

  #giveUp(bound: string): void {
    this.close()
    this.#options.overflow(new PorticoError('limit-exceeded', `${bound} exceeded: the other side does not read`))
  }
}

const WRITE_SIZE = 64 * 1024
