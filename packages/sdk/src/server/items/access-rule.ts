/**
 * The visibility rules of items, and the one for a whole server: put on each item as it is registered. Whatever a rule
 * does other than say `true` hides the item: one that throws is reported, one that answers later is not waited for.
 */

import type { PolicyItem } from '../../auth/access-policy.ts'
import type { Principal } from '../../auth/principal.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { Collection, Facts } from '../feature.ts'
import type { Access } from './item-options.ts'

type VisibilityRule = (principal: Principal | undefined, item: PolicyItem) => boolean

export class VisibilityRules {
  readonly #rule: VisibilityRule | undefined
  readonly #report: (error: unknown, where: string) => void
  /** Rules whose answers were no answers, so that each is reported once. */
  readonly #unsound = new WeakSet<object>()

  constructor(rule: VisibilityRule | undefined, report: (error: unknown, where: string) => void) {
    this.#rule = rule
    this.#report = report
  }

  /** Has every item of a collection asked through here from now on, mounted ones included. */
  keep({ registry, kind, show }: Collection): void {
    registry.prepare = (name, item) => {
      const { visible: own } = item.access
      const rule = this.#rule
      if (own === undefined && rule === undefined) return item
      const shown: PolicyItem = { kind, name, attributes: attributesOf(item.access, show(item)) }
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

/** An item with its attributes, as rules see it. A resource that only a template serves has the template's. */
export function describeItem(
  collections: readonly Collection[],
  kind: PolicyItem['kind'],
  name: string,
): PolicyItem | undefined {
  for (const collection of collections) {
    const entry =
      collection.find === undefined
        ? collection.kind === kind && collection.registry.get(name)
        : collection.find(kind, name)
    if (entry) return { kind, name, attributes: attributesOf(entry.access, collection.show(entry)) }
  }
  return undefined
}

function attributesOf({ scopes }: Access, { annotations, mimeType, _meta: meta }: Facts): PolicyItem['attributes'] {
  return {
    ...(scopes !== undefined && { scopes }),
    ...(annotations !== undefined && { annotations }),
    ...(mimeType !== undefined && { mimeType }),
    ...(meta !== undefined && { meta }),
  }
}
