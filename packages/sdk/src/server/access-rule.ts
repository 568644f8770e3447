/** One visibility rule for a whole server: put on each item as it is registered, together with facts about the item. */

import type { PolicyItem } from '../auth/access-policy.ts'
import type { Principal } from '../auth/principal.ts'
import { withRule } from './access.ts'
import type { Access } from './item-options.ts'
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

type Items<Item> = Pick<Registry<{ readonly access: Access } & Item>, 'get' | 'values'>

interface Matching {
  match(uri: string): unknown
}

/** Where items are found. */
export interface ItemSources {
  readonly tools: Items<{ readonly tool: Facts }>
  readonly prompts: Items<{ readonly prompt: Facts }>
  readonly resources: Items<{ readonly resource: Facts }>
  readonly templates: Items<{ readonly template: Facts; readonly uri: Matching }>
}

/** An item with its attributes, as rules see it. A resource that only a template serves has the template's. */
export function describeItem(sources: ItemSources, kind: PolicyItem['kind'], name: string): PolicyItem | undefined {
  const found = findFacts(sources, kind, name)
  return found && { kind, name, attributes: attributesOf(found[0], found[1]) }
}

function findFacts(sources: ItemSources, kind: PolicyItem['kind'], name: string): [Access, Facts] | undefined {
  if (kind === 'tool') {
    const entry = sources.tools.get(name)
    return entry && [entry.access, entry.tool]
  }
  if (kind === 'prompt') {
    const entry = sources.prompts.get(name)
    return entry && [entry.access, entry.prompt]
  }
  const exact = kind === 'resource' ? sources.resources.get(name) : undefined
  if (exact !== undefined) return [exact.access, exact.resource]
  const serves = (uri: Matching) => uri.match(name) !== undefined
  const template =
    kind === 'template' ? sources.templates.get(name) : [...sources.templates.values()].find(({ uri }) => serves(uri))
  return template && [template.access, template.template]
}

function attributesOf({ scopes }: Access, { annotations, mimeType, _meta: meta }: Facts): PolicyItem['attributes'] {
  return {
    ...(scopes !== undefined && { scopes }),
    ...(annotations !== undefined && { annotations }),
    ...(mimeType !== undefined && { mimeType }),
    ...(meta !== undefined && { meta }),
  }
}
