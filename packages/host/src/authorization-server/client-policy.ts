/**
 * What a client may be. Registrations and documents are written by strangers, so such a client can only send a person here
 * to sign in and decide: tokens in a client's own name are for those that the operator has configured. Every client
 * passes here, whichever way it came.
 */

import { errors } from 'oidc-provider'

/** Of a client's metadata (RFC 7591), as far as it is judged here; of a stranger's no type is certain. */
export interface ClaimedMetadata {
  client_id?: unknown
  grant_types?: unknown
}

/** Grants that end in a person's consent. */
const GRANTS_OF_PEOPLE: readonly unknown[] = ['authorization_code', 'refresh_token']

export class ClientPolicy {
  readonly #configured: ReadonlySet<unknown>

  constructor(configured: readonly { readonly client_id?: unknown }[]) {
    this.#configured = new Set(configured.map(({ client_id: id }) => id))
  }

  isConfigured(id: string | undefined): boolean {
    return this.#configured.has(id)
  }

  /** Throws for what is refused. */
  check(metadata: ClaimedMetadata): void {
    if (this.#configured.has(metadata.client_id)) return
    checkGrants(metadata)
  }
}

/** A document is written for many authorization servers: what this one does not give it simply does not have here. */
function checkGrants(metadata: ClaimedMetadata): void {
  const { grant_types: grants } = metadata
  if (!Array.isArray(grants)) return
  const left = grants.filter((grant) => GRANTS_OF_PEOPLE.includes(grant))
  if (left.length === 0 || (left.length < grants.length && !isDocument(metadata))) {
    throw new errors.InvalidClientMetadata(`grant_types can only contain ${GRANTS_OF_PEOPLE.join(' and ')}`)
  }
  metadata.grant_types = left
}

function isDocument({ client_id: id }: ClaimedMetadata): boolean {
  return typeof id === 'string' && id.startsWith('https://')
}
