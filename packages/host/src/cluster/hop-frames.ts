/**
 * The answer of one replica to another, as frames on an HTTP body: each is sealed under a key that only this exchange has and
 * under its number, so that none can be altered, left out or told again; the last one says that it is the last.
 */

import { createCipheriv, createDecipheriv } from 'node:crypto'

/** What a replica says about the request that it was passed. */
export type Frame =
  /** It is not for this replica; nothing was done. */
  | { readonly kind: 'moved' }
  /** It was taken, and is being served from now on. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'json'; readonly status: number; readonly text: string; readonly headers?: readonly string[] }
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: readonly string[] }
  | { readonly kind: 'stream'; readonly headers?: readonly string[] }
  | { readonly kind: 'write'; readonly text: string }
  | { readonly kind: 'end' }

const LENGTH_BYTES = 4
const MAC_BYTES = 16
const MAX_FRAME_BYTES = 256 * 1024 * 1024

export class FrameWriter {
  readonly #key: Buffer
  #count = 0

  constructor(key: Buffer) {
    this.#key = key
  }

  write(frame: Frame): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, toIv(this.#count++))
    const sealed = Buffer.concat([cipher.update(JSON.stringify(frame), 'utf8'), cipher.final(), cipher.getAuthTag()])
    const length = Buffer.allocUnsafe(LENGTH_BYTES)
    length.writeUInt32BE(sealed.length)
    return Buffer.concat([length, sealed])
  }
}

export class FrameReader {
  readonly #key: Buffer
  #count = 0
  #waiting: Buffer[] = []
  #size = 0

  constructor(key: Buffer) {
    this.#key = key
  }

  /** The frames that are complete with these bytes; throws for bytes that no replica wrote here. */
  *read(chunk: Buffer): Generator<Frame> {
    this.#waiting.push(chunk)
    this.#size += chunk.length
    while (this.#size >= LENGTH_BYTES) {
      const length = this.#peek(LENGTH_BYTES).readUInt32BE()
      if (length > MAX_FRAME_BYTES) throw new Error('A frame from another replica is too long')
      if (this.#size < LENGTH_BYTES + length) return
      const whole = this.#peek(LENGTH_BYTES + length)
      const rest = this.#joined.subarray(whole.length)
      this.#waiting = rest.length === 0 ? [] : [rest]
      this.#size = rest.length
      yield this.#open(whole.subarray(LENGTH_BYTES))
    }
  }

  get #joined(): Buffer {
    if (this.#waiting.length > 1) this.#waiting = [Buffer.concat(this.#waiting)]
    return this.#waiting[0] ?? Buffer.alloc(0)
  }

  /** Joins no more than it has to: a long frame comes in many pieces. */
  #peek(length: number): Buffer {
    const [first] = this.#waiting
    return (first !== undefined && first.length >= length ? first : this.#joined).subarray(0, length)
  }

  #open(sealed: Buffer): Frame {
    const cipher = createDecipheriv('aes-256-gcm', this.#key, toIv(this.#count++), { authTagLength: MAC_BYTES })
    cipher.setAuthTag(sealed.subarray(sealed.length - MAC_BYTES))
    const start = cipher.update(sealed.subarray(0, sealed.length - MAC_BYTES))
    // Only a replica writes what opens under this key.
    return JSON.parse(Buffer.concat([start, cipher.final()]).toString('utf8')) as Frame
  }
}

function toIv(count: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUIntBE(count, 6, 6)
  return iv
}
