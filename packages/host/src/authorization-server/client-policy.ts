/**
 * What a client may be. Registrations and documents are written by strangers, so such a client can only send a person here
 * to sign in and decide: tokens in a client's own name are for those that the operator has configured. Every client
 * passes here, whichever way it came.
 */

import { zoneOfHost } from '@portico/sdk/auth-node'
import { PorticoError } from '@portico/sdk/server'
import { errors } from './provider.ts'

/** Of a client's metadata (RFC 7591), as far as it is judged here; of a stranger's no type is certain. */
interface ClaimedMetadata {
  client_id?: unknown
  client_name?: unknown
  grant_types?: unknown
  redirect_uris?: unknown
  post_logout_redirect_uris?: unknown
  sector_identifier_uri?: unknown
}

/** Grants that end in a person's consent. */
const GRANTS_OF_PEOPLE: readonly unknown[] = ['authorization_code', 'refresh_token']

/** What strangers may leave in memory for each client. */
const MAX_METADATA_LENGTH = 16_384
const MAX_REDIRECTS = 20
const MAX_NAME_LENGTH = 200

export class ClientPolicy {
  readonly #configured: ReadonlySet<unknown>

  constructor(configured: readonly ClaimedMetadata[]) {
    this.#configured = new Set(configured.map(({ client_id: id }) => id))
    for (const client of configured) {
      const problem = redirectProblem(client, (protocol) => !BROWSER_SCHEMES.has(protocol))
      if (problem !== undefined) throw new PorticoError('invalid-definition', `${client.client_id}: ${problem}`)
    }
  }

  isConfigured(id: string | undefined): boolean {
    return this.#configured.has(id)
  }

  /** A configured client with a secret and no way to get tokens is a server that tokens are brought to. */
  isResourceServer({ clientId, clientAuthMethod, grantTypes }: KnownClient): boolean {
    return this.#configured.has(clientId) && clientAuthMethod !== 'none' && (grantTypes ?? []).length === 0
  }

  /** Throws for what is refused. */
  check(metadata: ClaimedMetadata): void {
    if (this.#configured.has(metadata.client_id)) return
    checkSize(metadata)
    checkGrants(metadata)
    const problem = redirectProblem(metadata, (protocol) => PRIVATE_SCHEME.test(protocol))
    if (problem !== undefined) throw refused(problem)
    // Fetched from wherever it says, for subjects that differ by client; here they never do.
    if (metadata.sector_identifier_uri !== undefined) throw refused('sector_identifier_uri is not supported')
  }
}

/** The part of a client that the library has made which is judged here. */
interface KnownClient {
  readonly clientId: string
  readonly clientAuthMethod?: string | undefined
  readonly grantTypes?: readonly string[] | undefined
}

function checkSize(metadata: ClaimedMetadata): void {
  const { client_name: name, redirect_uris: redirects } = metadata
  if (typeof name === 'string' && name.length > MAX_NAME_LENGTH) {
    throw refused(`client_name has more than ${MAX_NAME_LENGTH} characters`)
  }
  if (Array.isArray(redirects) && redirects.length > MAX_REDIRECTS) {
    throw refused(`redirect_uris has more than ${MAX_REDIRECTS} members`)
  }
  if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH) throw refused('The metadata is too long')
}

/** Codes must not pass the network unencrypted (RFC 9700, 2.6): without TLS on this machine alone. */
function redirectProblem(metadata: ClaimedMetadata, isOwn: (protocol: string) => boolean): string | undefined {
  for (const name of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    const uris = metadata[name]
    if (!Array.isArray(uris)) continue
    for (const uri of uris) {
      // What is no URL at all the library refuses.
      if (typeof uri !== 'string' || !URL.canParse(uri)) continue
      const { protocol, hostname, username, password } = new URL(uri)
      if (protocol === 'http:' && zoneOfHost(hostname) !== 'loopback') {
        return `${name} must be https, or http on the loopback interface`
      }
      if (username !== '' || password !== '') return `${name} must not contain user names`
      if (!isWeb(protocol) && !isOwn(protocol)) {
        return `${name} must be https, http on the loopback interface, or have a scheme like com.example.app`
      }
    }
  }
  return undefined
}

/** Schemes that strangers' programs own are names of domains of theirs, reversed (RFC 8252, 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/

/** What browsers open themselves: no program gets the code. */
const BROWSER_SCHEMES: ReadonlySet<string> = new Set(
  [
    'about',
    'blob',
    'chrome',
    'data',
    'file',
    'filesystem',
    'ftp',
    'javascript',
    'mailto',
    'vbscript',
    'view-source',
  ].map((scheme) => `${scheme}:`),
)

function isWeb(protocol: string): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

/** A document is written for many authorization servers: what this one does not give it simply does not have here. */
function checkGrants(metadata: ClaimedMetadata): void {
  const { grant_types: grants } = metadata
  if (!Array.isArray(grants)) return
  const left = grants.filter((grant) => GRANTS_OF_PEOPLE.includes(grant))
  if (left.length === 0 || (left.length < grants.length && !isDocument(metadata))) {
    throw refused(`grant_types can only contain ${GRANTS_OF_PEOPLE.join(' and ')}`)
  }
  metadata.grant_types = left
}

function isDocument({ client_id: id }: ClaimedMetadata): boolean {
  return typeof id === 'string' && id.startsWith('https://')
}

function refused(description: string): Error {
  return new errors.InvalidClientMetadata(description)
}
