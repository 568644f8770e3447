/**
 * One server becomes another while it is being served: what `portico dev` does when a definition was edited. Connections,
 * sessions and questions under way belong to the server that stays; everything else follows the one that is adopted.
 */

import type { Change } from '../protocol/subscriptions.ts'
import type { ServerCore } from './core.ts'
import type { Registry } from './items/registry.ts'

/** Returns how to stop following. */
export function adoptCore(own: ServerCore, other: ServerCore): () => void {
  own.takeOver(other)
  const unfollow = [
    follow(own.tools, other.tools),
    follow(own.resources, other.resources),
    follow(own.templates, other.templates),
    follow(own.prompts, other.prompts),
  ]
  // Lists announce themselves as they change here; contents change over there.
  const relay = { hear: (change: Change) => (change.kind === 'resource' ? own.hub.announce(change) : undefined) }
  other.hub.add(relay)
  return () => {
    other.hub.remove(relay)
    for (const stop of unfollow) stop()
  }
}

function follow<Item>(own: Registry<Item>, other: Registry<Item>): () => void {
  const sync = (): void => {
    own.declared ||= other.declared
    if (own.size > 0 || other.size > 0) own.become(other.entries())
  }
  sync()
  return other.watch(sync)
}
