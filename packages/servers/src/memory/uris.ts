/**
 * The URIs of what is remembered. A notice of change goes to everybody who named its URI, so the URIs of verified users
 * carry a mark that only their owner is told: nobody learns from a notice that somebody else remembered something.
 */

import { createHmac } from 'node:crypto'
import type { Principal } from '@portico/sdk/server'

export interface Owner {
  /** What the store knows them by. */
  readonly id: string
  /** The mark in their URIs; none for the one local user. */
  readonly mark: string | undefined
}

export class Owners {
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  /** Whoever is not verified is the one local user. */
  of(principal: Principal | undefined): Owner {
    if (principal === undefined) return { id: 'local', mark: undefined }
    const mark = createHmac('sha256', this.#secret).update(principal.id).digest('base64url').slice(0, 22)
    return { id: `principal ${principal.id}`, mark }
  }
}

export function entityUri(name: string, { mark }: Owner): string {
  // RFC 3986 leaves fewer characters alone than JavaScript does.
  const path = encodeURIComponent(name).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `memory://entity/${path}${mark === undefined ? '' : `?of=${mark}`}`
}
