/**
 * Passes a request to another replica and its answer back to the caller, both as they come: a caller that leaves ends the
 * request there, one that reads slowly slows the other replica down.
 */

import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import type { HttpRequest, Reply, StreamWriter } from '@portico/sdk/internal'
import type { Principal } from '@portico/sdk/server'
import { PROOF_HEADER, sealHop, toHop, withChallenge } from './hop.ts'
import { type Frame, FrameReader } from './hop-frames.ts'
import type { Seal } from './seal.ts'

/**
 * What came of it: the caller has its answer; the replica says that it is elsewhere; nobody listens there; it could not be
 * reached, or not in time, and nothing was done; the connection was closed before it was taken, and nothing was done; it was
 * taken, and nobody knows what came of it.
 */
export type Passed = 'answered' | 'moved' | 'refused' | 'unreachable' | 'dropped' | 'lost'

interface Passing {
  readonly request: HttpRequest
  readonly principal: Principal | undefined
  readonly body: string | undefined
}

const CONNECT_MS = 3_000
const MAX_IDLE = 256
const DEAD = new Set(['ECONNREFUSED', 'ENOENT'])
const CLOSED = new Set(['ECONNRESET', 'EPIPE'])

export class Forwarder {
  readonly #seal: Seal
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: MAX_IDLE })

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /** Passes a request to the replica of this name at this address. */
  pass({ request, principal, body }: Passing, to: string, url: string, isThere: IsThere): Promise<Passed> {
    const { bytes, key } = sealHop(toHop(request, principal, to, body), this.#seal)
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': bytes.length,
      [PROOF_HEADER]: this.#seal.prove(`${to} ${bytes.length}`),
    }
    const target = url.startsWith('unix:') ? { socketPath: url.slice(5) } : toAddress(url)
    const sent = openRequest({ ...target, path: '/hop', method: 'POST', agent: this.#agent, headers })
    const passing = new Exchange(sent, new FrameReader(key), request.reply, principal)
    sent.end(bytes)
    const stop = watch(isThere, () => passing.abandon())
    return passing.outcome.finally(stop)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Whether the replica is still one, as far as the others know. */
type IsThere = () => Promise<boolean>

const WATCH_MS = 2_000

/**
 * Looks now and then whether the replica that a request waits for is still there. One that stands still holds its connections open,
 * and nobody would ever hear of them again.
 */
function watch(isThere: IsThere, gone: () => void): () => void {
  const look = (): void => {
    isThere().then(
      (there) => there || gone(),
      // Nobody can know while the store is away.
      () => undefined,
    )
  }
  const timer = setInterval(look, WATCH_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function toAddress(url: string): { readonly host: string; readonly port: string } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port }
}

/** One request on its way, until the caller has all of its answer. */
class Exchange {
  readonly outcome: Promise<Passed>
  readonly #sent: ClientRequest
  readonly #frames: FrameReader
  readonly #reply: Reply
  readonly #principal: Principal | undefined
  #settle: (passed: Passed) => void = () => undefined
  #writer: StreamWriter | undefined
  #state: 'sent' | 'taken' | 'streaming' | 'over' = 'sent'

  constructor(sent: ClientRequest, frames: FrameReader, reply: Reply, principal: Principal | undefined) {
    this.#sent = sent
    this.#frames = frames
    this.#reply = reply
    this.#principal = principal
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve
    })
    const timer = setTimeout(
      () => sent.destroy(Object.assign(new Error('No answer'), { code: 'ETIMEDOUT' })),
      CONNECT_MS,
    )
    let connected = false
    const reached = (): void => {
      connected = true
      clearTimeout(timer)
    }
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', reached)
      else reached()
    })
    sent.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      if (connected && this.#state === 'sent' && CLOSED.has(code)) this.#over('dropped')
      else this.#failed(connected ? undefined : code)
    })
    sent.on('response', (answer) => this.#answered(answer))
    reply.watch({ gone: () => this.#gone() })
  }

  #answered(answer: IncomingMessage): void {
    answer.on('error', () => this.#failed(undefined))
    answer.on('close', () => this.#failed(undefined))
    if (answer.statusCode !== 200) {
      // It is no replica that this one knows, or another one than it was.
      answer.resume()
      this.#over('moved')
      return
    }
    answer.on('data', (chunk: Buffer) => {
      try {
        for (const frame of this.#frames.read(chunk)) this.#take(frame, answer)
      } catch {
        this.#sent.destroy()
      }
    })
  }

  #take(frame: Frame, answer: IncomingMessage): void {
    const { kind } = frame
    if (kind === 'moved') this.#over('moved')
    else if (kind === 'taken') this.#state = 'taken'
    else if (kind === 'stream') this.#stream(frame.headers, answer)
    else if (kind === 'write') {
      if (this.#writer?.write(frame.text) === false) answer.pause()
    } else {
      this.#over('answered')
      if (kind === 'json') this.#reply.json(frame.status, frame.text, withChallenge(frame.headers, this.#principal))
      else if (kind === 'empty') this.#reply.empty(frame.status, frame.headers)
      else this.#writer?.end()
    }
  }

  #stream(headers: readonly string[] | undefined, answer: IncomingMessage): void {
    this.#state = 'streaming'
    this.#writer = this.#reply.stream(headers)
    this.#writer.open({ drained: () => void answer.resume(), closed: () => this.#gone() })
  }

  /** Nobody is there any more who could answer; whether it was done is not known. */
  abandon(): void {
    this.#failed(undefined)
    this.#sent.destroy()
  }

  #gone(): void {
    if (this.#state === 'over') return
    this.#over('answered')
    this.#sent.destroy()
  }

  /** `code` is that of an error from before the connection stood. */
  #failed(code: string | undefined): void {
    if (this.#state === 'over') return
    if (this.#state === 'streaming') {
      this.#over('answered')
      // Broken off, not ended: the caller knows that there was more to come.
      this.#writer?.abort()
    } else this.#over(code === undefined ? 'lost' : DEAD.has(code) ? 'refused' : 'unreachable')
  }

  #over(passed: Passed): void {
    this.#state = 'over'
    this.#settle(passed)
  }
}
