/**
 * The HTTP that clients speak, reduced to what they need of it: one request, a head, a body that arrives in pieces. The
 * implementations are `http-client-node.ts` (node:http with kept-alive sockets, four times as fast as `fetch` there)
 * and `http-client-fetch.ts` (every other runtime, or a `fetch` of the caller's). They move bytes; what an answer means
 * is judged in `connect/http-link.ts` and `sse-client.ts`, and what is sent again in `http-client-repeat.ts`.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  /** To send it twice does no harm, whether or not the first was processed. True for all but POST unless given. */
  readonly repeatable?: boolean
  /** Wants a connection that nothing was sent on before, where that can be had. */
  readonly fresh?: boolean
}

/** What becomes of a request. Exactly one of the two is called, unless it was aborted before. */
export interface HttpOutcome {
  answered(answer: HttpAnswer): void
  failed(error: PorticoError): void
  /** Something that takes its own time, such as a person's sign-in, begins or ends before the request can go on. */
  held?(waiting: boolean): void
}

export interface HttpAnswer {
  readonly status: number
  header(name: string): string | undefined
  /** Begins delivery of the body. Called once; an answer that nobody reads is discarded with `abort`. */
  read(body: BodySink): void
}

export interface BodySink {
  data(chunk: Uint8Array): void
  /** The body is over: whole, or broken off when there is an error. Called exactly once, never after `abort`. */
  end(error?: PorticoError): void
}

export interface HttpCall {
  /** Ends the request at once; nothing is called afterwards. Idempotent. */
  abort(): void
}

export interface HttpDialer {
  request(request: HttpRequest, outcome: HttpOutcome): HttpCall
  /** Closes idle connections and those in use. */
  close(): void
}

export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** Collects a body as text, bounded. `done` gets the text or the reason why there is none. */
export function readText(
  answer: HttpAnswer,
  call: HttpCall,
  maxBytes: number,
  done: (text: string | PorticoError) => void,
): void {
  const chunks: Uint8Array[] = []
  let size = 0
  answer.read({
    data(chunk) {
      size += chunk.length
      if (size > maxBytes) {
        call.abort()
        done(new PorticoError('limit-exceeded', `maxAnswerBytes (${maxBytes}) exceeded`, unknownDelivery))
        return
      }
      chunks.push(chunk)
    },
    end(error) {
      done(error ?? decode(chunks, size))
    },
  })
}

/** Lets a short body that nobody wants pass by, so that its socket can be used again. */
export function discard(answer: HttpAnswer, call: HttpCall): void {
  let size = 0
  answer.read({
    data(chunk) {
      size += chunk.length
      if (size > MAX_DISCARDED_BYTES) call.abort()
    },
    end() {},
  })
}

const MAX_DISCARDED_BYTES = 65_536

const unknownDelivery = { delivery: 'unknown' } as const

const STRICT = new TextDecoder('utf-8', { fatal: true })

function decode(chunks: readonly Uint8Array[], size: number): string | PorticoError {
  try {
    return STRICT.decode(chunks.length === 1 ? chunks[0] : join(chunks, size))
  } catch (cause) {
    return new PorticoError('invalid-message', 'The answer is not UTF-8', { cause, ...unknownDelivery })
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
