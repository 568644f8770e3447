/**
 * Which servers and items a caller sees: a rule for each principal, and within it the toolset that the caller chose
 * (`toolset.ts`). What is out of view is not listed and cannot be used.
 */

import type { Principal, RequestContext } from '@portico/sdk/server'
import type { CatalogueItem, ItemKind } from '../upstream/item.ts'
import { callerOf, toolsetOf } from './toolset.ts'

/** What a principal may see. Patterns match whole names, `*` stands for any characters. */
export interface ViewRule {
  /** Servers in view; all unless given. */
  readonly servers?: readonly string[]
  /** Items in view, by the catalogue's names and URIs; all unless given. */
  readonly items?: readonly string[]
  /** Items out of view, whatever the others say. */
  readonly hidden?: readonly string[]
  /** Shows three tools that search, describe and call the others, in place of them all. */
  readonly search?: boolean
}

/** Undefined shows nothing. */
export type Views = (principal: Principal | undefined) => ViewRule | undefined

export const SEARCH = 'search'

/** What one kind of caller sees of the catalogue, made once and kept while neither changes. */
export interface View {
  readonly search: boolean
  /** Whether a server is in view, whatever it has. */
  readonly serves: (server: string) => boolean
  readonly items: { readonly [kind in ItemKind]: readonly CatalogueItem[] }
  readonly byName: ReadonlyMap<string, CatalogueItem>
}

const MAX_KEPT = 256

export class ViewTable {
  readonly #views: Views
  readonly #items: (ctx: RequestContext) => readonly CatalogueItem[]
  readonly #kept = new WeakMap<readonly CatalogueItem[], Map<string, View>>()
  readonly #keys = new WeakMap<ViewRule, string>()

  constructor(views: Views | undefined, items: (ctx: RequestContext) => readonly CatalogueItem[]) {
    this.#views = views ?? (() => EVERYTHING)
    this.#items = items
  }

  /** What the caller of this request sees. */
  of(ctx: RequestContext): View {
    const rule = this.#views(callerOf(ctx))
    if (rule === undefined) return NOTHING
    const toolset = toolsetOf(ctx)
    const source = this.#items(ctx)
    const kept = this.#kept.get(source) ?? new Map<string, View>()
    this.#kept.set(source, kept)
    let ruleKey = this.#keys.get(rule)
    if (ruleKey === undefined) {
      ruleKey = JSON.stringify(rule)
      this.#keys.set(rule, ruleKey)
    }
    const key = `${ruleKey}\n${toolset}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const view = createView(source, rule, toolset)
    const [oldest] = kept.keys()
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    kept.set(key, view)
    return view
  }
}

function createView(source: readonly CatalogueItem[], rule: ViewRule, toolset: string): View {
  const chosen = toolset
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== SEARCH)
  const servers = matcher(rule.servers)
  const items = matcher(rule.items)
  const hidden = rule.hidden === undefined ? () => false : matcher(rule.hidden)
  const tools = matcher(chosen.length === 0 ? undefined : chosen)
  const shown = source.filter(
    (item) =>
      item.quarantine === undefined &&
      servers(item.server) &&
      items(item.name) &&
      !hidden(item.name) &&
      (item.kind !== 'tool' || tools(item.name)),
  )
  const of = (kind: ItemKind) => shown.filter((item) => item.kind === kind)
  return {
    serves: servers,
    search: rule.search === true || toolset.split(',').some((part) => part.trim() === SEARCH),
    items: { tool: of('tool'), resource: of('resource'), template: of('template'), prompt: of('prompt') },
    byName: new Map(shown.map((item) => [keyOf(item.kind, item.name), item])),
  }
}

/** Names are unique within a kind. */
export function keyOf(kind: ItemKind, name: string): string {
  return `${kind} ${name}`
}

const EVERYTHING: ViewRule = {}
const NOTHING: View = {
  search: false,
  serves: () => false,
  items: { tool: [], resource: [], template: [], prompt: [] },
  byName: new Map(),
}

/** Whether a name matches any of the patterns, in time linear in both. No list matches everything. */
export function matcher(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  return (name) => exact.has(name) || globs.some((parts) => matchesParts(name, parts))
}

function matchesParts(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  const end = name.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
