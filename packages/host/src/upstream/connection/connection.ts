/**
 * One connection of the host to a server: made for one principal and session, kept while it is used, watched through the
 * links that its client opens. `supervised-server.ts` decides when there is one, `retry.ts` what its loss means.
 */

import {
  type Client,
  type ConnectOptions,
  connect,
  createMemoryCache,
  type LogLevel,
  type LogMessage,
  type PorticoError,
  type ProcessView,
  type ResultCache,
  type Target,
  type Warning,
} from '@portico/sdk/client'
import type { ShareOwner } from '@portico/sdk/internal'
import type { ServerConfig } from '../../config/server-config.ts'
import type { ConnectionRequest, QuestionHandlers } from '../upstream.ts'
import { type Tap, withTap } from './link-tap.ts'
import { type ClientTelemetryApi, withClientTelemetry } from './link-telemetry.ts'
import type { LimitedLink, RequestLimiter } from './request-limiter.ts'

/** What a connection reports. */
export interface ConnectionEvents {
  lost(error: PorticoError): void
  restored(): void
  /** One of the server's lists changed, as it says itself. */
  changed(kind: 'tools' | 'resources' | 'prompts'): void
  warned(warning: Warning): void
  logged(message: LogMessage): void
  stderr(line: string): void
  process(process: ProcessView): void
  answered(): void
  faulted(error: PorticoError): void
  unanswered(afterMs: number): void
}

interface ConnectionOptions {
  readonly id: string
  readonly key: string
  readonly config: ServerConfig
  readonly request: ConnectionRequest
  readonly limiter: RequestLimiter
  readonly events: ConnectionEvents
  readonly tap: Tap
  readonly telemetry: ClientTelemetryApi | undefined
  readonly info: ConnectOptions['info']
  readonly negotiations: NonNullable<ConnectOptions['negotiations']>
}

export class UpstreamConnection {
  readonly id: string
  readonly key: string
  readonly request: ConnectionRequest
  /** Resolves once the client is connected for the first time. */
  ready: Promise<Client> = Promise.reject(new Error('not opened'))
  /** Set once it is. */
  client: Client | undefined
  /** It is connected at this moment. */
  standing = false
  lastUsed = performance.now()
  readonly ending = new AbortController()
  readonly #options: ConnectionOptions
  #questions: QuestionHandlers
  #links = new Set<LimitedLink>()
  /** What this side itself listens to does not make a connection needed. */
  #ownListens = 0

  constructor(options: ConnectionOptions) {
    this.id = options.id
    this.key = options.key
    this.request = options.request
    this.#options = options
    this.#questions = options.request.questions ?? {}
    this.ready.catch(() => {})
  }

  /** The answers that the newest caller gives are the ones that count. */
  use(questions: QuestionHandlers | undefined): void {
    this.lastUsed = performance.now()
    if (questions !== undefined) this.#questions = questions
  }

  /** Requests wait for an answer, or resources are subscribed to. */
  get isBusy(): boolean {
    return [...this.#links].some(({ pending }) => pending > 0)
  }

  /** Nothing waits on it and nothing is subscribed to. */
  get isIdle(): boolean {
    const { client } = this
    if (client === undefined) return false
    return [...this.#links].every(({ pending, listens }) => pending === 0 && listens <= this.#ownListens)
  }

  async open(target: Target, given: ConnectOptions, follow: boolean): Promise<Client> {
    const { events } = this.#options
    const client = await connect(target, { ...given, ...this.#connectOptions(given) })
    this.client = client
    this.standing = true
    client.on('disconnect', (error) => {
      this.standing = false
      this.#links.clear()
      events.lost(error)
    })
    client.on('reconnect', () => {
      this.standing = true
      events.restored()
    })
    client.on('warning', (warning) => events.warned(warning))
    client.on('log', (message) => events.logged(message))
    client.on('stderr', (line) => events.stderr(line))
    // The connections of a gateway's callers ask for the levels that those want.
    if (isOwn(this.request)) await this.askForLogs(this.#options.config.settings.logLevel).catch(() => {})
    if (follow) {
      const { tools, resources, prompts } = client.server.capabilities
      const announces = [tools, resources, prompts].some((one) => one?.listChanged === true)
      this.#ownListens = announces ? 1 : 0
      client.on('change', ({ kind }) => {
        if (kind === 'tools' || kind === 'resources' || kind === 'prompts') events.changed(kind)
      })
    }
    return client
  }

  /** Tells the server that other roots are offered from now on, where it was told that there are any. */
  async tellRoots(): Promise<void> {
    if (this.#questions.roots === undefined) return
    await this.client?.setRoots((context) => demand(this.#questions.roots)(context))
  }

  /** Modern servers send no log message that was not asked for; older ones choose for themselves. */
  async askForLogs(level: LogLevel | undefined): Promise<void> {
    const { client } = this
    if (client?.server.capabilities.logging === undefined) return
    const wanted = level ?? (client.revision.era === 'modern' ? 'info' : undefined)
    if (wanted !== undefined) await client.setLogLevel(wanted)
  }

  async close(): Promise<void> {
    this.standing = false
    this.ending.abort()
    const client = this.client ?? (await this.ready.catch(() => undefined))
    await client?.close()
  }

  #connectOptions(given: ConnectOptions): ConnectOptions {
    const { config, events, info, negotiations, telemetry, limiter, tap } = this.#options
    const { settings } = config
    const { elicitation, sampling, roots } = this.#questions
    return {
      ...(info !== undefined && { info }),
      // The handlers are looked up when a question comes: the caller that they belong to may have changed.
      ...(elicitation !== undefined && {
        elicitation: {
          ...(elicitation.form && {
            form: (params, context) => demand(this.#questions.elicitation?.form)(params, context),
          }),
          ...(elicitation.url && {
            url: (params, context) => demand(this.#questions.elicitation?.url)(params, context),
          }),
        },
      }),
      ...(sampling !== undefined && {
        sampling: {
          ...sampling,
          handler: (params, context) => demand(this.#questions.sampling?.handler)(params, context),
        },
      }),
      ...(roots !== undefined && { roots: (context) => demand(this.#questions.roots)(context) }),
      timeouts: { callMs: settings.callMs, connectMs: settings.startMs, ...given.timeouts },
      cache: withoutLists(createMemoryCache()),
      negotiations,
      signal: this.ending.signal,
      onProcess: (process) => events.process(process),
      wrapLink: (link) => {
        const tapped = withTap(link, tap)
        const traced = telemetry === undefined ? tapped : withClientTelemetry(tapped, telemetry, config.name)
        const notices = {
          active: () => {
            this.lastUsed = performance.now()
          },
          answered: events.answered,
          faulted: events.faulted,
          unanswered: events.unanswered,
        }
        const limited = limiter.wrap(traced, notices, partyOf(this.request))
        this.#links.add(limited)
        return limited
      },
    }
  }
}

/** For the host itself, not for one of its users. */
export function isOwn({ principal, session }: Pick<ConnectionRequest, 'principal' | 'session'>): boolean {
  return principal === undefined && session === undefined
}

/** Whose part of the server's slots a connection uses. Callers whom nobody has identified have one together. */
function partyOf({ principal, session }: ConnectionRequest): ShareOwner {
  return principal?.id ?? (session === undefined ? undefined : '')
}

/** Which answers a request brings: connections declare them once and for all. */
export function shapeOf(questions: QuestionHandlers | undefined): string {
  const { elicitation, sampling, roots } = questions ?? {}
  const shape = [elicitation?.form && 'form', elicitation?.url && 'url', sampling && 'sampling', roots && 'roots']
  if (sampling?.tools) shape.push('tools')
  if (sampling?.context) shape.push('context')
  return shape.filter(Boolean).join(' ')
}

function demand<Handler>(handler: Handler | undefined): Handler {
  // The shape of the questions is part of what a connection is found by, so that no member goes away.
  if (handler === undefined) throw new Error('this question is no longer answered here')
  return handler
}

/** Lists are looked at anew each time: what a server says of their freshness must not hide that they changed. */
function withoutLists(cache: ResultCache): ResultCache {
  return {
    ...cache,
    set: (key, entry) => (/"[a-z/]+\/list"\]\n/.test(key) ? undefined : cache.set(key, entry)),
  }
}
