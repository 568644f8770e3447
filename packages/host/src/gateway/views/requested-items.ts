/**
 * What a request of a caller is about: the tool, prompt or resource that it names, of what is in the caller's view, and what it would
 * do in the words of the rules.
 */

import { type AskingContext, type JsonObject, type RequestContext, RpcError } from '@portico/sdk/server'
import type { Effect } from '../../policy/effect.ts'
import type { CatalogueItem, ItemKind } from '../../upstream/catalogue/item.ts'
import { isWithheld } from '../../upstream/catalogue/listing.ts'
import { type Route, Routes } from '../call/routes.ts'
import type { CallerConnections } from '../connections/caller-connections.ts'
import type { GatewayHost } from '../gateway-host.ts'
import { signInServer } from '../sign-in/sign-in-tool.ts'
import { awaitItem } from '../tasks/await-item.ts'
import { CatalogueIndex } from './item-source.ts'
import { ANONYMOUS, callerOf } from './toolset.ts'
import { keyOf, type View, type ViewTable } from './view.ts'

interface RequestedParts {
  readonly host: GatewayHost
  readonly views: ViewTable
  readonly connections: CallerConnections
}

export class RequestedItems {
  readonly #parts: RequestedParts
  readonly routes = new Routes()
  readonly index: CatalogueIndex

  constructor(parts: RequestedParts) {
    this.#parts = parts
    this.index = new CatalogueIndex(parts.host.catalogue)
  }

  /** Servers that are just starting get a moment: what they have is not unknown, only not known yet. */
  starting(ctx: RequestContext): Promise<void> | undefined {
    return this.#parts.host.catalogue.starting?.(ctx.signal)
  }

  async item(kind: ItemKind, name: string, ctx: RequestContext): Promise<CatalogueItem | undefined> {
    const { views } = this.#parts
    const known = views.of(ctx).byName.get(keyOf(kind, name))
    if (known !== undefined) return known
    await this.starting(ctx)
    return views.of(ctx).byName.get(keyOf(kind, name))
  }

  /** The tool that is called, by itself or through `call_tool`. What chose the search is no longer known of a task. */
  inner(view: View, params: JsonObject, ctx: RequestContext): { readonly name: string; readonly args: JsonObject } {
    const name = String(params.name)
    const args = (params.arguments ?? {}) as JsonObject
    const isTask = ctx.task !== undefined || ctx.method !== 'tools/call'
    const isInner = name === 'call_tool' && (view.search || (isTask && !view.byName.has(keyOf('tool', name))))
    return isInner ? { name: String(args.name), args: (args.arguments ?? {}) as JsonObject } : { name, args }
  }

  /** What a request would do; undefined for what concerns no server. Throws for what is not in view. */
  async meant(params: JsonObject, ctx: RequestContext): Promise<Effect | undefined> {
    const args = (params.arguments ?? {}) as JsonObject
    if (ctx.method === 'resources/read') {
      const { server, ownUri } = await this.route(String(params.uri), ctx)
      return { kind: 'read', server, uri: ownUri }
    }
    if (ctx.method === 'prompts/get') {
      const item = await this.item('prompt', String(params.name), ctx)
      if (item === undefined) throw unknown('prompt', String(params.name))
      return { kind: 'prompt', server: item.server, prompt: item.ownName, arguments: args }
    }
    const view = this.#parts.views.of(ctx)
    const { name, args: given } = this.inner(view, params, ctx)
    const item = await this.item('tool', name, ctx)
    if (item?.kind === 'tool') return callEffect(item, given, this.isTrusted(item.server))
    // The tool that stands for a server is gone once the caller has signed in there.
    if (signInServer(name, this.#parts.connections.servers().filter(view.serves)) === undefined)
      throw unknown('tool', name)
    return undefined
  }

  /** A tool that the view did not have: of a server that is starting, or not back yet where a task is taken up. */
  async awaited(name: string, ctx: AskingContext): Promise<CatalogueItem | undefined> {
    const item = await this.item('tool', name, ctx)
    if (item !== undefined || ctx.task === undefined || this.index.tool(name) !== undefined) return item
    return awaitItem(() => this.#parts.views.of(ctx).byName.get(keyOf('tool', name)), ctx.signal)
  }

  isTrusted(server: string): boolean {
    return this.#parts.connections.view(server).config.settings.trusted
  }

  async route(uri: string, ctx: RequestContext): Promise<Route> {
    const { views, connections } = this.#parts
    // A server that is still starting may list what a template of another could make.
    if (!views.of(ctx).byName.has(keyOf('resource', uri))) await this.starting(ctx)
    const found = this.routes.find(views.of(ctx), uri, callerOf(ctx)?.id ?? ANONYMOUS, () => connections.servers())
    const isHidden =
      found !== undefined && 'server' in found && isWithheld(connections.view(found.server).config, found.ownUri)
    if (found === undefined || isHidden) throw new RpcError(INVALID_PARAMS, 'Resource not found', { uri })
    if (!('names' in found)) return found
    const reason = `may be of several servers: name one of ${found.names.join(', ')}`
    throw new RpcError(INVALID_PARAMS, `Invalid params: uri ${reason}`, { parameter: 'uri', reason })
  }

  /** Whose argument is to be completed, and what the server calls it. */
  completed(params: JsonObject, ctx: RequestContext): { server: string; ref: JsonObject; item: CatalogueItem } {
    const ref = (typeof params.ref === 'object' && params.ref !== null ? params.ref : {}) as JsonObject
    const view = this.#parts.views.of(ctx)
    if (ref.type === 'ref/prompt') {
      const item = view.byName.get(keyOf('prompt', String(ref.name)))
      if (item !== undefined) return { server: item.server, ref: { ...ref, name: item.ownName }, item }
    } else if (ref.type === 'ref/resource') {
      const uri = String(ref.uri)
      const item = view.byName.get(keyOf('template', uri)) ?? view.byName.get(keyOf('resource', uri))
      if (item !== undefined) return { server: item.server, ref: { ...ref, uri: item.ownName }, item }
    }
    const reason = 'names no prompt or resource template here'
    throw new RpcError(INVALID_PARAMS, `Invalid params: ref ${reason}`, { parameter: 'ref', reason })
  }
}

export function callEffect(
  item: CatalogueItem & { readonly kind: 'tool' },
  args: JsonObject,
  trusted: boolean,
): Effect {
  const { server, ownName: tool, definition } = item
  const { annotations } = definition
  return { kind: 'call', server, tool, arguments: args, ...(annotations && { annotations }), trusted }
}

export function unknown(noun: 'tool' | 'prompt', name: string): RpcError {
  const reason = `names no ${noun} here`
  return new RpcError(INVALID_PARAMS, `Unknown ${noun}: ${name.slice(0, 128)}`, { parameter: 'name', reason })
}

const INVALID_PARAMS = -32602
