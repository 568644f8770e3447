/**
 * The visibility rules of items, and the one for a whole server: put on each item as it is registered. Whatever a rule
 * does other than say `true` hides the item: one that throws is reported, one that answers later is not waited for.
 */

import type { PolicyItem } from '../../auth/access-policy.ts'
import type { Principal } from '../../auth/principal.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { Access } from './item-options.ts'
import type { Registry } from './registry.ts'

export type VisibilityRule = (principal: Principal | undefined, item: PolicyItem) => boolean

/** What of an item's description rules may look at: what its author wrote for programs, not the texts for people. */
export interface Facts {
  readonly annotations?: object
  readonly mimeType?: string
  readonly _meta?: object
}

export class VisibilityRules {
  readonly #rule: VisibilityRule | undefined
  readonly #report: (error: unknown, where: string) => void
  /** Rules whose answers were no answers, so that each is reported once. */
  readonly #unsound = new WeakSet<object>()

  constructor(rule: VisibilityRule | undefined, report: (error: unknown, where: string) => void) {
    this.#rule = rule
    this.#report = report
  }

  /** Has every item of a kind asked through here from now on, mounted ones included. */
  keep<Item extends { readonly access: Access }>(
    registry: Registry<Item>,
    kind: PolicyItem['kind'],
    describe: (item: Item) => Facts,
  ): void {
    registry.prepare = (name, item) => {
      const { visible: own } = item.access
      const rule = this.#rule
      if (own === undefined && rule === undefined) return item
      const shown: PolicyItem = { kind, name, attributes: attributesOf(item.access, describe(item)) }
      const visible = (principal: Principal | undefined): boolean =>
        (own === undefined || this.#passes(own, () => own(principal), shown)) &&
        (rule === undefined || this.#passes(rule, () => rule(principal, shown), shown))
      return { ...item, access: { ...item.access, visible } }
    }
  }

  #passes(rule: object, ask: () => unknown, item: PolicyItem): boolean {
    try {
      const answer = ask()
      if (typeof answer === 'boolean') return answer
      // What becomes of a promise changes nothing any more, but a rejection that nobody hears of ends the process.
      tellObserver(() => answer)
      if (!this.#unsound.has(rule)) this.#report(new TypeError(UNSOUND), whereOf(item))
      this.#unsound.add(rule)
    } catch (error) {
      this.#report(error, whereOf(item))
    }
    return false
  }
}

const UNSOUND = 'A `visible` rule must be synchronous and return true or false; what it is asked about is hidden'

function whereOf({ kind, name }: PolicyItem): string {
  return `visible of ${kind} ${name}`
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
