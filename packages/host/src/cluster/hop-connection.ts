/**
 * A connection between two replicas. Each shows first that it has the key of the cluster, and the one that listens also that it is
 * the replica that was meant; nothing else is read before. From both their random numbers come keys that no other connection
 * has, so that what was sent on one opens on no other.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import { FrameReader, FrameWriter } from './hop-frames.ts'
import { deriveKey, type Seal, TAG_BYTES } from './seal.ts'

/** Who uses a connection at the moment. */
export interface HopUser {
  received(value: unknown): void
  drained(): void
  /** `code` is that of the system, where it has one. */
  closed(code: string | undefined): void
}

interface Nonces {
  /** Of the one that connects. */
  readonly near: Buffer
  readonly far: Buffer
}

const NONCE_BYTES = 16
const PROOF_BYTES = 32
/** Why a connection could not be used: there is somebody else. */
export const NOT_KNOWN = 'EPORTICONOTKNOWN'
const KEEP_ALIVE_MS = 30_000
/** Twice what a body may be before a string cannot hold it: quotes in it are escaped once more on the way. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024

export class HopConnection {
  #user: HopUser | undefined
  readonly #socket: Socket
  readonly #writer: FrameWriter
  readonly #reader: FrameReader
  #code: string | undefined

  constructor(socket: Socket, keys: { readonly send: Buffer; readonly receive: Buffer }) {
    this.#socket = socket
    this.#writer = new FrameWriter(keys.send)
    this.#reader = new FrameReader(keys.receive, MAX_FRAME_BYTES)
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS).setTimeout(0)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('drain', () => this.#user?.drained())
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.#code = code
    })
    socket.on('timeout', () => socket.destroy())
    socket.on('close', () => this.#user?.closed(this.#code))
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  /** False where the other side does not keep up. `done` is called when it has left this process. */
  send(value: object, done?: () => void): boolean {
    if (this.#socket.destroyed) return true
    return this.#socket.write(this.#writer.write(value), (error) => (error ? undefined : done?.()))
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Who hears from now on what comes. */
  use(user: HopUser): void {
    this.#user = user
    this.#socket.setTimeout(0).ref().resume()
  }

  /** Nobody uses it: it does not keep the process, and is closed after so long, or when anything comes. */
  rest(idleMs: number, closed: () => void): void {
    this.#user = { received: () => this.destroy(), drained: () => undefined, closed }
    this.#socket.setTimeout(idleMs).unref().resume()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const values: unknown[] = []
    try {
      for (const value of this.#reader.read(chunk)) values.push(value)
    } catch {
      // What came whole before it is still heard.
      this.#socket.destroy()
    }
    for (const value of values) this.#user?.received(value)
  }
}

/** On a socket that has connected: resolves if the replica of this name is there. Says nothing where the socket is closed meanwhile. */
export function greet(socket: Socket, seal: Seal, to: string): Promise<HopConnection> {
  const near = randomBytes(NONCE_BYTES)
  const { key, tag } = seal.current
  socket.write(Buffer.concat([tag, near]))
  return new Promise((resolve, reject) => {
    take(socket, NONCE_BYTES + PROOF_BYTES, (bytes) => {
      const nonces = { near, far: bytes.subarray(0, NONCE_BYTES) }
      if (!timingSafeEqual(bytes.subarray(NONCE_BYTES), proofOf(key, `${to} listens`, nonces))) {
        reject(Object.assign(new Error('Not the replica that was meant'), { code: NOT_KNOWN }))
        socket.destroy()
        return
      }
      socket.write(proofOf(key, `${to} is asked`, nonces))
      const { asking, answering } = keysOf(key, to, nonces)
      resolve(new HopConnection(socket, { send: asking, receive: answering }))
    })
  })
}

/** On a socket that somebody opened to the replica of this name: `done` gets it if that was a replica. All others are closed. */
export function admit(socket: Socket, seal: Seal, name: string, done: (connection: HopConnection) => void): void {
  take(socket, TAG_BYTES + NONCE_BYTES, (hello) => {
    const key = seal.find(hello.subarray(0, TAG_BYTES))
    if (key === undefined) return void socket.destroy()
    const nonces = { near: hello.subarray(TAG_BYTES), far: randomBytes(NONCE_BYTES) }
    socket.write(Buffer.concat([nonces.far, proofOf(key, `${name} listens`, nonces)]))
    take(socket, PROOF_BYTES, (proof) => {
      if (!timingSafeEqual(proof, proofOf(key, `${name} is asked`, nonces))) return void socket.destroy()
      const { asking, answering } = keysOf(key, name, nonces)
      done(new HopConnection(socket, { send: answering, receive: asking }))
      socket.resume()
    })
  })
}

/** The first bytes, as many as these; what came behind them is read by whoever is next. */
function take(socket: Socket, count: number, done: (bytes: Buffer) => void): void {
  let got = Buffer.alloc(0)
  const add = (chunk: Buffer): void => {
    got = Buffer.concat([got, chunk])
    if (got.length < count) return
    socket.off('data', add)
    socket.pause()
    if (got.length > count) socket.unshift(got.subarray(count))
    done(got.subarray(0, count))
  }
  socket.on('data', add)
  socket.resume()
}

function proofOf(key: Buffer, words: string, { near, far }: Nonces): Buffer {
  return createHmac('sha256', key).update(near).update(far).update(words).digest()
}

function keysOf(
  key: Buffer,
  to: string,
  { near, far }: Nonces,
): { readonly asking: Buffer; readonly answering: Buffer } {
  const salt = Buffer.concat([near, far])
  return { asking: deriveKey(key, salt, `hop to ${to}`), answering: deriveKey(key, salt, `hop from ${to}`) }
}
