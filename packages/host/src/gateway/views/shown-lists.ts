/** What a caller is shown when they list: the items of their view under the catalogue's names, or the search for them. */

import type { RelayLists, TaskSettings } from '@portico/sdk/relay'
import type { RequestContext } from '@portico/sdk/server'
import type { CatalogueItem, ItemKind } from '../../upstream/catalogue/item.ts'
import { signInTool } from '../sign-in/sign-in-tool.ts'
import { withExecution } from '../tasks/task-settings.ts'
import { SEARCH_TOOLS } from './tool-search.ts'
import type { ViewTable } from './view.ts'

export class ShownLists {
  readonly #views: ViewTable
  readonly #unknownTo: (ctx: RequestContext) => readonly string[]
  readonly #tasks: (item: CatalogueItem) => TaskSettings | undefined
  readonly #shown = new WeakMap<readonly CatalogueItem[], readonly never[]>()

  /**
   * `unknownTo` names the servers whose items are known only once the caller has signed in there, `tasks` says how calls of a tool
   * become tasks.
   */
  constructor(
    views: ViewTable,
    unknownTo: (ctx: RequestContext) => readonly string[],
    tasks: (item: CatalogueItem) => TaskSettings | undefined,
  ) {
    this.#tasks = tasks
    this.#views = views
    this.#unknownTo = unknownTo
  }

  of<K extends keyof RelayLists>(kind: K, ctx: RequestContext): readonly RelayLists[K][] {
    const view = this.#views.of(ctx)
    // Each list holds the definitions of items of its own kind, which is what `KINDS` says.
    if (kind === 'tools' && view.search) return SEARCH_TOOLS as readonly RelayLists[K][]
    const items = view.items[KINDS[kind]]
    const strangers = kind === 'tools' ? this.#unknownTo(ctx).filter(view.serves) : []
    if (strangers.length > 0) {
      return [...items.map((item) => this.#show(item)), ...strangers.map(signInTool)] as unknown as RelayLists[K][]
    }
    const known = this.#shown.get(items)
    if (known !== undefined) return known
    const made = items.map((item) => this.#show(item)) as unknown as readonly never[]
    this.#shown.set(items, made)
    return made
  }

  #show(item: CatalogueItem): object {
    const shown = shownAs(item)
    return item.kind === 'tool' ? withExecution(shown, this.#tasks(item)) : shown
  }
}

const KINDS: { readonly [list in keyof RelayLists]: ItemKind } = {
  tools: 'tool',
  resources: 'resource',
  resourceTemplates: 'template',
  prompts: 'prompt',
}

/** The definition under the catalogue's name. A resource keeps its name for people; its URI is what it is found by. */
function shownAs({ kind, name, definition }: CatalogueItem): object {
  if (kind === 'resource') return definition.uri === name ? definition : { ...definition, uri: name }
  if (kind === 'template') return definition.uriTemplate === name ? definition : { ...definition, uriTemplate: name }
  if (definition.name === name) return definition
  return { ...definition, name }
}
