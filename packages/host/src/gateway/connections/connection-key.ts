/**
 * Whom a connection to a server is for: the principal, and what tells its clients apart where the server must not mix
 * them up. Requests with equal keys share a connection, others never do, unless the server is shareable.
 */

import type { ClientCapabilities, SessionView } from '@portico/sdk/relay'
import type { Principal, RequestContext } from '@portico/sdk/server'
import type { UpstreamView } from '../../upstream/upstream.ts'
import { callerOf } from '../views/toolset.ts'

/** What of a client's abilities a server is told. */
interface Abilities {
  readonly form: boolean
  readonly url: boolean
  readonly sampling: boolean
  readonly samplingTools: boolean
  readonly samplingContext: boolean
  readonly roots: boolean
}

export interface ConnectionKey {
  /** Equal for requests that share a connection. */
  readonly id: string
  readonly principal: Principal | undefined
  /** Tells apart connections of one principal; absent where there is one for all. */
  readonly tag: string | undefined
  readonly abilities: Abilities
  /** The session of an older client that alone uses the connection. */
  readonly session: SessionView | undefined
  /** Equal for all connections of one caller; undefined where the connection is everybody's. */
  readonly owner: string | undefined
}

const ALL: Abilities = {
  form: true,
  url: true,
  sampling: true,
  samplingTools: true,
  samplingContext: true,
  roots: true,
}

/** How callers are told apart beyond their principals. */
export interface Distinction {
  /** The programs that one user calls with, as their tokens name them, share nothing either: each is signed in by itself. */
  readonly byClient: boolean
}

/** Sessions have no name of their own that could be used here. */
const TAGS = new WeakMap<SessionView, string>()
let sessions = 0

export function connectionKeyOf(ctx: RequestContext, view: UpstreamView, how: Distinction): ConnectionKey {
  const { name, config } = view
  if (config.settings.shareable) {
    return { id: name, principal: undefined, tag: undefined, abilities: ALL, session: undefined, owner: undefined }
  }
  const { session } = ctx
  const principal = callerOf(ctx)
  const abilities = abilitiesOf(ctx.client.capabilities, config.settings.roots.length > 0)
  // A server of the newest revision keeps no session, so one of its client's would keep nothing apart.
  const own = session !== undefined && view.version !== MODERN
  const client = how.byClient ? clientIdOf(principal) : undefined
  const tag = `${own ? tagOf(session) : `c${bitsOf(abilities)}`}${client === undefined ? '' : ` ${client}`}`
  const id = JSON.stringify([name, principal?.id ?? null, tag])
  const owner = own ? ownerOfSession(session) : ownerOf(ctx, how)
  return { id, principal, tag, abilities, session: own ? session : undefined, owner }
}

/** The names under which connections of a caller may be found. */
export function ownersOf(ctx: RequestContext, how: Distinction): readonly string[] {
  return ctx.session === undefined ? [ownerOf(ctx, how)] : [ownerOfSession(ctx.session), ownerOf(ctx, how)]
}

/** The program that a token was issued to. */
export function clientIdOf(principal: Principal | undefined): string | undefined {
  const id = principal?.claims?.client_id
  return typeof id === 'string' ? id : undefined
}

function ownerOf(ctx: RequestContext, { byClient }: Distinction): string {
  const principal = callerOf(ctx)
  const program = byClient ? [clientIdOf(principal) ?? null] : []
  return JSON.stringify([principal?.id ?? null, bitsOf(abilitiesOf(ctx.client.capabilities, false)), ...program])
}

function ownerOfSession(session: SessionView): string {
  return tagOf(session)
}

const MODERN = '2026-07-28'

function tagOf(session: SessionView): string {
  let tag = TAGS.get(session)
  if (tag === undefined) {
    tag = `s${++sessions}`
    TAGS.set(session, tag)
  }
  return tag
}

/** `elicitation` of `{}` means forms alone. Members come from the wire; one that is no object declares nothing. */
function abilitiesOf({ elicitation, sampling, roots }: ClientCapabilities, rootsConfigured: boolean): Abilities {
  const asks = isMember(elicitation)
  const samples = isMember(sampling)
  return {
    form: asks && (isMember(elicitation.form) || !isMember(elicitation.url)),
    url: asks && isMember(elicitation.url),
    sampling: samples,
    samplingTools: samples && isMember(sampling.tools),
    samplingContext: samples && isMember(sampling.context),
    roots: rootsConfigured || isMember(roots),
  }
}

function isMember<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null
}

function bitsOf(abilities: Abilities): string {
  return Object.values(abilities)
    .map((able) => (able ? 1 : 0))
    .join('')
}
