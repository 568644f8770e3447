/** Roots seen from a server that wants to know when they change: older clients say so by a notification. */

import type { RpcNotification } from '../../jsonrpc/message.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import { defineFeature, type Feature, type FeatureHost } from '../feature.ts'

class RootsChanges implements Feature {
  readonly #host: FeatureHost
  #watchers: (() => void)[] = []

  constructor(host: FeatureHost) {
    this.#host = host
  }

  watchRoots(watcher: () => void): void {
    this.#watchers.push(watcher)
  }

  hear({ method }: RpcNotification, session: LegacySession | undefined): void {
    if (session === undefined || method !== 'notifications/roots/list_changed') return
    for (const watcher of this.#watchers) tellObserver(watcher, (thrown) => this.#host.reportPrivately(thrown, method))
  }

  takeOver(other: this): void {
    this.#watchers = other.#watchers
  }
}

export const ROOTS_CHANGES = defineFeature('roots changes', (server) => new RootsChanges(server))
