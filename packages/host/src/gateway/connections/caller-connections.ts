/**
 * All connections of a gateway's callers to its servers. One is made when a caller first needs the server, and ends with
 * the session it is for, or when nobody has used it for a while: a client that went away leaves no process or session
 * behind.
 */

import type { SessionView } from '@portico/sdk/relay'
import type { RequestContext } from '@portico/sdk/server'
import { HostError } from '../../errors.ts'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import type { ListKind } from '../../upstream/catalogue/listing.ts'
import type { Nameable } from '../../upstream/catalogue/names.ts'
import type { UpstreamSource, UpstreamView } from '../../upstream/upstream.ts'
import { LimitError } from '../limits.ts'
import { callerOf } from '../views/toolset.ts'
import { CallerConnection } from './caller-connection.ts'
import {
  type ConnectionKey,
  clientIdOf,
  connectionIdOf,
  connectionKeyOf,
  type Distinction,
  ownersOf,
} from './connection-key.ts'

interface CallerConnectionsHost extends Distinction {
  readonly upstreams: UpstreamSource
  readonly idleMs: number
  /** Connections of one principal to one server. */
  readonly maxConnections: number
  /** A server's items as everybody sees them. */
  shared(server: string): readonly CatalogueItem[]
  /** The server has items for each user. */
  personal(view: UpstreamView): boolean
  listsChanged(connection: CallerConnection, kinds: readonly ListKind[]): void
  nameOf(item: Nameable): string
}

export class CallerConnections {
  readonly #host: CallerConnectionsHost
  /** Connections by whom they are for. */
  readonly #owners = new Map<string, Set<CallerConnection>>()
  readonly #connections = new Map<string, CallerConnection>()
  /** What each session of an older client uses, by server: the choice of a connection is made once. */
  readonly #sessions = new Map<SessionView, Map<string, CallerConnection>>()
  #ownLists = false
  #views = new Map<string, UpstreamView>()
  #viewsAt = Number.NEGATIVE_INFINITY
  readonly #sweeper: ReturnType<typeof setInterval>

  constructor(host: CallerConnectionsHost) {
    const { idleMs } = host
    this.#host = host
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(50, Math.min(idleMs / 2, 10_000)))
    this.#sweeper.unref()
  }

  get size(): number {
    return this.#connections.size
  }

  /** The connection of whoever asks to a server. */
  of(server: string, ctx: RequestContext): CallerConnection {
    const { session } = ctx
    const used = session && this.#sessions.get(session)?.get(server)
    if (used !== undefined && this.#isFor(used.key, ctx)) return used
    const view = this.view(server)
    const known = this.#connections.get(connectionIdOf(ctx, view, this.#host))
    if (known !== undefined) {
      known.lastUsed = performance.now()
      return known
    }
    const key = connectionKeyOf(ctx, view, this.#host)
    this.#makeRoom(key, server)
    const connection = this.#create(view, key)
    this.#connections.set(key.id, connection)
    if (key.owner !== undefined) this.#own(key.owner, connection)
    if (key.session !== undefined) this.#endWith(key.session, connection)
    return connection
  }

  /** A server as it was a moment ago: what of it matters here changes with the configuration alone. */
  view(server: string): UpstreamView {
    const now = performance.now()
    if (now - this.#viewsAt > VIEW_MS || !this.#views.has(server)) {
      this.#views = new Map(this.#host.upstreams.views().map((view) => [view.name, view]))
      this.#viewsAt = now
    }
    const view = this.#views.get(server)
    if (view === undefined) throw new HostError('unknown-server', `There is no server "${server}"`)
    return view
  }

  /** All servers that are not switched off. */
  servers(): readonly string[] {
    const views = this.#host.upstreams.views()
    return views.filter(({ config }) => !config.settings.disabled).map(({ name }) => name)
  }

  /** The connections that a session of an older client uses alone. */
  ofSession(session: SessionView): readonly CallerConnection[] {
    return [...(this.#sessions.get(session)?.values() ?? [])]
  }

  /** All connections that whoever asks has to themselves; none are looked for before any has lists of its own. */
  ofCaller(ctx: RequestContext): readonly CallerConnection[] {
    if (!this.#ownLists) return NONE
    return ownersOf(ctx, this.#host).flatMap((owner) => [...(this.#owners.get(owner) ?? NONE)])
  }

  /** The servers that each principal has connections of its own to. */
  byPrincipal(): ReadonlyMap<string, ReadonlySet<string>> {
    const servers = new Map<string, Set<string>>()
    for (const { key, server } of this.#connections.values()) {
      const { principal } = key
      if (principal === undefined) continue
      const known = servers.get(principal.id)
      if (known === undefined) servers.set(principal.id, new Set([server]))
      else known.add(server)
    }
    return servers
  }

  /** Ends what a principal has to itself, calls under way included. */
  endOf(principal: string): void {
    for (const connection of this.#connections.values()) {
      if (connection.key.principal?.id === principal) this.#end(connection)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    const connections = [...this.#connections.values()]
    this.#connections.clear()
    this.#sessions.clear()
    this.#owners.clear()
    await Promise.allSettled(connections.map((connection) => connection.release()))
  }

  /** One principal has so many connections to a server; the one that is longest unused gives way to another. */
  #makeRoom({ principal }: ConnectionKey, server: string): void {
    if (principal === undefined) return
    const own = [...this.#connections.values()].filter(
      ({ key, server: name }) => name === server && key.principal?.id === principal.id,
    )
    const { maxConnections } = this.#host
    if (own.length < maxConnections) return
    const [oldest] = own.filter(({ idle }) => idle).sort((a, b) => a.lastUsed - b.lastUsed)
    if (oldest === undefined) throw new LimitError(`maxConnections (${maxConnections})`, undefined)
    this.#end(oldest)
  }

  #isFor({ principal }: ConnectionKey, ctx: RequestContext): boolean {
    const caller = callerOf(ctx)
    if (principal?.id !== caller?.id) return false
    return !this.#host.byClient || clientIdOf(principal) === clientIdOf(caller)
  }

  #endWith(session: SessionView, connection: CallerConnection): void {
    const known = this.#sessions.get(session)
    if (known !== undefined) {
      known.set(connection.server, connection)
      return
    }
    const connections = new Map([[connection.server, connection]])
    this.#sessions.set(session, connections)
    session.onClose(() => {
      this.#sessions.delete(session)
      for (const one of connections.values()) this.#end(one)
    })
  }

  #create(view: UpstreamView, key: ConnectionKey): CallerConnection {
    const { upstreams, shared, personal, nameOf } = this.#host
    const { config } = view
    const listsChanged: CallerConnectionsHost['listsChanged'] = (connection, kinds) => {
      this.#ownLists = true
      this.#host.listsChanged(connection, kinds)
    }
    return new CallerConnection(
      { upstreams, config, personal: personal(view), shared: () => shared(config.name), listsChanged, nameOf },
      key,
    )
  }

  #own(owner: string, connection: CallerConnection): void {
    const connections = this.#owners.get(owner)
    if (connections === undefined) this.#owners.set(owner, new Set([connection]))
    else connections.add(connection)
  }

  #sweep(): void {
    const before = performance.now() - this.#host.idleMs
    for (const connection of this.#connections.values())
      if (connection.idle && connection.lastUsed < before) this.#end(connection)
  }

  #end(connection: CallerConnection): void {
    this.#connections.delete(connection.key.id)
    const { session, owner } = connection.key
    const owned = owner === undefined ? undefined : this.#owners.get(owner)
    owned?.delete(connection)
    if (owner !== undefined && owned?.size === 0) this.#owners.delete(owner)
    if (session !== undefined) this.#sessions.get(session)?.delete(connection.server)
    void connection.release().catch(() => {})
  }
}

const VIEW_MS = 250
const NONE: readonly CallerConnection[] = []
