/**
 * Seals what a server must remember between two rounds into the opaque `requestState` that travels through the client
 * (2026-07-28, MRTR, "Server Requirements"). AES-256-GCM under a key that is random per process unless given; several
 * replicas share keys, and old keys stay readable while they rotate. Altered, expired or borrowed state is refused.
 */

import { toCanonicalJson } from '../jsonrpc/canonical-json.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { toBase64Url } from './random-token.ts'
import { requireStateKeys } from './state-keys.ts'

interface StateSealerOptions {
  /** 32-byte keys, newest first: the first seals, all open. Random per process when absent. */
  readonly keys?: readonly Uint8Array[]
  /** How long a sealed state may be presented. */
  readonly ttlMs?: number
  /** The longest `requestState`, in characters. */
  readonly maxStateLength?: number
}

/** What a state is bound to: presented with any other, it is refused. */
export interface StateBinding {
  /** The name of the server that sealed it. */
  readonly server: string
  readonly principal: string | undefined
  readonly method: string
  /** Digest of the request's own parameters. */
  readonly digest: string
}

const FORMAT = 1
const KEY_TAG_BYTES = 4
const IV_BYTES = 12
const DEFAULT_TTL_MS = 10 * 60_000
const DEFAULT_MAX_LENGTH = 64 * 1024

interface SealingKey {
  readonly tag: Uint8Array
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

export class StateSealer {
  readonly #ttlMs: number
  readonly #maxLength: number
  readonly #given: readonly Uint8Array[] | undefined
  #made: Promise<SealingKey[]> | undefined

  constructor(options: StateSealerOptions = {}) {
    this.#ttlMs = options.ttlMs ?? DEFAULT_TTL_MS
    this.#maxLength = options.maxStateLength ?? DEFAULT_MAX_LENGTH
    const { keys } = options
    requireStateKeys(keys)
    this.#given = keys
  }

  /** Made at the first use: some runtimes give no random numbers before the first request. */
  get #keys(): Promise<SealingKey[]> {
    this.#made ??= Promise.all((this.#given ?? [crypto.getRandomValues(new Uint8Array(32))]).map(importKey))
    return this.#made
  }

  get ttlMs(): number {
    return this.#ttlMs
  }

  async seal(payload: object, binding: StateBinding): Promise<string> {
    const [current] = await this.#keys
    if (current === undefined) throw new PorticoError('invalid-definition', 'stateKeys is empty')
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const plain = new TextEncoder().encode(JSON.stringify({ e: Date.now() + this.#ttlMs, p: payload }))
    const additionalData = bindingBytes(binding)
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, current.key, plain)
    const out = new Uint8Array(1 + KEY_TAG_BYTES + IV_BYTES + sealed.byteLength)
    out[0] = FORMAT
    out.set(current.tag, 1)
    out.set(iv, 1 + KEY_TAG_BYTES)
    out.set(new Uint8Array(sealed), 1 + KEY_TAG_BYTES + IV_BYTES)
    const state = toBase64Url(out)
    if (state.length > this.#maxLength) {
      throw new PorticoError(
        'limit-exceeded',
        `The state between two rounds would take ${state.length} characters; maxStateLength is ${this.#maxLength}. ` +
          'Keep less in ctx.step results.',
      )
    }
    return state
  }

  /** Opens a state or throws `state-refused`; the reason is the same whatever was wrong, so that nothing is learned from it. */
  async open(state: string, binding: StateBinding): Promise<unknown> {
    if (state.length > this.#maxLength) throw refused()
    const bytes = fromBase64Url(state)
    if (bytes === undefined || bytes.length < 1 + KEY_TAG_BYTES + IV_BYTES + 16 || bytes[0] !== FORMAT) throw refused()
    const tag = bytes.subarray(1, 1 + KEY_TAG_BYTES)
    const iv = bytes.slice(1 + KEY_TAG_BYTES, 1 + KEY_TAG_BYTES + IV_BYTES)
    const sealed = bytes.slice(1 + KEY_TAG_BYTES + IV_BYTES)
    const additionalData = bindingBytes(binding)
    for (const candidate of await this.#keys) {
      if (!candidate.tag.every((byte, index) => byte === tag[index])) continue
      try {
        const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, candidate.key, sealed)
        // Only this class writes what decrypts under its keys, so the shape is known.
        const { e, p } = JSON.parse(new TextDecoder().decode(plain)) as { e: number; p: unknown }
        if (e < Date.now()) throw refused()
        return p
      } catch {
        throw refused()
      }
    }
    throw refused()
  }
}

/** SHA-256 over a value's JSON with sorted keys, so that equal parameters have equal digests however they were written. */
export async function digestOf(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(toCanonicalJson(value))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, 16))
}

async function importKey(raw: Uint8Array): Promise<SealingKey> {
  const bytes = new Uint8Array(raw)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  return { tag: hash.slice(0, KEY_TAG_BYTES), key }
}

function bindingBytes(binding: StateBinding): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(
    JSON.stringify([binding.server, binding.principal ?? null, binding.method, binding.digest]),
  )
}

function refused(): PorticoError {
  return new PorticoError('state-refused', 'requestState is not valid for this request')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  // Only one spelling of each state is accepted: an alphabet check, then a re-encoding that must match.
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0))
    return toBase64Url(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
