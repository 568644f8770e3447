/**
 * How what replicas keep and send each other is sealed: AES-256-GCM under keys that all of them know, each purpose with a
 * key of its own. The first key seals, all open, so that keys can be exchanged one after the other.
 */

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

export const TAG_BYTES = 4
const IV_BYTES = 12
const MAC_BYTES = 16

interface PurposeKey {
  /** Names the key without telling anything of it. */
  readonly tag: Buffer
  readonly key: Buffer
}

export class Seal {
  readonly #keys: readonly PurposeKey[]

  constructor(keys: readonly Uint8Array[], purpose: string) {
    this.#keys = keys.map((secret) => {
      const key = deriveKey(secret, '', purpose)
      return { key, tag: createHash('sha256').update(key).digest().subarray(0, TAG_BYTES) }
    })
  }

  /** `place` is what the text belongs to: taken from there to another place, it is not opened. */
  seal(text: string | Buffer, place: string): Buffer {
    const { current } = this
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(place))
    const sealed = cipher.update(text)
    return Buffer.concat([current.tag, iv, sealed, cipher.final(), cipher.getAuthTag()])
  }

  /** Undefined for what was not sealed here for this place, or was altered. */
  open(bytes: Buffer, place: string): string | undefined {
    if (bytes.length < TAG_BYTES + IV_BYTES + MAC_BYTES) return undefined
    const key = this.find(bytes.subarray(0, TAG_BYTES))
    if (key === undefined) return undefined
    const iv = bytes.subarray(TAG_BYTES, TAG_BYTES + IV_BYTES)
    const cipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: MAC_BYTES })
    cipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(bytes.length - MAC_BYTES))
    try {
      const start = cipher.update(bytes.subarray(TAG_BYTES + IV_BYTES, bytes.length - MAC_BYTES))
      return Buffer.concat([start, cipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }

  /** As a text that a store can keep. */
  sealText(value: unknown, place: string): string {
    return this.seal(JSON.stringify(value), place).toString('base64url')
  }

  openText(text: string, place: string): unknown {
    const opened = this.open(Buffer.from(text, 'base64url'), place)
    return opened === undefined ? undefined : JSON.parse(opened)
  }

  /** The key that seals at present. */
  get current(): PurposeKey {
    const [first] = this.#keys
    if (first === undefined) throw new Error('A seal has a key')
    return first
  }

  /** The key of this name; undefined if it is not known here. */
  find(tag: Buffer): Buffer | undefined {
    return this.#keys.find((candidate) => candidate.tag.equals(tag))?.key
  }
}

/** The name of a row about something whose id lets its holder in: the id cannot be told from it. */
export function toRowName(id: string): string {
  return createHash('sha256').update(`portico row ${id}`).digest('base64url')
}

export function deriveKey(secret: Uint8Array, salt: string | Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `portico ${purpose}`, 32))
}
