/** A request as one replica passes it to another: what the caller sent, and who the caller is, sealed for one reader, once. */

import { randomUUID } from 'node:crypto'
import type { HttpRequest, PeerCertificate } from '@portico/sdk/internal'
import type { Principal } from '@portico/sdk/server'
import { deriveKey, type Seal } from './seal.ts'

/** What is passed on. */
export interface Hop {
  /** The replica that it is for: no other one opens it. */
  readonly to: string
  /** When it was sealed, in milliseconds since 1970. */
  readonly at: number
  /** Never used twice. */
  readonly nonce: string
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly certificate?: PeerCertificate
  readonly peer?: string
  readonly principal?: HopPrincipal
  readonly body?: string
}

/** A verified caller, as JSON. */
interface HopPrincipal {
  readonly id: string
  readonly scopes: readonly string[]
  readonly claims?: { readonly [key: string]: unknown }
  readonly expiresAt?: number
  /** Whether it can tell its client how to get more scopes. */
  readonly challenges: boolean
}

/** The header in which a replica asks the one that knows the caller for the challenge to it. */
const CHALLENGE = 'portico-challenge'

/** Of the connection and not of the request; and credentials, which were verified and no handler reads. */
const OWN_HEADERS = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'te'],
  ...['authorization', 'proxy-authorization', 'cookie', 'dpop'],
])

export function toHop(
  request: HttpRequest,
  principal: Principal | undefined,
  to: string,
  body: string | undefined,
): Hop {
  const { head, peer } = request
  const headers: { [name: string]: string } = {}
  for (const name of head.headerNames?.() ?? []) {
    const value = OWN_HEADERS.has(name) || name.startsWith(':') ? undefined : head.header(name)
    if (value !== undefined) headers[name] = value
  }
  return {
    to,
    at: Date.now(),
    nonce: randomUUID(),
    method: head.method,
    url: head.url,
    headers,
    ...(head.peerCertificate && { certificate: head.peerCertificate }),
    ...(peer !== undefined && { peer }),
    ...(principal && { principal: toHopPrincipal(principal) }),
    ...(body !== undefined && { body }),
  }
}

function toHopPrincipal({ id, scopes, claims, expiresAt, challenge }: Principal): HopPrincipal {
  return {
    id,
    scopes: [...scopes],
    ...(claims && { claims }),
    ...(expiresAt !== undefined && { expiresAt }),
    challenges: challenge !== undefined,
  }
}

export function fromHopPrincipal(passed: HopPrincipal | undefined): Principal | undefined {
  if (passed === undefined) return undefined
  const { id, scopes, claims, expiresAt, challenges } = passed
  return {
    id,
    scopes: new Set(scopes),
    ...(claims && { claims }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(challenges && { challenge: (wanted: readonly string[]) => [CHALLENGE, JSON.stringify(wanted)] }),
  }
}

/** The headers of an answer, with the challenge that only the process which knows the caller can word. */
export function withChallenge(
  headers: readonly string[] | undefined,
  principal: Principal | undefined,
): readonly string[] | undefined {
  const at = headers?.indexOf(CHALLENGE) ?? -1
  if (headers === undefined || at < 0) return headers
  // Written by `fromHopPrincipal`.
  const wanted = JSON.parse(headers[at + 1] ?? '[]') as string[]
  return [...headers.slice(0, at), ...headers.slice(at + 2), ...(principal?.challenge?.(wanted) ?? [])]
}

/** How long a hop may be presented; the clocks of replicas may differ by as much. */
const FRESH_MS = 60_000
const MAX_NONCES = 1_000_000

/** Shows before the body is read that a replica sends it, and how long it is: nobody else has anything read. */
export const PROOF_HEADER = 'portico-proof'

/** Opens what was sealed for one replica, each once. */
export class HopReader {
  readonly #seal: Seal
  readonly #to: string
  #seen = new Set<string>()
  #seenBefore = new Set<string>()
  #turned = Date.now()

  constructor(seal: Seal, to: string) {
    this.#seal = seal
    this.#to = to
  }

  /** Whether a body of this length is to be read at all. */
  expects(length: string | undefined, proof: string | undefined): boolean {
    return length !== undefined && proof !== undefined && this.#seal.isProof(proof, `${this.#to} ${length}`, FRESH_MS)
  }

  /** Undefined for what no replica sealed for this one, was altered, is old, or was here before. */
  open(bytes: Buffer): { readonly hop: Hop; readonly key: Buffer } | undefined {
    const opened = this.#seal.open(bytes, `hop ${this.#to}`)
    if (opened === undefined) return undefined
    // Only a replica writes what opens under this key.
    const hop = JSON.parse(opened.text) as Hop
    if (hop.to !== this.#to || Math.abs(Date.now() - hop.at) > FRESH_MS || !this.#isNew(hop.nonce)) return undefined
    return { hop, key: deriveKey(opened.key, hop.nonce, 'answer') }
  }

  /** Two sets that take turns: what both have forgotten is older than a hop may be. */
  #isNew(nonce: string): boolean {
    const now = Date.now()
    if (now - this.#turned > 2 * FRESH_MS) {
      this.#seenBefore = this.#seen
      this.#seen = new Set()
      this.#turned = now
    }
    if (this.#seen.has(nonce) || this.#seenBefore.has(nonce) || this.#seen.size >= MAX_NONCES) return false
    this.#seen.add(nonce)
    return true
  }
}

/** The bytes of a hop, and the key that its answer comes under. */
export function sealHop(hop: Hop, seal: Seal): { readonly bytes: Buffer; readonly key: Buffer } {
  const bytes = seal.seal(JSON.stringify(hop), `hop ${hop.to}`)
  return { bytes, key: deriveKey(seal.current, hop.nonce, 'answer') }
}
