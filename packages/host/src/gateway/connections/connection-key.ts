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

/** What the connection for a request is found by: the `id` of its key, without the rest. */
export function connectionIdOf(ctx: RequestContext, view: UpstreamView, how: Distinction): string {
  const { name, config } = view
  return config.settings.shareable ? name : JSON.stringify([name, callerOf(ctx)?.id ?? null, tagFor(ctx, view, how)])
}

export function connectionKeyOf(ctx: RequestContext, view: UpstreamView, how: Distinction): ConnectionKey {
  const id = connectionIdOf(ctx, view, how)
  const { settings } = view.config
  if (settings.shareable)
    return { id, principal: undefined, tag: undefined, abilities: ALL, session: undefined, owner: undefined }
  const session = ownSession(ctx, view)
  const abilities = abilitiesOf(ctx.client.capabilities, settings.roots.length > 0)
  const owner = session === undefined ? ownerOf(ctx, how) : tagOf(session)
  return { id, principal: callerOf(ctx), tag: tagFor(ctx, view, how), abilities, session, owner }
}

/** The client's session, where the server has one for it: one of the newest revision keeps none, and nothing apart. */
function ownSession({ session }: RequestContext, { version }: UpstreamView): SessionView | undefined {
  return version === MODERN ? undefined : session
}

function tagFor(ctx: RequestContext, view: UpstreamView, how: Distinction): string {
  const session = ownSession(ctx, view)
  const roots = view.config.settings.roots.length > 0
  const tag = session === undefined ? `c${bitsOf(abilitiesOf(ctx.client.capabilities, roots))}` : tagOf(session)
  const client = how.byClient ? clientIdOf(callerOf(ctx)) : undefined
  return client === undefined ? tag : `${tag} ${client}`
}

/** The names under which connections of a caller may be found. */
export function ownersOf(ctx: RequestContext, how: Distinction): readonly string[] {
  return ctx.session === undefined ? [ownerOf(ctx, how)] : [tagOf(ctx.session), ownerOf(ctx, how)]
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

function bitsOf({ form, url, sampling, samplingTools, samplingContext, roots }: Abilities): string {
  return `${+form}${+url}${+sampling}${+samplingTools}${+samplingContext}${+roots}`
}
