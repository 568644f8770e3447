/**
 * How two programs of the same user know each other by a key in a file, without either sending it: each answers the
 * other's random text. Whoever came to listen on the port after the workbench ended learns nothing, and proves nothing.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Asked by the same user's programs; browsers have no business here. */
export const LINK_PATH = '/link'
/** A random text of whoever asks. */
export const ASKER_NONCE_HEADER = 'x-portico-nonce'
/** The random text of the workbench, given back. */
export const WORKBENCH_NONCE_HEADER = 'x-portico-challenge'
export const PROOF_HEADER = 'x-portico-proof'

/** What both sides have said; the address is in it, so that a proof is good for that one alone. */
interface Exchange {
  readonly origin: string
  readonly asker: string
  readonly workbench: string
}

export function createNonce(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether it has the form of what `createNonce`, a proof or the token of a link are. */
export function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value)
}

/** The two sides prove different texts: neither proof can be sent back as the other. */
export function prove(side: 'workbench' | 'asker', key: string, { origin, asker, workbench }: Exchange): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([side, origin, asker, workbench]))
    .digest('base64url')
}

export function isProof(given: unknown, wanted: string): boolean {
  return isCode(given) && timingSafeEqual(Buffer.from(given), Buffer.from(wanted))
}

const MAX_OPEN = 100

/** The workbench's side. Each exchange gives one link. */
export class LinkExchanges {
  readonly #key: string
  readonly #origin: () => string
  /** The workbench's text by the asker's. */
  readonly #open = new Map<string, string>()

  constructor(key: string, origin: () => string) {
    this.#key = key
    this.#origin = origin
  }

  begin(asker: string): { readonly nonce: string; readonly proof: string } {
    const nonce = createNonce()
    this.#open.delete(asker)
    this.#open.set(asker, nonce)
    const [oldest] = this.#open.keys()
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest)
    return { nonce, proof: prove('workbench', this.#key, this.#exchange(asker, nonce)) }
  }

  /** Whether the asker has the key. Takes the exchange away. */
  end(asker: string, workbench: string | undefined, proof: string | undefined): boolean {
    const nonce = this.#open.get(asker)
    this.#open.delete(asker)
    if (nonce === undefined || nonce !== workbench) return false
    return isProof(proof, prove('asker', this.#key, this.#exchange(asker, nonce)))
  }

  #exchange(asker: string, workbench: string): Exchange {
    return { origin: this.#origin(), asker, workbench }
  }
}
