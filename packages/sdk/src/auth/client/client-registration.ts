/**
 * Decides who this client is at an authorization server, in the order of the specification ("Client Registration"):
 * known beforehand, by its metadata document, registered on the spot, or by asking.
 */

import * as oauth from 'oauth4webapi'
import type { AuthFetch } from '../network/guarded-target.ts'
import { checkRedirectUri } from '../user-agent/user-agent.ts'
import type { AuthenticationMethod, ClientIdentity } from './client-authentication.ts'
import type { Credentials, Registration } from './credentials.ts'
import type { IssuerMetadata } from './discovery-issuer.ts'
import { authFailure, plain, toAuthFailure } from './failure.ts'

/** A client registered beforehand, with the authorization server that it is registered at. */
export interface KnownClient extends ClientIdentity {
  /** Without it the client counts as registered at the first authorization server that it is used with. */
  readonly issuer?: string
}

/** Which client registration is used before an authorization server. */
export interface ClientChoice {
  readonly client?: KnownClient
  /** The https address of this client's metadata document. */
  readonly clientMetadataUrl?: string
  /** How the client is named to people when it registers itself. */
  readonly clientName?: string
  readonly clientUri?: string
  /** The last resort: asks a person for a client id that they have got by other means. */
  readonly ask?: (issuer: string) => Promise<ClientIdentity | undefined>
}

export interface RegistrationPlace {
  readonly issuer: IssuerMetadata
  /** The issuer that was used with this server before. */
  readonly previousIssuer: string | undefined
  readonly credentials: Credentials
  readonly fetch: AuthFetch
  readonly signal: AbortSignal
}

export async function chooseClient(
  choice: ClientChoice,
  place: RegistrationPlace,
  redirectUri: string,
): Promise<ClientIdentity> {
  const present = await recallClient(choice, place, redirectUri)
  if (present !== undefined) return present
  const { issuer, credentials } = place
  const made =
    issuer.registration_endpoint === undefined
      ? await asked(choice, issuer.issuer)
      : await register(choice, place, redirectUri)
  await credentials.keepRegistration(issuer.issuer, made)
  return toIdentity(made)
}

/** Who this client is at an authorization server already, if anybody; without a redirect URI any registration will do. */
export async function recallClient(
  choice: ClientChoice,
  place: RegistrationPlace,
  redirectUri?: string,
): Promise<ClientIdentity | undefined> {
  const { issuer, credentials } = place
  if (choice.client !== undefined) {
    await requireHome(choice.client, place)
    return choice.client
  }
  if (choice.clientMetadataUrl !== undefined && issuer.client_id_metadata_document_supported === true) {
    return { clientId: checkClientMetadataUrl(choice.clientMetadataUrl), method: 'none' }
  }
  const kept = await credentials.registration(issuer.issuer)
  return kept !== undefined && isUsable(kept, redirectUri) ? toIdentity(kept) : undefined
}

/**
 * Gives the URL back if a client metadata document can be at it: https with a path, without credentials or fragment,
 * and spelled as a URL parser would spell it (sec-59). Throws `auth-failed` otherwise.
 *
 * @example
 * ```ts
 * import { checkClientMetadataUrl } from '@portico/sdk/auth'
 *
 * const clientMetadataUrl = checkClientMetadataUrl('https://my.example/oauth/client.json')
 * ```
 */
export function checkClientMetadataUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bare = url !== undefined && url.username === '' && url.password === '' && url.hash === ''
  if (!bare || url.protocol !== 'https:' || url.pathname === '/' || url.href !== text) {
    throw authFailure('no-client', `${plain(text)} cannot be the address of a client metadata document`)
  }
  return text
}

/**
 * Credentials of one authorization server are no use at another, and not for its eyes (sec-57): asked before any is sent.
 * A secret is remembered with its client as well as in the store, since every server may have a store of its own.
 */
export async function requireHome(client: KnownClient, place: RegistrationPlace): Promise<void> {
  const { issuer } = place.issuer
  const home = client.issuer ?? (await rememberedHome(client, place)) ?? place.previousIssuer
  if (home === undefined || home === issuer) return
  throw authFailure('no-client', `The client is registered at ${plain(home)}, not at ${plain(issuer)}`)
}

const HOMES = new WeakMap<KnownClient, string>()

async function rememberedHome(client: KnownClient, place: RegistrationPlace): Promise<string | undefined> {
  if (client.clientSecret === undefined) return undefined
  const first = place.previousIssuer ?? place.issuer.issuer
  const kept = HOMES.get(client) ?? first
  HOMES.set(client, kept)
  const stored = await place.credentials.homeOf(client.clientId, kept)
  // Either may know of an earlier use than the other; a secret goes out only where they agree.
  return stored === place.issuer.issuer ? kept : stored
}

function isUsable({ expiresAt, redirectUri }: Registration, wanted: string | undefined): boolean {
  const fits = redirectUri === undefined || wanted === undefined || redirectUri === wanted
  return fits && (expiresAt === undefined || expiresAt > Date.now())
}

function toIdentity({ clientId, clientSecret, method }: Registration): ClientIdentity {
  return {
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(isMethod(method) && { method }),
  }
}

async function asked({ ask }: ClientChoice, issuer: string): Promise<Registration> {
  const answer = await ask?.(issuer)
  if (answer !== undefined) {
    const { clientId, clientSecret, method } = answer
    return { clientId, ...(clientSecret !== undefined && { clientSecret }), ...(method !== undefined && { method }) }
  }
  throw authFailure('no-client', `${plain(issuer)} does not register clients; one has to be registered by hand`)
}

async function register(choice: ClientChoice, place: RegistrationPlace, redirectUri: string): Promise<Registration> {
  const { issuer, fetch, signal } = place
  const method = methodToAskFor(issuer)
  const metadata = {
    client_name: choice.clientName ?? 'Portico',
    ...(choice.clientUri !== undefined && { client_uri: choice.clientUri }),
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: checkRedirectUri(redirectUri).native ? 'native' : 'web',
  }
  try {
    const options = { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true, signal }
    // The library's own reading insists on members that many servers leave out.
    const response = await oauth.dynamicClientRegistrationRequest(issuer, metadata, options)
    return readRegistration(await bodyOf(response), method, redirectUri)
  } catch (cause) {
    throw toAuthFailure(cause, 'registration-refused', `Registration at ${plain(issuer.issuer)}`)
  }
}

/** Software on somebody's machine keeps no secrets, so it asks for none where it has the choice. */
function methodToAskFor({ token_endpoint_auth_methods_supported: offered }: IssuerMetadata): AuthenticationMethod {
  const wanted = ['none', 'client_secret_basic', 'client_secret_post'] as const
  return offered === undefined ? 'none' : (wanted.find((method) => offered.includes(method)) ?? 'none')
}

async function bodyOf(response: Response): Promise<{ readonly [name: string]: unknown }> {
  const value: unknown = await response.json().catch(() => undefined)
  const body = typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : {}
  if (response.status === 201 || response.status === 200) return body
  const { error, error_description: description } = body
  const said = [error, description].filter((text) => typeof text === 'string').map(plain)
  const message = `Registration was refused with HTTP ${response.status}${said.length > 0 ? `: ${said.join(', ')}` : ''}`
  throw authFailure('registration-refused', message, typeof error === 'string' ? plain(error) : undefined)
}

function readRegistration(
  body: { readonly [name: string]: unknown },
  asked: AuthenticationMethod,
  redirectUri: string,
): Registration {
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires } = body
  const method = body.token_endpoint_auth_method ?? asked
  if (typeof clientId !== 'string' || clientId === '') {
    throw authFailure('registration-refused', 'The registration was answered without a client id')
  }
  return {
    clientId,
    redirectUri,
    ...(typeof secret === 'string' && { clientSecret: secret }),
    ...(typeof method === 'string' && { method }),
    ...(typeof expires === 'number' && expires > 0 && { expiresAt: expires * 1_000 }),
  }
}

function isMethod(method: string | undefined): method is AuthenticationMethod {
  return method === 'none' || method === 'client_secret_basic' || method === 'client_secret_post'
}
