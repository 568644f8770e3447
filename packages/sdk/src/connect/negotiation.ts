/**
 * Settles the revision with a server over a link that is open: modern first, the older handshake where the server does
 * not understand it (2026-07-28, "Backward Compatibility" of both transports). Judges answers; which link to try next,
 * or whether to start a process again, is for `connectors.ts`.
 */

import { type ClientProfile, type Connection, createEnvelope, type ServerDescription } from '../client/connection.ts'
import { httpFault } from '../client/link.ts'
import type { ClientPeer } from '../client/peer.ts'
import { INTERNAL_ERROR, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject, type RequestId } from '../jsonrpc/message.ts'
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION } from '../protocol/errors.ts'
import { META_SERVER_INFO } from '../protocol/meta.ts'
import type { Era, ProtocolVersion, Revision } from '../protocol/revision.ts'
import { writeClientCapabilities } from '../protocol/revisions/client-messages.ts'
import { REVISIONS, revisionOf } from '../protocol/revisions.ts'
import { withoutWrong } from '../protocol/shapes.ts'
import { furthest } from './furthest.ts'

/** What a handshake gives: a connection but for the transport's name in `negotiated`. */
type Agreed = Pick<Connection, 'peer' | 'revision' | 'server'>

interface NegotiationOptions {
  readonly profile: ClientProfile
  /** The revisions that may be settled on. */
  readonly versions: readonly ProtocolVersion[]
  readonly signal: AbortSignal
  /** How long discovery may stay silent before the older handshake is tried beside it. */
  readonly discoverMs: number
}

/** Thrown when a server is not modern and what it said instead is no use: the older handshake is next. */
class NotModern extends Error {
  constructor(cause: unknown) {
    super('The server does not speak a modern revision', { cause })
    this.name = 'NotModern'
  }
}

/** Newest first. */
export function revisionsOf(versions: readonly ProtocolVersion[], era: Era): Revision[] {
  return [...REVISIONS.values()].filter((known) => known.era === era && versions.includes(known.version)).reverse()
}

/** Settles the revision: modern if the server is, otherwise by `initialize`; when silent, by what answers first. */
export async function negotiate(peer: ClientPeer, options: NegotiationOptions): Promise<Agreed> {
  const modern = revisionsOf(options.versions, 'modern')
  const legacy = revisionsOf(options.versions, 'legacy')
  if (modern.length === 0) return conclude(await initialize(peer, options).agreed)
  const discovery = discover(peer, options)
  if (legacy.length === 0) {
    return conclude(
      await discovery.agreed.catch((error) => {
        if (!(error instanceof NotModern)) throw error
        // A server that failed, or is not there, is told as that, not as one of other revisions.
        throw hasFailed(error.cause) || isNowhere(error.cause) ? error.cause : unsupported(options, undefined, error)
      }),
    )
  }
  const first = await Promise.race([settled(discovery.agreed), silence(options.discoverMs, options.signal)])
  if (first === SILENT) return conclude(await firstSuccess(discovery, initialize(peer, options)))
  return conclude(
    await discovery.agreed.catch((error) => {
      if (!(error instanceof NotModern)) throw error
      return initialize(peer, options).agreed.catch((second) => {
        throw furthest(second, error.cause)
      })
    }),
  )
}

/** One of the two handshakes under way. */
interface Attempt {
  readonly agreed: Promise<Agreed>
  /** Stops waiting, without a word to the server: neither request may be cancelled. */
  forget(): void
}

/** Asks a modern server for its description. */
function discover(peer: ClientPeer, options: NegotiationOptions): Attempt {
  return attempt(peer, (onId) => askDescription(peer, options, onId))
}

async function askDescription(
  peer: ClientPeer,
  options: NegotiationOptions,
  onId: (id: RequestId) => void,
): Promise<Agreed> {
  let [revision] = revisionsOf(options.versions, 'modern')
  for (let attempt = 0; revision !== undefined; attempt++) {
    const envelope = createEnvelope(revision, options.profile)
    try {
      const handshake = { ...LIMITLESS, signal: options.signal, onId, envelope }
      const result = await peer.request('server/discover', {}, handshake)
      if (!Array.isArray(result.supportedVersions)) throw new NotModern('the result is no description')
      revision =
        common(options.versions, result.supportedVersions, 'modern') ?? elsewhere(options, result.supportedVersions)
      return { peer, revision, server: readDiscovered(result) }
    } catch (error) {
      if (!isModernError(error)) throw isAnswer(error) ? new NotModern(error) : error
      const supported = isObject(error.data) ? error.data.supported : undefined
      if (error.rpcCode !== UNSUPPORTED_VERSION) throw error
      if (attempt >= 2) throw unsupported(options, supported, error)
      // It may be the one just refused: a server may have had its reasons once.
      revision = common(options.versions, supported, 'modern') ?? elsewhere(options, supported)
    }
  }
  throw unsupported(options, undefined)
}

/** The handshake of the older revisions. */
function initialize(peer: ClientPeer, options: NegotiationOptions): Attempt {
  return attempt(peer, (onId) => askAgreement(peer, options, onId))
}

async function askAgreement(
  peer: ClientPeer,
  options: NegotiationOptions,
  onId: (id: RequestId) => void,
): Promise<Agreed> {
  let [asked] = revisionsOf(options.versions, 'legacy')
  for (let attempt = 0; asked !== undefined; attempt++) {
    let result: JsonObject
    try {
      result = await peer.request('initialize', initializeParams(asked, options.profile), {
        ...LIMITLESS,
        signal: options.signal,
        onId,
      })
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const supported = isObject(error.data) ? error.data.supported : undefined
      const next = common(options.versions, supported, 'legacy')
      if (attempt > 0 || next === undefined || next === asked) {
        throw refusesVersion(error) ? unsupported(options, supported, error) : error
      }
      asked = next
      continue
    }
    const version = result.protocolVersion
    const revision = typeof version === 'string' ? revisionOf(version) : undefined
    if (revision?.era !== 'legacy' || !options.versions.includes(revision.version)) throw unsupported(options, version)
    return { peer, revision, server: readInitialized(result) }
  }
  throw unsupported(options, undefined)
}

/** Whether a failure of the older handshake leaves HTTP+SSE to be tried (Streamable HTTP, "Backward Compatibility"). */
export function suggestsSse(error: unknown): boolean {
  if (error instanceof RpcError) return !isModernError(error)
  const status = httpFault(error)?.status
  return status !== undefined && [400, 404, 405, 406, 415, 501].includes(status)
}

/** Requests of a handshake have no clock of their own: the connection attempt as a whole has one. */
const LIMITLESS = { timeoutMs: Number.POSITIVE_INFINITY } as const
const SILENT = Symbol('silent')
const MODERN_ERRORS: readonly number[] = [HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION]

function initializeParams(revision: Revision, { info, capabilities }: ClientProfile): JsonObject {
  return {
    protocolVersion: revision.version,
    capabilities: writeClientCapabilities(revision, withExperimental(capabilities)),
    clientInfo: revision.writeImplementation(info),
  }
}

/** Extensions in the place that older revisions have for them. */
function withExperimental(capabilities: ClientCapabilities): ClientCapabilities {
  const { experimental, extensions } = capabilities
  return extensions === undefined ? capabilities : { ...capabilities, experimental: { ...extensions, ...experimental } }
}

function isModernError(error: unknown): error is RpcError {
  return error instanceof RpcError && MODERN_ERRORS.includes(error.rpcCode)
}

/** The server said something, if nothing useful: an error, a status that refuses, or an answer that is none. */
function isAnswer(error: unknown): boolean {
  if (error instanceof RpcError || error instanceof NotModern) return true
  const fault = httpFault(error)
  if (fault !== undefined) return fault.status < 502 && ![401, 403, 407, 408, 429].includes(fault.status)
  return error instanceof PorticoError && error.code === 'invalid-message'
}

/** Whether the server broke down over a request, rather than refused it. */
function hasFailed(error: unknown): boolean {
  if (error instanceof RpcError) return error.rpcCode === INTERNAL_ERROR
  return (httpFault(error)?.status ?? 0) >= 500
}

/** Whether there is nothing at the address: no revision answers a request without a session so. */
function isNowhere(error: unknown): boolean {
  return [404, 410].includes(httpFault(error)?.status ?? 0)
}

/** By its code, or as older servers say it: with a code of their own, the versions they have, or in words. */
function refusesVersion({ rpcCode, message, data }: RpcError): boolean {
  if (rpcCode === UNSUPPORTED_VERSION || (isObject(data) && Array.isArray(data.supported))) return true
  return /\bunsupported (protocol )?version/i.test(message.slice(0, 200))
}

/** The newest revision of an era that both sides have. */
function common(versions: readonly ProtocolVersion[], offered: unknown, era: Era): Revision | undefined {
  if (!Array.isArray(offered)) return undefined
  return revisionsOf(versions, era).find(({ version }) => offered.includes(version))
}

/** No modern revision is shared. If an older one is, the older handshake is the way to it; otherwise there is none. */
function elsewhere(options: NegotiationOptions, offered: unknown): never {
  if (common(options.versions, offered, 'legacy') !== undefined) throw new NotModern('only older revisions are shared')
  throw unsupported(options, offered)
}

function unsupported({ versions }: NegotiationOptions, offered: unknown, cause?: unknown): PorticoError {
  const theirs = offered === undefined ? '' : `; the server offers ${JSON.stringify(offered)?.slice(0, 200)}`
  return new PorticoError(
    'unsupported-version',
    `No protocol revision is shared: this client allows ${versions.join(', ')}${theirs}`,
    {
      delivery: 'not-sent',
      cause,
      data: { supported: versions, offered },
    },
  )
}

function readDiscovered(result: JsonObject): ServerDescription {
  const meta = isObject(result._meta) ? result._meta : {}
  return describe(result, meta[META_SERVER_INFO])
}

function readInitialized(result: JsonObject): ServerDescription {
  return describe(result, result.serverInfo)
}

function describe(result: JsonObject, info: unknown): ServerDescription {
  const { capabilities, instructions } = result
  return {
    // Read member by member where they are used, so that an ill-typed member reads as absent.
    capabilities: (isObject(capabilities) ? capabilities : {}) as ServerCapabilities,
    info: readInfo(info),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

/** A server without a version of its own is taken as it is: early documents show such ones. */
function readInfo(info: unknown): Implementation | undefined {
  if (!isObject(info) || typeof info.name !== 'string') return undefined
  return { ...withoutWrong(info), name: info.name, version: typeof info.version === 'string' ? info.version : '' }
}

function settled(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    () => undefined,
  )
}

function silence(ms: number, signal: AbortSignal): Promise<typeof SILENT> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve(SILENT)
    }
  })
}

/** The first of the two that succeeds; if neither does, what the one that came further had to say. */
async function firstSuccess(first: Attempt, second: Attempt): Promise<Agreed> {
  try {
    return await Promise.any([second.agreed, first.agreed])
  } catch (error) {
    const [older, newer] = (error as AggregateError).errors
    throw furthest(older, newer instanceof NotModern ? newer.cause : newer)
  } finally {
    first.forget()
    second.forget()
  }
}

function attempt(peer: ClientPeer, run: (onId: (id: RequestId) => void) => Promise<Agreed>): Attempt {
  let current: RequestId | undefined
  const agreed = run((id) => {
    current = id
  })
  // Whoever waits on it gets the rejection; when nobody does any more, it must not count as unhandled.
  agreed.catch(() => {})
  return {
    agreed,
    forget() {
      if (current !== undefined)
        peer.failed(current, new PorticoError('aborted', 'Another handshake was answered first'))
    },
  }
}

/** From here on the revision is settled on both sides. */
async function conclude(agreed: Agreed): Promise<Agreed> {
  const { peer, revision } = agreed
  peer.link.agree(revision)
  if (revision.era === 'legacy') await peer.notify('notifications/initialized')
  return agreed
}
