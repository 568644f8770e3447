/**
 * Change notices to those who want them: open `subscriptions/listen` requests of the newest revision, and sessions of
 * the older ones, which hear of every list and of the resources they subscribed to.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { META_SUBSCRIPTION_ID } from '../protocol/meta.ts'
import { type Change, readFilter, type SubscriptionFilter } from '../protocol/subscriptions.ts'
import { type LegacySession, SUBSCRIPTION_LIMITS } from '../session/legacy-session.ts'
import type { ServerCall } from './call.ts'
import { type ChangeHub, type ChangeListener, noticeOf } from './changes.ts'
import { defineMethod, invalidParam, type ServerMethod, tooManySubscriptions } from './method.ts'

export interface SubscriptionHost {
  readonly hub: ChangeHub
  /** What of a filter this server honours for this caller: lists it has, resources the caller may see. */
  honoured(filter: SubscriptionFilter, call: ServerCall): SubscriptionFilter
  /** Filters that extensions read from a listen request. */
  extensionFilters(params: JsonObject): SubscriptionFilter
}

/** The open listens of one server, so that they can be ended gracefully all at once. */
export class Listens {
  readonly #host: SubscriptionHost
  readonly #open = new Set<Listen>()
  #draining = false

  constructor(host: SubscriptionHost) {
    this.#host = host
  }

  get size(): number {
    return this.#open.size
  }

  method(): ServerMethod {
    return defineMethod<JsonObject>({
      method: 'subscriptions/listen',
      run: (call) => this.#listen(call),
      write: (result) => result,
    })
  }

  /** Ends every listen with its result and refuses new ones. */
  drain(): void {
    this.#draining = true
    for (const listen of [...this.#open]) listen.end()
  }

  #listen(call: ServerCall): Promise<JsonObject> | JsonObject {
    const asked = readFilter(call.params.notifications)
    if (asked === undefined) throw invalidParam('notifications', 'must be an object')
    const length = asked.resourceSubscriptions?.reduce((sum, uri) => sum + uri.length, 0) ?? 0
    if (length > SUBSCRIPTION_LIMITS.maxSubscriptionLength) throw tooManySubscriptions('resourceSubscriptions')
    if (this.#draining) throw new PorticoError('closed', 'The server is shutting down')
    const extra = this.#host.extensionFilters(call.params)
    const filter = { ...this.#host.honoured(asked, call), ...extra }
    return new Promise((resolve) => {
      const listen = new Listen(call, filter, () => {
        this.#open.delete(listen)
        this.#host.hub.remove(listen)
        resolve({ _meta: { [META_SUBSCRIPTION_ID]: call.id } })
      })
      call.onCancel = () => listen.end()
      this.#open.add(listen)
      listen.acknowledge()
      this.#host.hub.add(listen)
    })
  }
}

class Listen implements ChangeListener {
  readonly #call: ServerCall
  readonly #filter: SubscriptionFilter
  readonly #resources: ReadonlySet<string>
  readonly #ended: () => void

  constructor(call: ServerCall, filter: SubscriptionFilter, ended: () => void) {
    this.#call = call
    this.#filter = filter
    this.#resources = new Set(filter.resourceSubscriptions)
    this.#ended = ended
  }

  acknowledge(): void {
    this.#notify('notifications/subscriptions/acknowledged', { notifications: this.#filter })
  }

  hear(change: Change): void {
    if (!this.#wants(change)) return
    const { method, params } = noticeOf(change)
    this.#notify(method, params)
  }

  end(): void {
    this.#ended()
  }

  #notify(method: string, params: JsonObject): void {
    this.#call.notify(method, { _meta: { [META_SUBSCRIPTION_ID]: this.#call.id }, ...params })
  }

  #wants(change: Change): boolean {
    switch (change.kind) {
      case 'tools':
        return this.#filter.toolsListChanged === true
      case 'prompts':
        return this.#filter.promptsListChanged === true
      case 'resources':
        return this.#filter.resourcesListChanged === true
      case 'resource':
        return this.#resources.has(change.uri)
      case 'extension':
        return this.#filter[change.filter] !== undefined
    }
  }
}

/** Tells a session of an older revision; begins at `initialized` and ends with the session. */
export function attachSession(hub: ChangeHub, session: LegacySession): void {
  const listener: ChangeListener = {
    hear(change) {
      if (change.kind === 'extension') return
      if (change.kind === 'resource' && !session.subscriptions.has(change.uri)) return
      const { method, params } = noticeOf(change)
      if (!session.revision.serverNotifications.has(method)) return
      session.post(
        JSON.stringify(change.kind === 'resource' ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method }),
        'keep',
      )
    },
  }
  hub.add(listener)
  session.onClose(() => hub.remove(listener))
}
