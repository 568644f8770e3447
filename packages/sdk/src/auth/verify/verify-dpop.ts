/**
 * Proofs that whoever presents a token holds the key it is bound to (RFC 9449): made for this method and address, for
 * this token, just now, and never seen before.
 */

import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import { DpopNonces } from './verify-nonce.ts'
import { ReplayMemory } from './verify-replay.ts'

/** How proofs of possession are checked. */
export interface DpopOptions {
  /** Refuses tokens that are bound to no key. */
  readonly required?: boolean
  /** Has clients put a value from this server into each proof, so that proofs cannot be made ahead. */
  readonly nonce?: boolean
  /** 32 bytes that the nonces are made with; random by default. Give the same to several replicas. */
  readonly nonceKey?: Uint8Array
  /** How old a proof may be: 60 seconds unless given. */
  readonly maxAgeSeconds?: number
  /** Proofs remembered at a time, in all and of one principal. */
  readonly maxProofs?: number
  readonly maxProofsPerPrincipal?: number
  /**
   * Whether a proof is new to all replicas, which remember it for so long: a proof that one has seen is then refused by every
   * other. Each process remembers its own unless given; see `createCluster` of `@portico/host/cluster`.
   */
  readonly isNew?: (proof: string, keepMs: number) => Promise<boolean>
}

/** What a proof has to be about. */
interface ProofSubject {
  readonly proof: string | undefined
  readonly method: string
  /** Addresses of this request, without query; either will do. */
  readonly addresses: readonly string[]
  readonly token: string
  /** The thumbprint that the token is bound to. */
  readonly jkt: string
  /** Whose token it is: room for proofs is counted by it, since anybody can make any number of keys. */
  readonly principal: string
}

type ProofOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: 'invalid_dpop_proof'; readonly reason: string }
  | { readonly ok: false; readonly error: 'use_dpop_nonce'; readonly nonce: string }
  | { readonly ok: false; readonly error: 'too_many' }
  | { readonly ok: false; readonly error: 'unavailable' }

export const DPOP_ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519', 'ES384'] as const

const MAX_PROOF_LENGTH = 8192
const MAX_JTI_LENGTH = 256
const CLOCK_TOLERANCE_SECONDS = 5

export class DpopVerifier {
  readonly #maxAge: number
  readonly #nonces: DpopNonces | undefined
  readonly #replays: ReplayMemory
  readonly #keepMs: number
  readonly #isNew: DpopOptions['isNew']

  constructor(options: DpopOptions = {}) {
    this.#maxAge = options.maxAgeSeconds ?? 60
    // A proof can be presented from its age of minus the tolerance until it is too old.
    this.#keepMs = (this.#maxAge + 2 * CLOCK_TOLERANCE_SECONDS) * 1000
    this.#isNew = options.isNew
    this.#nonces = options.nonce ? new DpopNonces(options.nonceKey) : undefined
    this.#replays = new ReplayMemory({
      keepMs: this.#keepMs,
      max: options.maxProofs ?? 100_000,
      maxPerOwner: options.maxProofsPerPrincipal ?? 10_000,
    })
  }

  async verify(subject: ProofSubject): Promise<ProofOutcome> {
    const { proof } = subject
    if (proof === undefined) return refused('The DPoP header is missing')
    if (proof.length > MAX_PROOF_LENGTH) return refused('The proof is too long')
    const claims = await this.#open(proof, subject.jkt)
    if (typeof claims === 'string') return refused(claims)
    const fault = await this.#judge(claims, subject)
    if (fault !== undefined) return refused(fault)
    if (this.#nonces !== undefined && !(await this.#nonces.accepts(claims.nonce))) {
      return { ok: false, error: 'use_dpop_nonce', nonce: await this.#nonces.create() }
    }
    // Last, so that only proofs which would pass take up memory.
    const memory = this.#replays.remember(subject.principal, subject.jkt, String(claims.jti))
    if (memory === 'known') return refused('The proof was used before')
    if (memory === 'full') return { ok: false, error: 'too_many' }
    return this.#isNew === undefined ? { ok: true } : this.#askOthers(`${subject.jkt} ${claims.jti}`, this.#isNew)
  }

  async #askOthers(proof: string, isNew: NonNullable<DpopOptions['isNew']>): Promise<ProofOutcome> {
    try {
      return (await isNew(proof, this.#keepMs)) ? { ok: true } : refused('The proof was used before')
    } catch {
      return { ok: false, error: 'unavailable' }
    }
  }

  /** The claims of a proof that is signed with the key the token is bound to, or what is wrong. */
  async #open(proof: string, jkt: string): Promise<JWTPayload | string> {
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: [...DPOP_ALGORITHMS],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      })
      if (protectedHeader.jwk === undefined) return 'The proof has no key'
      if ((await calculateJwkThumbprint(protectedHeader.jwk)) !== jkt) return 'The proof is by another key'
      return payload
    } catch {
      return 'The proof is not valid'
    }
  }

  async #judge(claims: JWTPayload, subject: ProofSubject): Promise<string | undefined> {
    if (claims.htm !== subject.method) return 'The proof is for another method'
    const address = typeof claims.htu === 'string' ? toAddress(claims.htu) : undefined
    if (address === undefined || !subject.addresses.includes(address)) return 'The proof is for another address'
    if (claims.ath !== (await sha256(subject.token))) return 'The proof is for another token'
    const { iat, jti } = claims
    const age = typeof iat === 'number' ? Date.now() / 1000 - iat : Number.NaN
    if (!(age <= this.#maxAge + CLOCK_TOLERANCE_SECONDS && age >= -CLOCK_TOLERANCE_SECONDS)) {
      return 'The proof is too old, or from the future'
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return 'The proof has no usable jti'
    return undefined
  }
}

/** An address as proofs compare it: normalized, without query and fragment (RFC 9449, 4.3). */
export function toAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toBase64Url(new Uint8Array(digest))
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function refused(reason: string): ProofOutcome {
  return { ok: false, error: 'invalid_dpop_proof', reason }
}
