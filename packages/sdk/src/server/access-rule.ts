/** One visibility rule for a whole server: put on each item as it is registered, together with facts about the item. */

import type { PolicyItem } from '../auth/access-policy.ts'
import type { Principal } from '../auth/principal.ts'
import { withRule } from './access.ts'
import type { Access } from './definition.ts'
import type { Registry } from './registry.ts'

export type VisibilityRule = (principal: Principal | undefined, item: PolicyItem) => boolean

/** What of an item's description rules may look at: what its author wrote for programs, not the texts for people. */
export interface Facts {
  readonly annotations?: object
  readonly mimeType?: string
  readonly _meta?: object
}

export function applyRule<Item extends { readonly access: Access }>(
  registry: Registry<Item>,
  kind: PolicyItem['kind'],
  rule: VisibilityRule,
  describe: (item: Item) => Facts,
): void {
  registry.prepare = (name, item) => {
    const shown: PolicyItem = { kind, name, attributes: attributesOf(item.access, describe(item)) }
    return { ...item, access: withRule(item.access, (principal) => rule(principal, shown)) }
  }
}

function attributesOf({ scopes }: Access, { annotations, mimeType, _meta: meta }: Facts): PolicyItem['attributes'] {
  return {
    ...(scopes !== undefined && { scopes }),
    ...(annotations !== undefined && { annotations }),
    ...(mimeType !== undefined && { mimeType }),
    ...(meta !== undefined && { meta }),
  }
}
