/**
 * One connector for each kind of target: opens links, lets `negotiation.ts` settle the revision on them, and decides what
 * to try next. What was found out is remembered, so that reconnecting does not probe again.
 */

import type { ClientProfile, Connection, Connector } from '../client/connection.ts'
import { httpFault, type Link } from '../client/link.ts'
import type { Negotiated } from '../client/negotiated.ts'
import { ClientPeer, type PeerEvents } from '../client/peer.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../protocol/revision.ts'
import { openSseChannel } from '../transport/sse-client.ts'
import { answerLimits } from './answer-limits.ts'
import { createHttpDialer, withAuthorizer } from './auth.ts'
import { ChannelLink } from './channel-link.ts'
import { furthest } from './furthest.ts'
import { HttpLink } from './http-link.ts'
import { negotiate, revisionsOf, suggestsSse } from './negotiation.ts'
import type { ConnectOptions } from './options.ts'

export interface ConnectorOptions {
  readonly label: string
  /** Names the server among remembered negotiations; undefined where it cannot be met again. */
  readonly key: string | undefined
  readonly reopens: boolean
  readonly restarts: boolean
  readonly options: ConnectOptions
}

/** A link for a channel that is opened anew for each connection. */
export type OpenLink = (signal: AbortSignal) => Promise<ChannelLink>

export function createChannelConnector(settings: ConnectorOptions, openLink: OpenLink): Connector {
  const memory = new NegotiationMemory(settings)
  const { label, reopens, restarts, options } = settings
  return {
    label,
    key: settings.key ?? crypto.randomUUID(),
    reopens,
    restarts,
    async open(profile, events, signal) {
      const attempt = async (versions: readonly ProtocolVersion[]) => {
        const link = await openLink(signal)
        const { discoverMs = 2_000, wrapLink } = options
        return settle(link, 'channel', { events, signal }, { profile, versions, discoverMs, wrapLink })
      }
      const allowed = allowedVersions(options)
      const prior = memory.get()
      if (prior !== undefined) {
        const connection = await attempt(only(allowed, prior)).catch(unlessUnreachable)
        if (connection !== undefined) return memory.keep(connection)
        memory.forget()
      }
      try {
        return memory.keep(await attempt(allowed))
      } catch (error) {
        // A server that dies on a request it does not know gets a second life, with the handshake it expects.
        const died = (error as PorticoError).code === 'closed' && reopens && !signal.aborted
        const older = allowed.filter((version) => revisionsOf([version], 'legacy').length > 0)
        if (!died || older.length === 0 || older.length === allowed.length) throw error
        const again = attempt(older).catch((second) => {
          throw furthest(second, error)
        })
        return memory.keep(await again)
      }
    },
  }
}

export function createHttpConnector(settings: ConnectorOptions, url: URL): Connector {
  const memory = new NegotiationMemory(settings)
  const { label } = settings
  // Once for all connections, so that each finds the tokens of the one before.
  const options = withAuthorizer(settings.options, url)
  return {
    label,
    key: settings.key ?? label,
    reopens: true,
    restarts: false,
    async open(profile, events, signal) {
      const allowed = allowedVersions(options)
      const prior = memory.get()
      if (prior !== undefined) {
        const versions = only(allowed, prior)
        const again = prior.transport === 'http+sse' ? openSse : openStreamable
        const connection = await again(url, options, { profile, versions, events, signal }).catch(unlessUnreachable)
        if (connection !== undefined) return memory.keep(connection)
        memory.forget()
      }
      try {
        return memory.keep(await openStreamable(url, options, { profile, versions: allowed, events, signal }))
      } catch (error) {
        const older = allowed.filter((version) => revisionsOf([version], 'legacy').length > 0)
        if (older.length === 0 || !suggestsSse(error) || signal.aborted) throw error
        const connection = await openSse(url, options, { profile, versions: older, events, signal }).catch((second) => {
          // What the newer transport said is more telling than that the older one is not there either.
          throw furthest(error, second)
        })
        return memory.keep(connection)
      }
    },
  }
}

/** Remembers what was found out about one server, in this connector and between connectors. */
class NegotiationMemory {
  readonly #key: string | undefined
  readonly #shared: Map<string, Negotiated> | undefined
  #negotiated: Negotiated | undefined

  constructor({ key, options }: ConnectorOptions) {
    const off = options.negotiations === false || (options.negotiations === undefined && options.cache === false)
    this.#key = key
    this.#shared = off ? undefined : options.negotiations || NEGOTIATIONS
    this.#negotiated = options.prior ?? (key === undefined ? undefined : this.#shared?.get(key))
    // What was negotiated before is of no use where its revision is not allowed.
    if (this.#negotiated !== undefined && !allowedVersions(options).includes(this.#negotiated.version))
      this.#negotiated = undefined
  }

  get(): Negotiated | undefined {
    return this.#negotiated
  }

  keep(connection: Connection): Connection {
    this.#negotiated = connection.negotiated
    if (this.#key === undefined || this.#shared === undefined) return connection
    const [oldest] = this.#shared.keys()
    if (this.#shared.size >= MAX_NEGOTIATIONS && oldest !== undefined) this.#shared.delete(oldest)
    this.#shared.set(this.#key, connection.negotiated)
    return connection
  }

  forget(): void {
    this.#negotiated = undefined
    if (this.#key !== undefined) this.#shared?.delete(this.#key)
  }
}

const NEGOTIATIONS = new Map<string, Negotiated>()
const MAX_NEGOTIATIONS = 1_000
/** HTTP servers answer what they do not know, so that silence means slowness. */
const HTTP_DISCOVER_MS = 10_000

interface SettleOptions {
  readonly profile: ClientProfile
  readonly versions: readonly ProtocolVersion[]
  readonly discoverMs: number
  readonly wrapLink: ConnectOptions['wrapLink']
}

/** A server that cannot be reached, or asks to be left alone for now, has not taken back what it said before. */
function unlessUnreachable(error: unknown): undefined {
  const { status = 0 } = httpFault(error) ?? {}
  const unreached = error instanceof PorticoError && error.code === 'connect-failed'
  if (unreached || status === 429 || (status >= 502 && status <= 504)) throw error
}

/** Who hears of the connection that is opened, and who may give it up. */
interface Opening {
  readonly events: PeerEvents
  readonly signal: AbortSignal
}

interface HttpOpening extends Opening {
  readonly profile: ClientProfile
  readonly versions: readonly ProtocolVersion[]
}

/** Negotiates on a fresh link, and closes it when that fails. */
async function settle(
  link: Link,
  transport: Negotiated['transport'],
  { events, signal }: Opening,
  options: SettleOptions,
): Promise<Connection> {
  let standing = false
  const peer = new ClientPeer(options.wrapLink?.(link) ?? link, {
    ...events,
    // While the handshake lasts its requests fail with the link; nobody else needs to know.
    closed: (error) => standing && events.closed(error),
  })
  try {
    const agreed = await negotiate(peer, { ...options, signal })
    standing = true
    if (peer.closedBy !== undefined) throw peer.closedBy
    const { era, version } = agreed.revision
    return { ...agreed, negotiated: { era, version, transport } }
  } catch (error) {
    await peer.close()
    throw withStderr(error, link)
  }
}

/** What a process said before it failed is the best explanation there is. */
function withStderr(error: unknown, { process }: Link): unknown {
  const stderr = process?.stderrTail()
  if (!stderr || !(error instanceof PorticoError) || error.code !== 'closed') return error
  return new PorticoError(error.code, error.message, { cause: error, delivery: error.delivery, data: { stderr } })
}

async function openStreamable(url: URL, options: ConnectOptions, opening: HttpOpening): Promise<Connection> {
  const { profile, versions } = opening
  const { headers, onRefused, nameSources, wrapLink, discoverMs = HTTP_DISCOVER_MS } = options
  const { pingMs, pongMs } = options.keepAlive ?? {}
  const silenceMs = pingMs === undefined || pongMs === undefined ? undefined : pingMs + pongMs
  const dialer = await createHttpDialer(options)
  const limits = answerLimits(options)
  const link = new HttpLink({ url, headers, onRefused, nameSources, silenceMs, limits, dialer })
  return settle(link, 'streamable-http', opening, { profile, versions, discoverMs, wrapLink })
}

async function openSse(url: URL, options: ConnectOptions, opening: HttpOpening): Promise<Connection> {
  const { profile, versions } = opening
  const dialer = await createHttpDialer(options)
  const source = options.headers
  const headers = typeof source === 'function' ? source : () => source ?? {}
  let channel: Channel
  try {
    channel = await openSseChannel({ url, dialer, headers, signal: opening.signal, limits: answerLimits(options) })
  } catch (error) {
    dialer.close()
    throw error
  }
  const link = new ChannelLink(withCleanup(channel, () => dialer.close()))
  const { wrapLink } = options
  return settle(link, 'http+sse', opening, { profile, versions, discoverMs: 2_000, wrapLink })
}

/** A channel that lets go of what it stands on when it ends. */
function withCleanup(channel: Channel, cleanup: () => void): Channel {
  return {
    label: channel.label,
    send: (text, urgency, key) => channel.send(text, urgency, key),
    flush: () => channel.flush(),
    close: () => channel.close(),
    open: (events) =>
      channel.open({
        message: (value) => events.message(value),
        malformed: (fault) => events.malformed(fault),
        closed: (reason) => {
          cleanup()
          events.closed(reason)
        },
      }),
  }
}

function allowedVersions({ versions }: ConnectOptions): readonly ProtocolVersion[] {
  if (versions === undefined) return PROTOCOL_VERSIONS
  const allowed = typeof versions === 'string' ? [versions] : versions
  if (allowed.length > 0 && allowed.every((version) => PROTOCOL_VERSIONS.includes(version))) return allowed
  throw new PorticoError('unsupported-version', `versions must be among ${PROTOCOL_VERSIONS.join(', ')}`, {
    delivery: 'not-sent',
  })
}

/** The allowed revisions that are of the era which was negotiated before. */
function only(allowed: readonly ProtocolVersion[], { era }: Negotiated): readonly ProtocolVersion[] {
  return allowed.filter((version) => revisionsOf([version], era).length > 0)
}
