/**
 * How what replicas keep and send each other is sealed: AES-256-GCM under keys that all of them know, each purpose with a
 * key of its own. The first key seals, all open, so that keys can be exchanged one after the other.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const TAG_BYTES = 4
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
    const [current] = this.#keys
    if (current === undefined) throw new Error('A seal has a key')
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(place))
    const sealed = cipher.update(text)
    return Buffer.concat([current.tag, iv, sealed, cipher.final(), cipher.getAuthTag()])
  }

  /** Undefined for what was not sealed here for this place, or was altered. */
  open(bytes: Buffer, place: string): Opened | undefined {
    if (bytes.length < TAG_BYTES + IV_BYTES + MAC_BYTES) return undefined
    const tag = bytes.subarray(0, TAG_BYTES)
    for (const candidate of this.#keys) {
      if (!candidate.tag.equals(tag)) continue
      const iv = bytes.subarray(TAG_BYTES, TAG_BYTES + IV_BYTES)
      const cipher = createDecipheriv('aes-256-gcm', candidate.key, iv, { authTagLength: MAC_BYTES })
      cipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(bytes.length - MAC_BYTES))
      try {
        const start = cipher.update(bytes.subarray(TAG_BYTES + IV_BYTES, bytes.length - MAC_BYTES))
        return { text: Buffer.concat([start, cipher.final()]).toString('utf8'), key: candidate.key }
      } catch {
        return undefined
      }
    }
    return undefined
  }

  /** As a text that a store can keep. */
  sealText(value: unknown, place: string): string {
    return this.seal(JSON.stringify(value), place).toString('base64url')
  }

  openText(text: string, place: string): unknown {
    const opened = this.open(Buffer.from(text, 'base64url'), place)
    return opened === undefined ? undefined : JSON.parse(opened.text)
  }

  /** Shows that the sender has a key, and when; for a text that both sides know. */
  prove(text: string): string {
    const at = Date.now()
    return `${at}.${proofOf(this.current, `${at} ${text}`).toString('base64url')}`
  }

  /** Whether whoever gave a proof had a key when he did, no longer ago than `maxAgeMs`. */
  isProof(proof: string, text: string, maxAgeMs: number): boolean {
    const [at = '', mac = ''] = proof.split('.', 2)
    if (!/^\d{1,15}$/.test(at) || Math.abs(Date.now() - Number(at)) > maxAgeMs) return false
    const given = Buffer.from(mac, 'base64url')
    return this.#keys.some(({ key }) => {
      const own = proofOf(key, `${at} ${text}`)
      return own.length === given.length && timingSafeEqual(own, given)
    })
  }

  /** The key that seals at present. */
  get current(): Buffer {
    const [first] = this.#keys
    if (first === undefined) throw new Error('A seal has a key')
    return first.key
  }
}

function proofOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(`proof ${text}`).digest()
}

interface Opened {
  readonly text: string
  /** The key that it was sealed by. */
  readonly key: Buffer
}

export function deriveKey(secret: Uint8Array, salt: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `portico ${purpose}`, 32))
}
