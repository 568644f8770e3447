/** `items.*`, `tools.call`, `resources.*`, `prompts.get`, `complete`, `runs.*`, `history.*`: what servers offer, used by hand. */

import type { Inbox } from '@portico/host/consent'
import type { CatalogueItem, ItemKind } from '@portico/host/upstream'
import type { CompleteParams } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { flag, object, oneOf, optional, ParamsError, readParams, text, texts } from '../http/params.ts'
import type { Handlers, WorkbenchServices } from '../workbench-services.ts'

type ItemHandlers = Pick<
  Handlers,
  | 'items.list'
  | 'items.approve'
  | 'tools.call'
  | 'resources.read'
  | 'resources.subscribe'
  | 'prompts.get'
  | 'complete'
  | 'runs.cancel'
  | 'history.list'
  | 'history.clear'
>

const KINDS = ['tool', 'resource', 'template', 'prompt'] as const
const PAGE = 500
const MAX_HITS = 2_000

export function itemHandlers(services: WorkbenchServices): ItemHandlers {
  const { host, runs, history } = services
  return {
    ...catalogueHandlers(services),
    'tools.call': (params) => {
      const { name, run, arguments: args } = readParams(params, { name: text, arguments: object, run: text })
      const about = { run, kind: 'tool', name, arguments: args, server: serverOf(services, name, 'tool') } as const
      return runs.run(about, (options) => host.call(name, args, options))
    },
    'resources.read': (params) => {
      const { uri, server, run } = readParams(params, { uri: text, server: optional(text), run: text })
      const known = server ?? serverOf(services, uri, 'resource')
      const about = { run, kind: 'resource', name: uri, arguments: {}, server: known } as const
      return runs.run(about, (options) => host.read(uri, options))
    },
    'resources.subscribe': async (params) => {
      const { uri, server, on } = readParams(params, { uri: text, server: text, on: flag })
      await services.watches.set(server, uri, on)
      return {}
    },
    'prompts.get': (params) => {
      const { name, run, arguments: args } = readParams(params, { name: text, arguments: texts, run: text })
      const about = { run, kind: 'prompt', name, arguments: args, server: serverOf(services, name, 'prompt') } as const
      return runs.run(about, (options) => host.prompt(name, args, options))
    },
    complete: (params, signal) => {
      const { server, params: asked } = readParams(params, { server: text, params: object })
      if (!isObject(asked.ref) || !isObject(asked.argument)) throw new ParamsError('"params" needs ref and argument')
      // Both members are objects; the server refuses what else may be wrong.
      return host.complete(server, ownParams(services, server, asked as unknown as CompleteParams), { signal })
    },
    'runs.cancel': (params) => {
      runs.cancel(readParams(params, { run: text }).run)
      return {}
    },
    'history.list': () => ({ entries: history.list() }),
    'history.clear': () => {
      history.clear()
      return {}
    },
  }
}

/** A server that nobody has let start yet is not starting: it waits for a person. */
function waitsFor(inbox: Inbox, server: string): string | undefined {
  const isAsked = inbox
    .pending()
    .some(({ body }) => body.kind === 'approval' && body.effect.kind === 'connect' && body.effect.server === server)
  return isAsked ? 'It waits for your answer in the inbox: whether it may be connected.' : undefined
}

function catalogueHandlers(services: WorkbenchServices): Pick<ItemHandlers, 'items.list' | 'items.approve'> {
  const { catalogue, inbox, projects } = services.host
  return {
    'items.list': async (params, signal) => {
      const { query, kind, server, project, cursor } = readParams(params, {
        query: optional(text),
        kind: optional(oneOf(KINDS)),
        server: optional(text),
        project: optional(text),
        cursor: optional(text),
      })
      const { missing } = await catalogue.list({ signal })
      const own = project === undefined ? undefined : projects.get(project)?.servers
      const isWanted = (name: string) => (server ?? name) === name && (own?.includes(name) ?? true)
      const found = find(services, query?.trim() ?? '', kind).filter((item) => isWanted(item.server))
      const from = Math.max(0, Number.parseInt(cursor ?? '0', 10) || 0)
      const next = from + PAGE
      return {
        items: found.slice(from, next),
        total: found.length,
        ...(next < found.length && { next: String(next) }),
        missing: missing
          .filter(({ server: name }) => isWanted(name))
          .map(({ server: name, reason }) => ({ server: name, reason: waitsFor(inbox, name) ?? reason })),
      }
    },
    'items.approve': (params) => {
      const { server, item, kind } = readParams(params, { server: text, item: text, kind: oneOf(KINDS) })
      const listed = catalogue.items([kind]).filter((one) => one.server === server)
      // By the server's own name for it, or by the one in the catalogue.
      const found = listed.find((one) => one.ownName === item) ?? listed.find((one) => one.name === item)
      catalogue.approve(server, found?.ownName ?? item, kind)
      return {}
    },
  }
}

/** What is held back is not found by the catalogue's search; people look for it all the same. */
function find({ host }: WorkbenchServices, query: string, kind: ItemKind | undefined): readonly CatalogueItem[] {
  const kinds = kind === undefined ? undefined : [kind]
  const all = host.catalogue.items(kinds)
  if (query === '') return all
  const hits = host.catalogue.search(query, { limit: MAX_HITS, ...(kinds && { kinds }) }).map(({ item }) => item)
  const words = query.toLowerCase()
  const held = all.filter((item) => item.quarantine !== undefined && item.name.toLowerCase().includes(words))
  return [...hits, ...held]
}

function serverOf({ host }: WorkbenchServices, name: string, kind: ItemKind): string {
  return host.catalogue.find(name, kind)?.server ?? ''
}

/** The page knows items by their names in the catalogue, the server by its own. */
function ownParams({ host }: WorkbenchServices, server: string, params: CompleteParams): CompleteParams {
  const { ref } = params
  const [name, kind] = ref.type === 'ref/prompt' ? [ref.name, 'prompt' as const] : [ref.uri, 'template' as const]
  const item = host.catalogue.items([kind]).find((one) => one.server === server && one.name === name)
  if (item === undefined) return params
  return ref.type === 'ref/prompt'
    ? { ...params, ref: { ...ref, name: item.ownName } }
    : { ...params, ref: { ...ref, uri: item.ownName } }
}
