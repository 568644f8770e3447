/**
 * Which servers and items a caller sees: a rule for each principal, and within it the toolset that the caller chose
 * (`toolset.ts`). What is out of view is not listed and cannot be used.
 */

import type { Principal, RequestContext } from '@portico/sdk/server'
import { type AddressTest, createAddressDenial, createAddressPermission } from '../../config/command/address.ts'
import { AddressIndex, literalOf } from '../../upstream/catalogue/addresses.ts'
import type { CatalogueItem, ItemKind } from '../../upstream/catalogue/item.ts'
import { plainName, qualify, unqualify } from '../../upstream/catalogue/names.ts'
import { callerOf, toolsetOf } from './toolset.ts'
import { checkedViews, type ViewRule, type Views } from './view-rule.ts'

const SEARCH = 'search'

/** What one kind of caller sees of the catalogue, made once and kept while neither changes. */
export interface View {
  readonly search: boolean
  /** Whether a server is in view, whatever it has. */
  readonly serves: (server: string) => boolean
  readonly items: { readonly [kind in ItemKind]: readonly CatalogueItem[] }
  readonly byName: ReadonlyMap<string, CatalogueItem>
  /** Whose an address is, of what is in view. */
  readonly addresses: AddressIndex
  /** Whether an address of a server is in view, by itself or through a template that is. */
  reaches(server: string, uri: string, item?: CatalogueItem): boolean
  /** Whether a text is an address that is kept from the caller: a hidden one, or one that is listed out of view. */
  hides(server: string, text: string): boolean
}

const MAX_KEPT = 256

export class ViewTable {
  readonly #views: Views
  readonly #items: (ctx: RequestContext) => readonly CatalogueItem[]
  readonly #kept = new WeakMap<readonly CatalogueItem[], Map<string, View>>()
  readonly #keys = new WeakMap<ViewRule, string>()

  constructor(
    views: Views | undefined,
    items: (ctx: RequestContext) => readonly CatalogueItem[],
    report: (error: unknown) => void,
  ) {
    this.#views = views === undefined ? () => EVERYTHING : checkedViews(views, report)
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

  /** Whether an item is in a principal's view, whatever toolset they chose. */
  shows(item: CatalogueItem, principal: Principal | undefined): boolean {
    const rule = this.#views(callerOf({ principal }))
    return rule !== undefined && isInView(item, matcher(rule.servers), testsOf(rule))
  }
}

function createView(source: readonly CatalogueItem[], rule: ViewRule, toolset: string): View {
  const chosen = toolset
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== SEARCH)
  const serves = matcher(rule.servers)
  const tests = testsOf(rule)
  const tools = matcher(chosen.length === 0 ? undefined : chosen)
  const shown = source.filter((item) => isInView(item, serves, tests) && (item.kind !== 'tool' || tools(item.name)))
  const of = (kind: ItemKind) => shown.filter((item) => item.kind === kind)
  let addresses: AddressIndex | undefined
  const bookOf = () => {
    addresses ??= new AddressIndex({ shown, listed: source.filter((item) => serves(item.server)) })
    return addresses
  }
  return {
    serves,
    search: rule.search === true || toolset.split(',').some((part) => part.trim() === SEARCH),
    items: { tool: of('tool'), resource: of('resource'), template: of('template'), prompt: of('prompt') },
    byName: new Map(shown.map((item) => [keyOf(item.kind, item.name), item])),
    get addresses() {
      return bookOf()
    },
    reaches: (server, uri, item) => {
      if (!serves(server) || tests.hiddenAddress(uri)) return false
      if (rule.items === undefined || item?.kind === 'resource' || tests.addresses(uri)) return true
      return item?.kind === 'template' && createAddressPermission([`${literalOf(item)}*`], compile)(uri)
    },
    hides: (server, text) => {
      const { address } = unqualify(text) ?? { address: text }
      if (!URL.canParse(address)) return false
      if (tests.hiddenAddress(address) || tests.hiddenAddress(text)) return true
      return [text, qualify(server, address)].some((uri) => bookOf().find(uri).kind === 'closed')
    },
  }
}

interface RuleTests {
  readonly names: (name: string) => boolean
  readonly hiddenNames: (name: string) => boolean
  readonly addresses: AddressTest
  readonly hiddenAddress: AddressTest
}

function testsOf({ items, hidden }: ViewRule): RuleTests {
  return {
    names: matcher(items),
    hiddenNames: matcher(hidden ?? []),
    addresses: items === undefined ? () => true : createAddressPermission(items, compile),
    hiddenAddress: hidden === undefined ? () => false : createAddressDenial(hidden, compile),
  }
}

function isInView(item: CatalogueItem, serves: (server: string) => boolean, tests: RuleTests): boolean {
  return item.quarantine === undefined && serves(item.server) && isShown(item, tests)
}

/** What is hidden stays so when the catalogue calls it otherwise, because another server listed the same. */
function isShown(item: CatalogueItem, { names, hiddenNames, addresses, hiddenAddress }: RuleTests): boolean {
  const { kind, name, ownName } = item
  if (kind === 'resource' || kind === 'template') {
    return addresses(name) && !hiddenAddress(name) && !hiddenAddress(ownName)
  }
  return names(name) && !hiddenNames(name) && !hiddenNames(plainName(item))
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
  addresses: new AddressIndex({ shown: [], listed: [] }),
  reaches: () => false,
  hides: () => true,
}

/** Whether a name matches any of the patterns, in time linear in both. No list matches everything. */
export function matcher(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map(compile)
  return (name) => exact.has(name) || globs.some((matches) => matches(name))
}

function compile(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*')
  return parts.length === 1 ? (text) => text === pattern : (text) => matchesParts(text, parts)
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
