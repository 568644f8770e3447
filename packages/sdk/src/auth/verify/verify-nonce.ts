/**
 * Nonces for DPoP proofs that need no memory: the time they were made, sealed with a key that only the server has
 * (RFC 9449, 8). Any replica with the same key accepts them.
 */

const LIFETIME_MS = 5 * 60_000
const STAMP_BYTES = 8

export class DpopNonces {
  readonly #key: ReturnType<typeof importKey>

  constructor(key: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) {
    this.#key = importKey(key)
  }

  async create(now = Date.now()): Promise<string> {
    const stamp = new Uint8Array(STAMP_BYTES)
    new DataView(stamp.buffer).setFloat64(0, now)
    const seal = await crypto.subtle.sign('HMAC', await this.#key, stamp)
    return toHex(stamp) + toHex(new Uint8Array(seal))
  }

  async accepts(nonce: unknown, now = Date.now()): Promise<boolean> {
    if (typeof nonce !== 'string' || !/^[0-9a-f]{80}$/.test(nonce)) return false
    const bytes = Uint8Array.from({ length: 40 }, (_, at) => Number.parseInt(nonce.slice(2 * at, 2 * at + 2), 16))
    const stamp = bytes.slice(0, STAMP_BYTES)
    if (!(await crypto.subtle.verify('HMAC', await this.#key, bytes.slice(STAMP_BYTES), stamp))) return false
    const age = now - new DataView(stamp.buffer).getFloat64(0)
    return age >= 0 && age <= LIFETIME_MS
  }
}

function importKey(key: Uint8Array) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', Uint8Array.from(key), algorithm, false, ['sign', 'verify'])
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
