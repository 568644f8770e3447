/**
 * News of changes: one `server.changed(…)` reaches sessions of the older revisions (list_changed, updated for what they
 * subscribed to) and open `subscriptions/listen` streams of the newest (by filter). Equal changes made in one go are
 * told once.
 */

import type { Principal } from '../../auth/principal.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { methodOf } from '../../protocol/methods.ts'
import type { LegacySession, SessionWatcher } from '../../session/legacy-session.ts'

/** What can change about a server: one of its lists, one resource's contents, or something an extension defines. */
export type ServerChange =
  | { readonly kind: 'list'; readonly list: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | {
      readonly kind: 'extension'
      readonly filter: string
      readonly method: string
      readonly params: { [key: string]: unknown }
      /** The extension that it belongs to, where clients of older revisions may be told. */
      readonly extension?: string | undefined
    }

export interface ChangeListener {
  /** Who is told, for changes that concern one principal alone. */
  readonly principal?: string | undefined
  /** Told of each change; says itself whether it cares. */
  hear(change: ServerChange): void
}

/** Whether a principal may hear of a resource as things stand now; what it subscribed to it may have lost since. */
type MayHear = (uri: string, principal: Principal | undefined) => boolean

export class ChangeHub implements SessionWatcher {
  readonly #listeners = new Set<ChangeListener>()
  /** As they are: a listener around each would be a good part of what an idle one costs. */
  readonly #sessions = new Set<LegacySession>()
  readonly #due = new Map<string, { change: ServerChange; principal: string | undefined }>()
  #scheduled = false
  /** Tells the other processes that serve the same of what changed here, where there are any. */
  share: ((change: ServerChange, principal: string | undefined) => void) | undefined
  readonly #mayHear: MayHear

  constructor(mayHear: MayHear = () => true) {
    this.#mayHear = mayHear
  }

  get size(): number {
    return this.#listeners.size + this.#sessions.size
  }

  add(listener: ChangeListener): void {
    this.#listeners.add(listener)
  }

  /** False when it was not there. */
  remove(listener: ChangeListener): boolean {
    return this.#listeners.delete(listener)
  }

  /** The sessions of older revisions that are told. */
  get sessions(): Iterable<LegacySession> {
    return this.#sessions
  }

  /** Tells a session of an older revision from now on until it ends. */
  attach(session: LegacySession): void {
    this.#sessions.add(session)
    session.onClose(this)
  }

  sessionClosed(session: LegacySession): void {
    this.#sessions.delete(session)
  }

  /** Announces a change after the current synchronous work is done, to everybody or to one principal. */
  announce(change: ServerChange, principal?: string): void {
    this.share?.(change, principal)
    this.hear(change, principal)
  }

  /** Announces what changed in another process. */
  hear(change: ServerChange, principal?: string): void {
    if (this.size === 0) return
    this.#due.set(principal === undefined ? keyOf(change) : `${keyOf(change)} for ${principal}`, { change, principal })
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      const due = [...this.#due.values()]
      this.#due.clear()
      for (const { change: one, principal: only } of due) {
        for (const listener of this.#listeners) {
          if (only === undefined || listener.principal === only) listener.hear(one)
        }
        for (const session of this.#sessions) {
          if (only === undefined || session.principal?.id === only) this.#tell(session, one)
        }
      }
    })
  }

  /** Sessions hear of every list, and of the resources that they subscribed to and may see. */
  #tell(session: LegacySession, change: ServerChange): void {
    if (change.kind === 'extension' && !negotiated(session, change.extension)) return
    if (change.kind === 'resource') {
      const { uri } = change
      if (!session.subscriptions.has(uri) || !this.#mayHear(uri, session.reader ?? session.principal)) return
    }
    tell(session, change)
  }
}

/** The notification that tells of a change. */
export function noticeOf(change: ServerChange): { method: string; params: { [key: string]: unknown } } {
  switch (change.kind) {
    case 'list':
      return { method: `notifications/${change.list}/list_changed`, params: {} }
    case 'resource':
      return { method: 'notifications/resources/updated', params: { uri: change.uri } }
    case 'extension':
      return { method: change.method, params: change.params }
  }
}

function tell(session: LegacySession, change: ServerChange): void {
  const { method, params } = noticeOf(change)
  // What no revision has is the business of whoever added it.
  if (
    change.kind !== 'extension' &&
    methodOf(method) !== undefined &&
    !session.revision.serverNotifications.has(method)
  )
    return
  const bare = change.kind === 'list'
  session.post(JSON.stringify(bare ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }), 'keep')
}

/** Whether a client of an older revision negotiated an extension by `experimental`. */
function negotiated({ capabilities }: LegacySession, id: string | undefined): boolean {
  return id !== undefined && isObject(capabilities.experimental) && Object.hasOwn(capabilities.experimental, id)
}

function keyOf(change: ServerChange): string {
  if (change.kind === 'list') return change.list
  if (change.kind === 'resource') return `resource ${change.uri}`
  return `${change.filter} ${change.method} ${JSON.stringify(change.params)}`
}
