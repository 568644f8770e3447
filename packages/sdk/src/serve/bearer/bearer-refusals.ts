/** The answers of `requireBearer` to requests that may not pass: status and a complete `WWW-Authenticate` (RFC 6750). */

import { type BearerChallenge, writeChallenge } from '../../auth/bearer-challenge.ts'
import { DPOP_ALGORITHMS } from '../../auth/verify/verify-dpop.ts'
import type { Refusal } from '../rules/http-refusal.ts'
import type { BearerSettings } from './bearer-settings.ts'

export class BearerRefusals {
  /** No credentials: nothing is wrong with them either, so no error is named (RFC 6750, 3.1). */
  readonly missing: Refusal
  readonly #metadata: Pick<BearerChallenge, 'resourceMetadata'>
  readonly #scopes: readonly string[]
  readonly #plain: boolean
  readonly #dpop: boolean

  constructor({ options, metadataUrl, scopes }: BearerSettings) {
    this.#metadata = { resourceMetadata: metadataUrl }
    this.#scopes = scopes
    this.#plain = options.dpop?.required !== true
    this.#dpop = options.dpop !== undefined
    this.missing = this.#challenge(401, 'Authorization is required', { scopes })
  }

  malformed(reason: string): Refusal {
    return this.#challenge(400, reason, { error: 'invalid_request', description: reason })
  }

  invalid(reason: string): Refusal {
    return this.#challenge(401, reason, { error: 'invalid_token', description: reason, scopes: this.#scopes })
  }

  /** All scopes that the operation needs, in one challenge (2026-07-28, authorization, "Scope Challenge Handling"). */
  insufficient(scopes: readonly string[], reference?: string): Refusal {
    const suffix = reference === undefined ? '' : ` (reference ${reference})`
    const description = `More scopes are needed for this${suffix}`
    return this.#challenge(403, description, { error: 'insufficient_scope', description, scopes })
  }

  /** A bound token without a proof: only the DPoP scheme will do. */
  unproven(reason: string): Refusal {
    return this.#dpopOnly(reason, 'invalid_token')
  }

  proof(reason: string): Refusal {
    return this.#dpopOnly(reason, 'invalid_dpop_proof')
  }

  nonce(nonce: string): Refusal {
    return this.#dpopOnly('The DPoP proof needs the nonce of this server', 'use_dpop_nonce', ['dpop-nonce', nonce])
  }

  #dpopOnly(reason: string, error: string, headers: readonly string[] = []): Refusal {
    const challenge = { scheme: 'DPoP', error, description: reason, algorithms: DPOP_ALGORITHMS } as const
    const value = writeChallenge({ ...challenge, ...this.#metadata, scopes: this.#scopes })
    return { status: 401, message: reason, headers: ['www-authenticate', value, ...headers] }
  }

  #challenge(status: number, message: string, parts: Omit<BearerChallenge, 'scheme'>): Refusal {
    const challenges = [
      ...(this.#plain ? [writeChallenge({ scheme: 'Bearer', ...parts, ...this.#metadata })] : []),
      ...(this.#dpop
        ? [writeChallenge({ scheme: 'DPoP', ...parts, ...this.#metadata, algorithms: DPOP_ALGORITHMS })]
        : []),
    ]
    return { status, message, headers: ['www-authenticate', challenges.join(', ')] }
  }
}
