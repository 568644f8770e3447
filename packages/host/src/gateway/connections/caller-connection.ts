/**
 * One caller's connection to one server: the calls that run on it, the resources it follows and the level it logs at.
 * `caller-connections.ts` keeps all of them. What a server says outside any call comes here: logs go to the session that
 * alone uses the connection, questions are answered from the configuration or refused.
 */

import { pathToFileURL } from 'node:url'
import type { ChangeNotice, Client, LogLevel, Root, Subscription } from '@portico/sdk/client'
import { METHOD_NOT_FOUND, passesLevel } from '@portico/sdk/internal'
import { type JsonObject, RpcError } from '@portico/sdk/server'
import type { ServerSettings } from '../../config/server-config.ts'
import { hideIn } from '../../config/trust/used-secrets.ts'
import type { ListKind } from '../../upstream/catalogue/listing.ts'
import type { ConnectionRequest, QuestionHandlers, UpstreamSource } from '../../upstream/upstream.ts'
import type { RelayedCall } from '../call/relayed-call.ts'
import { OwnLists, type OwnListsHost } from '../views/own-lists.ts'
import type { ConnectionKey } from './connection-key.ts'

interface Followed {
  readonly subscription: Promise<Subscription>
  readonly listeners: Set<(uri: string) => void>
}

let connections = 0

interface CallerConnectionHost extends Pick<OwnListsHost, 'config' | 'shared' | 'personal' | 'nameOf'> {
  readonly upstreams: UpstreamSource
  /** The server changed lists for this connection. */
  listsChanged(connection: CallerConnection, kinds: readonly ListKind[]): void
}

export class CallerConnection {
  /** Tells it from every other connection there was. */
  readonly id = `c${++connections}`
  readonly server: string
  readonly lists: OwnLists
  readonly key: ConnectionKey
  /** Calls under way, oldest first. */
  readonly calls = new Set<RelayedCall>()
  /** Calls that the server has made tasks of: they are looked after from here, and nothing waits for their answer. */
  readonly followed = new Set<RelayedCall>()
  readonly #upstreams: UpstreamSource
  readonly #questions: QuestionHandlers
  /** Whom the connection is for: the same object each time, by which it is found again. */
  readonly #wanted: ConnectionRequest
  readonly #seen = new WeakSet<Client>()
  readonly #followed = new Map<string, Followed>()
  /** Visits that somebody waits for, by the server's name for them. */
  readonly #visits = new Map<string, () => void>()
  #level: LogLevel | undefined
  #released = false
  /** How many wait for the connection; a person may have to sign in first. */
  #opening = 0
  lastUsed = performance.now()

  constructor(host: CallerConnectionHost, key: ConnectionKey) {
    const { config, personal } = host
    this.server = config.name
    this.key = key
    this.#upstreams = host.upstreams
    this.#questions = backgroundQuestions(key, config.settings)
    this.#wanted = { principal: key.principal, session: key.tag, questions: this.#questions }
    this.lists = new OwnLists({
      config,
      personal,
      shared: () => host.shared(),
      nameOf: (item) => host.nameOf(item),
      changed: (kinds) => host.listsChanged(this, kinds),
    })
  }

  get idle(): boolean {
    return this.calls.size === 0 && this.followed.size === 0 && this.#followed.size === 0 && this.#opening === 0
  }

  /** The client that `client` would give, where it is connected already. */
  standing(): Client | undefined {
    const client = this.#upstreams.standing?.(this.server, this.#wanted)
    if (client === undefined) return undefined
    if (!this.#seen.has(client)) this.#meet(client)
    return client
  }

  /** The connection as it is now: it may be another one after a restart. */
  async client(signal?: AbortSignal): Promise<Client> {
    this.#opening++
    try {
      const client = await this.#upstreams.client(this.server, { ...this.#wanted, signal })
      if (!this.#seen.has(client)) this.#meet(client)
      return client
    } finally {
      this.#opening--
      this.lastUsed = performance.now()
    }
  }

  /** Makes the server log at least this much. On servers of the newest revision each request says so itself. */
  async logAtLeast(level: LogLevel, client: Client): Promise<void> {
    if (client.revision.era === 'modern' || client.server.capabilities.logging === undefined) return
    const known = this.#level
    const alone = this.key.session !== undefined
    if (known === level || (known !== undefined && !alone && passesLevel(level, known))) return
    this.#level = level
    await client.setLogLevel(level).catch(() => {})
  }

  /** Follows a resource for one more listener. */
  async follow(uri: string, changed: (uri: string) => void): Promise<() => void> {
    let followed = this.#followed.get(uri)
    if (followed === undefined) {
      const listeners = new Set<(uri: string) => void>()
      const told = (change: ChangeNotice): void => {
        if (change.kind === 'resource') for (const listener of listeners) listener(change.uri)
      }
      followed = { listeners, subscription: this.client().then((client) => client.subscribe(uri, told)) }
      this.#followed.set(uri, followed)
    }
    const { subscription, listeners } = followed
    listeners.add(changed)
    const leave = (): void => {
      listeners.delete(changed)
      if (listeners.size > 0 || this.#followed.get(uri)?.listeners !== listeners) return
      this.#followed.delete(uri)
      this.lastUsed = performance.now()
      void subscription.then((standing) => standing.close()).catch(() => {})
    }
    try {
      await subscription
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  /** Resolves when the server says that a visit is over. */
  visited(elicitationId: string): Promise<void> {
    return new Promise((resolve) => {
      const [oldest] = this.#visits.keys()
      if (this.#visits.size >= MAX_VISITS && oldest !== undefined) this.#visits.delete(oldest)
      this.#visits.set(elicitationId, resolve)
    })
  }

  /** Tells the server that the client's roots changed, where it knows of any. */
  async rootsChanged(): Promise<void> {
    const { roots } = this.#questions
    if (roots === undefined || this.#released) return
    const client = await this.client()
    await client.setRoots(roots)
  }

  async release(): Promise<void> {
    if (this.#released) return
    this.#released = true
    for (const call of [...this.calls, ...this.followed]) call.cancel('The client is gone')
    const { principal, session } = this.#wanted
    await this.#upstreams.release(this.server, { principal, session })
  }

  #meet(client: Client): void {
    this.#seen.add(client)
    this.#level = undefined
    // Over HTTP, a server of the newest revision has the same lists for every connection; the catalogue follows those.
    if (this.key.owner !== undefined && (client.process !== undefined || client.revision.era === 'legacy')) {
      client.on('change', ({ kind }) => {
        if (kind !== 'resource' && kind !== 'extension') void this.lists.refresh(client, [kind]).catch(() => {})
      })
    }
    client.on('log', ({ level, data, logger }) => this.#log({ level, data, logger }))
    client.on('notification', ({ method, params }) => {
      if (method === 'notifications/elicitation/complete') this.#completed(params ?? {})
    })
  }

  /** A log message that does not say which call it belongs to. */
  #log(params: JsonObject): void {
    const call = this.certainCall()
    if (call !== undefined) {
      call.log(params)
      return
    }
    const { session } = this.key
    const level = params.level as LogLevel
    if (session?.logLevel === undefined || !passesLevel(level, session.logLevel)) return
    const shown = hideIn(params, (text) => this.#upstreams.hide?.(text) ?? text)
    session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: shown }), 'log')
  }

  /** Whether all that runs here is of one principal: then a question that does not say which call it is of is theirs. */
  isAllOf(principal: string | undefined): boolean {
    for (const call of this.calls) if (call.principal !== principal) return false
    for (const call of this.followed) if (call.principal !== principal) return false
    return true
  }

  /** The newest call, unless calls of several principals share the connection and nobody can say whose it is. */
  certainCall(): RelayedCall | undefined {
    const calls = [...this.calls]
    const newest = calls.at(-1)
    return calls.every((call) => call.principal === newest?.principal) ? newest : undefined
  }

  #completed(params: JsonObject): void {
    const { elicitationId } = params
    if (typeof elicitationId !== 'string') return
    this.#visits.get(elicitationId)?.()
    this.#visits.delete(elicitationId)
    const { session } = this.key
    const method = 'notifications/elicitation/complete'
    if (session?.revision.serverNotifications.has(method)) {
      session.post(JSON.stringify({ jsonrpc: '2.0', method, params: { elicitationId } }), 'keep')
    }
  }
}

const MAX_VISITS = 100

/** What the server is offered, and who answers outside any call: the configured roots, or nobody. */
function backgroundQuestions({ abilities }: ConnectionKey, settings: ServerSettings): QuestionHandlers {
  const refuse = (): never => {
    throw new RpcError(METHOD_NOT_FOUND, 'The gateway answers this only while a call of the client is under way')
  }
  const roots = rootsOf(settings.roots)
  return {
    ...((abilities.form || abilities.url) && {
      elicitation: { ...(abilities.form && { form: refuse }), ...(abilities.url && { url: refuse }) },
    }),
    ...(abilities.sampling && {
      sampling: { handler: refuse, tools: abilities.samplingTools, context: abilities.samplingContext },
    }),
    ...(abilities.roots && { roots: () => (roots.length > 0 ? roots : refuse()) }),
  }
}

/** Roots are configured as paths or as file URIs. */
export function rootsOf(configured: readonly string[]): Root[] {
  return configured.map((root) => ({ uri: root.startsWith('file:') ? root : pathToFileURL(root).href }))
}
