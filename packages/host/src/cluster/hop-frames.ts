/**
 * What two replicas say to each other, as frames on a connection: each is sealed under a key that only this direction of this
 * connection has and under its number, so that none can be altered, left out or told again.
 */

import { createCipheriv, createDecipheriv } from 'node:crypto'

/** What a replica says about the request that it was passed; all but those in the middle of an answer are the last. */
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

export class FrameWriter {
  readonly #key: Buffer
  #count = 0

  constructor(key: Buffer) {
    this.#key = key
  }

  write(value: object): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, toIv(this.#count++))
    const sealed = cipher.update(JSON.stringify(value), 'utf8')
    cipher.final()
    const length = Buffer.allocUnsafe(LENGTH_BYTES)
    length.writeUInt32BE(sealed.length + MAC_BYTES)
    return Buffer.concat([length, sealed, cipher.getAuthTag()])
  }
}

export class FrameReader {
  readonly #key: Buffer
  readonly #maxBytes: number
  #count = 0
  #waiting: Buffer[] = []
  #size = 0

  constructor(key: Buffer, maxBytes: number) {
    this.#key = key
    this.#maxBytes = maxBytes
  }

  /** What is complete with these bytes; throws for bytes that no replica wrote here. */
  *read(chunk: Buffer): Generator<unknown> {
    this.#waiting.push(chunk)
    this.#size += chunk.length
    while (this.#size >= LENGTH_BYTES) {
      const length = this.#peek(LENGTH_BYTES).readUInt32BE()
      if (length > this.#maxBytes) throw new Error('A frame from another replica is too long')
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

  #open(sealed: Buffer): unknown {
    const cipher = createDecipheriv('aes-256-gcm', this.#key, toIv(this.#count++), { authTagLength: MAC_BYTES })
    cipher.setAuthTag(sealed.subarray(sealed.length - MAC_BYTES))
    const text = cipher.update(sealed.subarray(0, sealed.length - MAC_BYTES))
    // Throws for what was altered; has nothing to add to the text.
    cipher.final()
    return JSON.parse(text.toString('utf8'))
  }
}

function toIv(count: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUIntBE(count, 6, 6)
  return iv
}
