/**
 * One request over HTTP and everything that comes back on its stream. Ends in exactly one report: the response, or why
 * there is none, as soon as that is certain. A stream of the older revisions that broke off is taken up again where the
 * server gave its events ids.
 */

import { httpFault, type LinkEvents, type Outgoing } from '../client/link.ts'
import { parseJson } from '../framing/json.ts'
import { FRAMING_LIMITS } from '../framing/limits.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { classify } from '../jsonrpc/message.ts'
import {
  discard,
  type HttpAnswer,
  type HttpCall,
  type HttpOutcome,
  readText,
} from '../transport/http-client/http-client.ts'
import { type FramedLimits, inClientWords } from './answer-limits.ts'
import { invalidAnswer } from './channel-link.ts'
import {
  backoff,
  contentType,
  errorInBody,
  isAboutAddress,
  isUnauthorized,
  redirectOf,
  statusError,
  withReason,
} from './http-answer.ts'
import { ResumableStream } from './resumable-stream.ts'

/** What an exchange needs of the link that it belongs to. */
export interface ExchangeHost {
  readonly events: LinkEvents
  url: URL
  /** Sends the request's POST, or with `resumeAfter` the GET that takes its stream up again. */
  dispatch(outgoing: Outgoing, outcome: HttpOutcome, resumeAfter?: string): HttpCall
  /** Looks at the head of every answer before its status is judged. False when the answer cannot be used. */
  noteHead(outgoing: Outgoing, answer: HttpAnswer): PorticoError | undefined
  /** Whether the server's refusal could be remedied, so that the request may be sent again. */
  remedy(answer: HttpAnswer): Promise<boolean> | undefined
  /** Requests carry a session id that the server may have forgotten. */
  readonly inSession: boolean
  /** How long a stream that has a heartbeat may be silent. */
  readonly silenceMs: number | undefined
  /** What an answer may be. */
  readonly limits: FramedLimits
  ended(exchange: HttpExchange): void
}

export class HttpExchange implements HttpOutcome {
  readonly outgoing: Outgoing
  readonly modern: boolean
  readonly #host: ExchangeHost
  #call: HttpCall | undefined
  /** The event stream that the answer comes on, once it is one. */
  #stream: ResumableStream | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #done = false
  #redirects = 0
  #remedied = false

  constructor(host: ExchangeHost, outgoing: Outgoing, modern: boolean) {
    this.#host = host
    this.outgoing = outgoing
    this.modern = modern
  }

  start(): void {
    this.#call = this.#host.dispatch(this.outgoing, this)
  }

  /** Stops without a report. */
  abort(): void {
    this.#done = true
    this.#stream?.stop()
    clearTimeout(this.#timer)
    this.#call?.abort()
  }

  answered(answer: HttpAnswer): void {
    if (this.#done) return
    const { status } = answer
    const unusable = this.#host.noteHead(this.outgoing, answer)
    if (unusable !== undefined) {
      this.#drop(unusable)
      return
    }
    if (this.#isResumable()) {
      this.#resumed(answer)
      return
    }
    if (status === 200) {
      this.#read(answer)
      return
    }
    if (status >= 200 && status < 300) {
      this.#pass(answer, invalidAnswer(`HTTP ${status} came in place of one`))
      return
    }
    const target = redirectOf(answer, this.#host.url)
    if (target !== undefined && this.#redirects++ < MAX_REDIRECTS) {
      this.#call?.abort()
      this.#host.url = target
      this.start()
      return
    }
    const remedy = this.#remedied ? undefined : this.#host.remedy(answer)
    if (remedy === undefined) {
      this.#refused(answer)
      return
    }
    this.#remedied = true
    void remedy.then(
      (again) => {
        if (this.#done) return
        if (!again) {
          this.#refused(answer)
          return
        }
        this.#call?.abort()
        this.start()
      },
      (error) => this.#drop(error),
    )
  }

  failed(error: PorticoError): void {
    if (this.#done) return
    if (this.#isResumable()) this.#resumeLater(error)
    else this.#fail(error)
  }

  held(waiting: boolean): void {
    if (!this.#done) this.#host.events.held?.(this.outgoing.id, waiting)
  }

  #read(answer: HttpAnswer): void {
    const type = contentType(answer)
    if (type === 'text/event-stream') {
      this.#readStream(answer)
      return
    }
    if (type !== 'application/json') {
      this.#drop(invalidAnswer(`its content type is ${JSON.stringify(type)}`))
      return
    }
    readText(answer, this.#call!, this.#host.limits.maxAnswerBytes, (text) => {
      if (this.#done) return
      if (typeof text !== 'string') {
        this.#fail(text)
        return
      }
      this.#take(text)
      if (!this.#done) this.#fail(invalidAnswer(text === '' ? 'the body is empty' : 'the body holds no response'))
    })
  }

  #readStream(answer: HttpAnswer): void {
    this.#stream ??= new ResumableStream({
      message: (data) => {
        if (!this.#done) this.#take(data)
      },
      fault: (reason) =>
        this.#drop(new PorticoError('limit-exceeded', `An event was not taken: ${inClientWords(reason)}`, UNKNOWN)),
      ended: (error) => {
        if (this.#done) clearTimeout(this.#timer)
        else this.#brokeOff(error ?? new PorticoError('closed', 'The stream ended without the response', UNKNOWN))
      },
    })
    this.#stream.read(answer, this.#call!, this.#host.silenceMs, this.#host.limits.maxEventBytes)
  }

  #isResumable(): boolean {
    return this.#stream !== undefined && this.#stream.lastEventId !== ''
  }

  #brokeOff(cause: PorticoError): void {
    if (this.modern || !this.#isResumable()) this.#fail(cause)
    else this.#resumeLater(cause)
  }

  /** Takes one JSON text: a message, or an array of them where the revision has batches. */
  #take(text: string): void {
    const parsed = parseJson(text, this.#host.limits)
    if (!parsed.ok) {
      const code = parsed.kind === 'limit' ? 'limit-exceeded' : 'invalid-message'
      this.#drop(new PorticoError(code, `The answer is not valid: ${parsed.reason}`, UNKNOWN))
      return
    }
    const values = Array.isArray(parsed.value) ? parsed.value.slice(0, FRAMING_LIMITS.maxBatch) : [parsed.value]
    for (const value of values) if (!this.#done) this.#takeMessage(value)
  }

  #takeMessage(value: unknown): void {
    const classified = classify(value)
    const { events } = this.#host
    const { id } = this.outgoing
    if (classified.kind === 'invalid') {
      this.#drop(invalidAnswer(classified.reason))
      return
    }
    if (classified.kind === 'response') {
      const response = classified.message
      const unnamed = 'error' in response && (response.id === undefined || response.id === null)
      if (response.id !== id && !unnamed) {
        this.#drop(invalidAnswer('it carries the id of another request'))
        return
      }
      this.#finish()
      events.response(unnamed ? { ...response, id } : response)
      return
    }
    if (classified.kind === 'request' && this.modern) {
      events.irregular('A request from the server was left out', classified.message.method)
      return
    }
    events.message(classified.message, id)
  }

  #refused(answer: HttpAnswer): void {
    const error = statusError(answer, this.#host.inSession && !this.modern, this.#host.url)
    const { sessionLost, retryAfterMs } = httpFault(error) ?? {}
    // Who is told to come back later, signed in, or with a new session, does that, whatever the body says.
    const isFinal = sessionLost !== true && retryAfterMs === undefined && !isUnauthorized(answer)
    readText(answer, this.#call!, this.#host.limits.maxAnswerBytes, (text) => {
      if (this.#done) return
      const response = typeof text === 'string' ? errorInBody(text, this.outgoing.id) : undefined
      if (response === undefined || !isFinal || isAboutAddress(answer, response)) {
        this.#fail(retryAfterMs === undefined ? error : withReason(error, response))
        return
      }
      this.#finish()
      this.#host.events.response(response)
    })
  }

  #resumed(answer: HttpAnswer): void {
    if (answer.status === 200 && contentType(answer) === 'text/event-stream') {
      this.#readStream(answer)
      return
    }
    const cause = statusError(answer, this.#host.inSession)
    if (answer.status >= 500 || answer.status === 429) {
      discard(answer, this.#call!)
      this.#resumeLater(cause)
      return
    }
    this.#drop(cause)
  }

  #resumeLater(cause: PorticoError): void {
    const stream = this.#stream
    if (stream === undefined || stream.failures >= MAX_RESUMES) {
      this.#fail(cause)
      return
    }
    const waitMs = stream.retryMs ?? backoff(stream.failures)
    if (stream.retryMs !== undefined) this.#host.events.paused?.(this.outgoing.id, waitMs)
    stream.failures++
    this.#timer = setTimeout(() => {
      this.#call = this.#host.dispatch(this.outgoing, this, stream.lastEventId)
    }, waitMs)
  }

  /** Ends in failure and lets go of the connection. */
  #drop(error: PorticoError): void {
    if (this.#done) return
    this.#call?.abort()
    this.#fail(error)
  }

  /** Ends in failure; the rest of a short body passes by. */
  #pass(answer: HttpAnswer, error: PorticoError): void {
    discard(answer, this.#call!)
    this.#fail(error)
  }

  #fail(error: PorticoError): void {
    if (this.#done) return
    this.#done = true
    this.#stream?.stop()
    this.#host.ended(this)
    // Once its answer has begun, the server has the request: what refuses or prevents the stream from then on is about the
    // stream, and no leave to send the request again (sec-746).
    const begun = this.#stream !== undefined && error.delivery !== 'unknown'
    const told = begun
      ? new PorticoError('closed', 'The stream broke off for good', { cause: error, ...UNKNOWN })
      : error
    this.#host.events.failed(this.outgoing.id, told)
  }

  /** The response is here. The server should end the stream now; one that does not is cut off a little later. */
  #finish(): void {
    this.#done = true
    if (this.#stream !== undefined) {
      this.#stream.stop()
      const call = this.#call
      this.#timer = setTimeout(() => call?.abort(), LINGER_MS)
      unref(this.#timer)
    }
    this.#host.ended(this)
  }
}

const UNKNOWN = { delivery: 'unknown' } as const
const MAX_REDIRECTS = 3
const MAX_RESUMES = 20
const LINGER_MS = 1_000

/** Node's timers keep a process alive; those of the web are numbers. */
function unref(timer: ReturnType<typeof setTimeout> | number): void {
  if (typeof timer === 'object') timer.unref()
}
