/**
 * A 2025 session as Streamable HTTP keeps it: the protocol's session under an unguessable id, with the streams that
 * can be resumed. An idle session holds little: streams and their store are made when first needed.
 */

import type { Principal } from '../../auth/principal.ts'
import type { Urgency } from '../../jsonrpc/channel.ts'
import type { RequestId } from '../../jsonrpc/message.ts'
import { LegacySession, type MessageSink } from '../../session/legacy-session.ts'
import type { EventStreamSettings } from '../../transport/http-event-stream.ts'
import type { ServeLimits } from '../rules/limits.ts'
import type { EventStore, EventStoreFactory } from './event-store.ts'
import type { SharedSessions } from './session-sharing.ts'
import type { Expiring } from './session-store.ts'
import { ResumableStream, type StreamHost } from './streamable-stream.ts'

/** What all sessions of a server share. */
export interface SessionSettings {
  readonly limits: ServeLimits
  readonly stream: EventStreamSettings
  readonly events: EventStoreFactory
  /** Where several processes serve the sessions. */
  readonly shared?: SharedSessions<HttpSession> | undefined
  /** Failures that no client may see. */
  readonly onError: (error: unknown) => void
}

/** Finished streams that a session keeps for resuming, at most. */
const MAX_FINISHED = 16
/** The stream for messages about no request has the same name in every process. */
const STANDALONE = '0'
/** What a process numbers begins so far above what the one before it may have numbered. */
const NUMBERS_EACH = 1e9
/** When a client comes back to a session that went to another process. */
const LEFT_RETRY_MS = 100

export class HttpSession implements Expiring, StreamHost, MessageSink {
  readonly id: string
  readonly session: LegacySession
  lastUsed = 0
  /** It went to another process. */
  left = false
  /** Requests under way and connections open. */
  uses = 0
  readonly #settings: SessionSettings
  #events: EventStore | undefined
  /** The streams of requests, by id; `#standalone` belongs to none. */
  #streams: Map<string, ResumableStream> | undefined
  #standalone: ResumableStream | undefined
  #lastStream: number
  #finished = 0
  /** `takeovers` is how many processes had the session before. */
  constructor(principal: Principal | undefined, settings: SessionSettings, id = createSessionId(), takeovers = 0) {
    this.id = id
    this.#settings = settings
    this.session = new LegacySession(this, principal)
    this.#lastStream = takeovers * NUMBERS_EACH
    if (takeovers > 0) this.session.firstQuestion = this.#lastStream + 1
  }

  get holder(): string | undefined {
    return this.session.principal?.id
  }

  get busy(): boolean {
    return this.uses > 0
  }

  get primed(): boolean {
    return this.session.initialized && this.session.revision.traits.primedStreams
  }

  /** Sessions are no authentication: the credential of each request has to be the one that opened it (sec-34, sec-35). */
  belongsTo(principal: Principal | undefined): boolean {
    return this.session.principal?.id === principal?.id
  }

  /** The stream for messages about no request. */
  get standalone(): ResumableStream {
    this.#standalone ??= this.restoreStream(STANDALONE, this.#lastStream)
    return this.#standalone
  }

  stream(id: string): ResumableStream | undefined {
    return id === STANDALONE ? this.#standalone : this.#streams?.get(id)
  }

  get events(): EventStore {
    this.#events ??= this.#settings.events(this.id)
    return this.#events
  }

  get settings(): EventStreamSettings {
    return this.#settings.stream
  }

  get maxReplayBytes(): number {
    return this.#settings.limits.maxReplayBytes
  }

  onError(error: unknown): void {
    this.#settings.onError(error)
  }

  /** Messages about no request go on the standalone stream, and wait there while nobody is connected. */
  post(text: string, urgency: Urgency): void {
    if (this.session.phase !== 'closed') this.standalone.send(text, urgency)
  }

  /** Opens the stream that answers these requests. */
  openStream(requests: readonly RequestId[]): ResumableStream {
    const stream = this.restoreStream((++this.#lastStream).toString(36), 0)
    if (this.#settings.shared !== undefined) this.events.opened?.(stream.id, requests)
    return stream
  }

  /** A stream by its name, from the event on that it had last. */
  restoreStream(id: string, newest: number): ResumableStream {
    const stream = new ResumableStream(id, this, newest)
    if (id === STANDALONE) this.#standalone = stream
    else {
      this.#streams ??= new Map()
      this.#streams.set(id, stream)
    }
    return stream
  }

  /** Ends a stream that answered its request. The oldest finished ones make room. */
  finishStream(stream: ResumableStream, text: string | undefined): void {
    stream.finish(text, Date.now())
    if (this.#settings.shared !== undefined && !this.left) this.events.ended?.(stream.id)
    if (++this.#finished > MAX_FINISHED) this.#dropFinished((_, index) => index === 0)
  }

  sweep(now: number): void {
    if (this.#finished > 0) this.#dropFinished((endedAt) => now - endedAt > this.#settings.limits.replayMs)
  }

  /** Ends it in this process alone: its streams close, and the client comes back for the rest of them. */
  leave(): void {
    this.left = true
    for (const stream of [this.#standalone, ...(this.#streams?.values() ?? [])]) {
      stream?.pause(LEFT_RETRY_MS, this.primed)
    }
    this.session.close()
    this.#streams = undefined
  }

  end(): void {
    this.session.close()
    this.#settings.shared?.ended(this.id).catch(this.#settings.onError)
    const standalone = this.#standalone === undefined ? [] : [this.#standalone]
    for (const stream of [...standalone, ...(this.#streams?.values() ?? [])]) {
      stream.finish(undefined, 0)
      this.#events?.drop(stream.id)
    }
    this.#streams = undefined
  }

  #dropFinished(isDue: (endedAt: number, index: number) => boolean): void {
    let index = 0
    for (const stream of this.#streams?.values() ?? []) {
      if (stream.endedAt === undefined) continue
      if (!isDue(stream.endedAt, index++)) continue
      this.#streams?.delete(stream.id)
      this.#events?.drop(stream.id)
      this.#finished--
    }
  }
}

/** 122 random bits and more, in characters that a header may carry (sec-29, sec-30). */
export function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20))
  // Joined, not added up: a string of pieces would keep the pieces for as long as the session lives.
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
