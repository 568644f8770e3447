/** What a gateway stands on: the host's connections, catalogue and rules, as far as it uses them. */

import type { JsonObject } from '@portico/sdk/server'
import type { AuditSink } from '../audit/record.ts'
import type { Guard } from '../guard/guard.ts'
import type { CatalogueItem, ItemKind } from '../upstream/catalogue/item.ts'
import type { Nameable } from '../upstream/catalogue/names.ts'
import type { ServerIntroduction } from '../upstream/identity.ts'
import type { UpstreamSource } from '../upstream/upstream.ts'

/** The items of all servers. */
export interface GatewayCatalogue {
  /** As they are now; the same array as long as nothing changed. */
  items(): readonly CatalogueItem[]
  /** Calls the listener after items of these kinds changed, until the function that comes back is called. */
  on(event: 'change', listener: (change: { readonly kinds: readonly ItemKind[] }) => void): () => void
  /** What a server says of itself, as far as it is what was approved. */
  introduction?(server: string): ServerIntroduction
  /** Resolves when servers that are just starting have been listed or have failed; undefined when there are none. */
  starting?(signal?: AbortSignal): Promise<void> | undefined
  /** Checks that a tool is still what was approved, and adds the arguments that are always given. */
  toCall?(name: string, args: JsonObject, signal?: AbortSignal): Promise<{ readonly arguments: JsonObject }>
  /** The arguments that `toCall` would give, where nothing has to be waited for and nothing is refused; undefined elsewhere. */
  toCallNow?(name: string, args: JsonObject): JsonObject | undefined
  /** The name of an item that the catalogue does not know yet: `server_item` unless given. */
  nameOf?(item: Nameable): string
  toPrompt?(name: string, args: JsonObject, signal?: AbortSignal): Promise<{ readonly arguments: JsonObject }>
}

/**
 * What a gateway works with: the connections to servers, the catalogue of what they offer, and the guard that decides.
 * A `Host` is one.
 */
export interface GatewayHost {
  readonly upstreams: UpstreamSource
  readonly catalogue: GatewayCatalogue
  /** Every relayed call, read, prompt and question passes here first. Without one, everything in view may be used. */
  readonly guard?: Guard
  /** Where calls are written down when there is no guard to do so. */
  readonly audit?: AuditSink
}
