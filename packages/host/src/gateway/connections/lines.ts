/**
 * All lines of a gateway. One is made when a party first needs its server, and ends with the session it is for, or when
 * nobody has used it for a while: no process or session is left behind by a client that went away.
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
import { Line } from './line.ts'
import { clientIdOf, type Distinction, ownersOf, type Party, partyOf } from './party.ts'

export interface LinesHost extends Distinction {
  readonly upstreams: UpstreamSource
  readonly idleMs: number
  /** Lines of one principal to one server. */
  readonly maxConnections: number
  /** A server's items as everybody sees them. */
  shared(server: string): readonly CatalogueItem[]
  /** The server has items for each user. */
  personal(view: UpstreamView): boolean
  listsChanged(line: Line, kinds: readonly ListKind[]): void
  nameOf(item: Nameable): string
}

export class Lines {
  readonly #host: LinesHost
  /** Lines by whom they are for. */
  readonly #owners = new Map<string, Set<Line>>()
  readonly #lines = new Map<string, Line>()
  /** What each session of an older client uses, by server: the choice of a line is made once. */
  readonly #sessions = new Map<SessionView, Map<string, Line>>()
  #ownLists = false
  #views = new Map<string, UpstreamView>()
  #viewsAt = Number.NEGATIVE_INFINITY
  readonly #sweeper: ReturnType<typeof setInterval>

  constructor(host: LinesHost) {
    const { idleMs } = host
    this.#host = host
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(50, Math.min(idleMs / 2, 10_000)))
    this.#sweeper.unref()
  }

  get size(): number {
    return this.#lines.size
  }

  /** The line of whoever asks to a server. */
  of(server: string, ctx: RequestContext): Line {
    const { session } = ctx
    const used = session && this.#sessions.get(session)?.get(server)
    if (used !== undefined && this.#isFor(used.party, ctx)) return used
    const view = this.view(server)
    const party = partyOf(ctx, view, this.#host)
    const known = this.#lines.get(party.key)
    if (known !== undefined) {
      known.lastUsed = performance.now()
      return known
    }
    this.#makeRoom(party, server)
    const line = this.#create(view, party)
    this.#lines.set(party.key, line)
    if (party.owner !== undefined) this.#own(party.owner, line)
    if (party.session !== undefined) this.#endWith(party.session, line)
    return line
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

  /** The lines that a session of an older client uses alone. */
  ofSession(session: SessionView): readonly Line[] {
    return [...(this.#sessions.get(session)?.values() ?? [])]
  }

  /** All lines that whoever asks has to themselves; none are looked for before any has lists of its own. */
  ofCaller(ctx: RequestContext): readonly Line[] {
    if (!this.#ownLists) return NONE
    return ownersOf(ctx, this.#host).flatMap((owner) => [...(this.#owners.get(owner) ?? NONE)])
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    this.#sessions.clear()
    this.#owners.clear()
    await Promise.allSettled(lines.map((line) => line.release()))
  }

  /** One principal has so many lines to a server; the one that is longest unused gives way to another. */
  #makeRoom({ principal }: Party, server: string): void {
    if (principal === undefined) return
    const own = [...this.#lines.values()].filter(
      ({ party, server: name }) => name === server && party.principal?.id === principal.id,
    )
    const { maxConnections } = this.#host
    if (own.length < maxConnections) return
    const [oldest] = own.filter(({ idle }) => idle).sort((a, b) => a.lastUsed - b.lastUsed)
    if (oldest === undefined) throw new LimitError(`maxConnections (${maxConnections})`, undefined)
    this.#end(oldest)
  }

  #isFor({ principal }: Party, ctx: RequestContext): boolean {
    const caller = callerOf(ctx)
    if (principal?.id !== caller?.id) return false
    return !this.#host.byClient || clientIdOf(principal) === clientIdOf(caller)
  }

  #endWith(session: SessionView, line: Line): void {
    const known = this.#sessions.get(session)
    if (known !== undefined) {
      known.set(line.server, line)
      return
    }
    const lines = new Map([[line.server, line]])
    this.#sessions.set(session, lines)
    session.onClose(() => {
      this.#sessions.delete(session)
      for (const one of lines.values()) this.#end(one)
    })
  }

  #create(view: UpstreamView, party: Party): Line {
    const { upstreams, shared, personal, nameOf } = this.#host
    const { config } = view
    const listsChanged: LinesHost['listsChanged'] = (line, kinds) => {
      this.#ownLists = true
      this.#host.listsChanged(line, kinds)
    }
    return new Line(
      { upstreams, config, personal: personal(view), shared: () => shared(config.name), listsChanged, nameOf },
      party,
    )
  }

  #own(owner: string, line: Line): void {
    const lines = this.#owners.get(owner)
    if (lines === undefined) this.#owners.set(owner, new Set([line]))
    else lines.add(line)
  }

  #sweep(): void {
    const before = performance.now() - this.#host.idleMs
    for (const line of this.#lines.values()) if (line.idle && line.lastUsed < before) this.#end(line)
  }

  #end(line: Line): void {
    this.#lines.delete(line.party.key)
    const { session, owner } = line.party
    const owned = owner === undefined ? undefined : this.#owners.get(owner)
    owned?.delete(line)
    if (owner !== undefined && owned?.size === 0) this.#owners.delete(owner)
    if (session !== undefined) this.#sessions.get(session)?.delete(line.server)
    void line.release().catch(() => {})
  }
}

const VIEW_MS = 250
const NONE: readonly Line[] = []
