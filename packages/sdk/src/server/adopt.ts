/**
 * One server becomes another while it is being served: what `portico dev` does when a definition was edited. Connections,
 * sessions and questions under way belong to the server that stays; everything else follows the one that is adopted.
 */

import type { ServerCore } from './core.ts'
import type { Collection, Feature, FeatureDefinition } from './feature.ts'
import type { ServerChange } from './items/changes.ts'

/** Returns how to stop following. */
export function adoptCore(own: ServerCore, other: ServerCore): () => void {
  own.takeOver(other)
  const followed = new Set<string>()
  const unfollow: (() => void)[] = []
  // What only one of the two has is made in the other: there it is empty.
  const adopt = (definition: FeatureDefinition): void => {
    if (followed.has(definition.name)) return
    followed.add(definition.name)
    const [feature, adopted]: [Feature, Feature] = [own.features.of(definition), other.features.of(definition)]
    feature.takeOver?.(adopted)
    for (const [at, collection] of (feature.collections ?? []).entries()) {
      const source = adopted.collections?.[at]
      if (source !== undefined) unfollow.push(follow(collection, source))
    }
  }
  for (const definition of [...own.features.definitions, ...other.features.definitions]) adopt(definition)
  unfollow.push(other.features.watch(adopt))
  // Lists announce themselves as they change here; contents change over there.
  const relay = { hear: (change: ServerChange) => (change.kind === 'resource' ? own.hub.announce(change) : undefined) }
  other.hub.add(relay)
  return () => {
    other.hub.remove(relay)
    for (const stop of unfollow) stop()
  }
}

function follow({ registry: own }: Collection, { registry: other }: Collection): () => void {
  // Items that are added from now on come under the rule that the adopted ones are under.
  own.prepare = other.prepare
  const sync = (): void => {
    own.declared ||= other.declared
    if (own.size > 0 || other.size > 0) own.become(other.entries())
  }
  sync()
  return other.watch(sync)
}
