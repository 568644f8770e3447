/**
 * The gateway's answers: finds who serves what a client names, passes the limits and the guard, and carries the request
 * to the server over the caller's own connection. `gateway.ts` puts it behind an SDK server, which speaks every revision and
 * transport; what happens in the middle of a call is the business of `relayed-call.ts`.
 */

import type { Client, RequestOptions } from '@portico/sdk/client'
import { collectParamHeaders, type ParamHeader, paramHeaders } from '@portico/sdk/internal'
import type { CompleteResult, Relay, RelayLists, SessionView } from '@portico/sdk/relay'
import {
  type AskingContext,
  type CallToolResult,
  type GetPromptResult,
  type JsonObject,
  type LogLevel,
  type Principal,
  type ReadResourceResult,
  type RequestContext,
  RpcError,
} from '@portico/sdk/server'
import type { Effect } from '../policy/effect.ts'
import type { CatalogueItem, ItemKind } from '../upstream/catalogue/item.ts'
import { isWithheld } from '../upstream/catalogue/listing.ts'
import { metaOf } from './call/caller-meta.ts'
import { ANONYMOUS, Dispatch, type DispatchParts } from './call/dispatch.ts'
import { toToolFailure } from './call/failures.ts'
import { checkMirrors, forwardedHeaders, type HeaderPairs } from './call/mirrored-headers.ts'
import { type Route, Routes } from './call/routes.ts'
import { shownCompletions } from './call/shown-completions.ts'
import { signedIn, signInServer } from './sign-in/sign-in-tool.ts'
import { CatalogueIndex } from './views/item-source.ts'
import { ShownLists } from './views/shown-lists.ts'
import { answerSearch } from './views/tool-search.ts'
import { callerOf } from './views/toolset.ts'
import { keyOf, type View, type ViewTable } from './views/view.ts'

export interface RelayParts extends DispatchParts {
  readonly views: ViewTable
  /** Refuses a caller before anything is looked at. */
  readonly admit: (ctx: RequestContext) => void
  readonly introduce: NonNullable<Relay['introduce']>
  /** Reads what servers show this caller alone, where that is not known yet. */
  readonly personalLists: (ctx: RequestContext) => Promise<void> | undefined
  /** Servers that have items for each user and have shown this caller none yet. */
  readonly unknownTo: (ctx: RequestContext) => readonly string[]
}

const INVALID_PARAMS = -32602

export class GatewayRelay implements Relay {
  readonly #parts: RelayParts
  readonly #routes = new Routes()
  readonly #index: CatalogueIndex
  readonly #lists: ShownLists
  readonly #headers = new WeakMap<CatalogueItem, readonly ParamHeader[]>()
  readonly dispatch: Dispatch

  constructor(parts: RelayParts) {
    this.#parts = parts
    this.#index = new CatalogueIndex(parts.host.catalogue)
    this.#lists = new ShownLists(parts.views, parts.unknownTo)
    this.dispatch = new Dispatch(parts)
  }

  list<K extends keyof RelayLists>(
    kind: K,
    ctx: RequestContext,
  ): readonly RelayLists[K][] | Promise<readonly RelayLists[K][]> {
    this.#look(ctx)
    const starting = this.#starting(ctx)
    if (starting !== undefined) return starting.then(() => this.#listedFor(kind, ctx))
    return this.#listedFor(kind, ctx)
  }

  introduce(ctx: RequestContext): ReturnType<RelayParts['introduce']> {
    return this.#parts.introduce(ctx)
  }

  /** Admits a request that is no call, and counts it. */
  #look(ctx: RequestContext): void {
    const { admit, limits } = this.#parts
    admit(ctx)
    try {
      limits.look(callerOf(ctx)?.id ?? ANONYMOUS)
    } catch (error) {
      throw this.dispatch.toCallerError(error, 'gateway')
    }
  }

  /** Servers that are just starting get a moment: what they have is not unknown, only not known yet. */
  #starting(ctx: RequestContext): Promise<void> | undefined {
    return this.#parts.host.catalogue.starting?.(ctx.signal)
  }

  #listedFor<K extends keyof RelayLists>(
    kind: K,
    ctx: RequestContext,
  ): readonly RelayLists[K][] | Promise<readonly RelayLists[K][]> {
    const ready = this.#parts.personalLists(ctx)
    return ready === undefined ? this.#lists.of(kind, ctx) : ready.then(() => this.#lists.of(kind, ctx))
  }

  async #item(kind: ItemKind, name: string, ctx: RequestContext): Promise<CatalogueItem | undefined> {
    const { views } = this.#parts
    const known = views.of(ctx).byName.get(keyOf(kind, name))
    if (known !== undefined) return known
    await this.#starting(ctx)
    return views.of(ctx).byName.get(keyOf(kind, name))
  }

  async callTool(params: JsonObject, ctx: AskingContext): Promise<CallToolResult> {
    this.#parts.admit(ctx)
    const name = String(params.name)
    checkMirrors(ctx, name)
    const args = (params.arguments ?? {}) as JsonObject
    let view = this.#parts.views.of(ctx)
    if (view.search) {
      await this.#starting(ctx)
      view = this.#parts.views.of(ctx)
      const answer = answerSearch(view, name, args)
      if (answer !== undefined) return answer
      if (name === 'call_tool')
        return this.#callItem(view, String(args.name), (args.arguments ?? {}) as JsonObject, ctx)
    }
    return this.#callItem(view, name, args, ctx)
  }

  async readResource(params: JsonObject, ctx: AskingContext): Promise<ReadResourceResult> {
    this.#parts.admit(ctx)
    const uri = String(params.uri)
    checkMirrors(ctx, uri)
    const { server, ownUri, prefix } = await this.#route(uri, ctx)
    const result = await this.dispatch.run<ReadResourceResult>(ctx, {
      server,
      name: uri,
      effect: { kind: 'read', server, uri: ownUri },
      // By `request` rather than `readResource`, which would keep results and look into them.
      send: async (client, _effect, options) =>
        asResult(await client.request('resources/read', { uri: ownUri }, options)),
    })
    return prefix === '' ? result : withPrefix(result, prefix)
  }

  async getPrompt(params: JsonObject, ctx: AskingContext): Promise<GetPromptResult> {
    this.#parts.admit(ctx)
    const name = String(params.name)
    checkMirrors(ctx, name)
    const item = await this.#item('prompt', name, ctx)
    if (item === undefined) throw unknown('prompt', name)
    const { server, ownName } = item
    const given = await this.#complete(item, (params.arguments ?? {}) as JsonObject)
    return this.dispatch.run<GetPromptResult>(ctx, {
      server,
      name,
      effect: { kind: 'prompt', server, prompt: ownName, arguments: given },
      send: async (client, effect, options) => {
        const args = effect.kind === 'prompt' ? effect.arguments : given
        const none = params.arguments === undefined && Object.keys(args).length === 0
        const asked = none ? { name: ownName } : { name: ownName, arguments: args }
        return asResult(await client.request('prompts/get', asked, options))
      },
    })
  }

  async complete(params: JsonObject, ctx: RequestContext): Promise<CompleteResult> {
    this.#look(ctx)
    await this.#starting(ctx)
    const { server, ref, item } = this.#completed(params, ctx)
    try {
      const client = await this.#parts.connections.of(server, ctx).client(ctx.signal)
      // `complete` words the parameters for the server's revision, and takes them as they came otherwise.
      const { _meta, ...own } = params
      const asked = { ...own, ref } as unknown as Parameters<Client['complete']>[0]
      const result = await client.complete(asked, { signal: ctx.signal, meta: metaOf(ctx) })
      return shownCompletions(result, item, params, this.#parts.views.of(ctx))
    } catch (error) {
      throw this.dispatch.toCallerError(error, server)
    }
  }

  async watch(uri: string, ctx: RequestContext, changed: (uri: string) => void): Promise<() => void> {
    this.#look(ctx)
    const { server, ownUri, prefix } = await this.#route(uri, ctx)
    try {
      return await this.#parts.connections.of(server, ctx).follow(ownUri, (own) => changed(prefix + own))
    } catch (error) {
      throw this.dispatch.toCallerError(error, server)
    }
  }

  /** What went out of view, or is forbidden by now, is not gone on with, and what came of it is not told again. */
  async admitRound(params: JsonObject, ctx: RequestContext): Promise<void> {
    this.#parts.admit(ctx)
    const effect = await this.#meant(params, ctx)
    if (effect !== undefined) await this.dispatch.admitRound(effect, ctx)
  }

  /** What a request would do; undefined for what concerns no server. Throws for what is not in view. */
  async #meant(params: JsonObject, ctx: RequestContext): Promise<Effect | undefined> {
    const args = (params.arguments ?? {}) as JsonObject
    if (ctx.method === 'resources/read') {
      const { server, ownUri } = await this.#route(String(params.uri), ctx)
      return { kind: 'read', server, uri: ownUri }
    }
    if (ctx.method === 'prompts/get') {
      const item = await this.#item('prompt', String(params.name), ctx)
      if (item === undefined) throw unknown('prompt', String(params.name))
      return { kind: 'prompt', server: item.server, prompt: item.ownName, arguments: args }
    }
    const view = this.#parts.views.of(ctx)
    const isInner = view.search && params.name === 'call_tool'
    const name = String(isInner ? args.name : params.name)
    const item = await this.#item('tool', name, ctx)
    if (item?.kind === 'tool')
      return callEffect(item, isInner ? ((args.arguments ?? {}) as JsonObject) : args, this.#isTrusted(item.server))
    // The tool that stands for a server is gone once the caller has signed in there.
    if (signInServer(name, this.#parts.connections.servers().filter(view.serves)) === undefined)
      throw unknown('tool', name)
    return undefined
  }

  /** A tool that is out of the caller's view is not told apart from one that is not there. */
  paramHeaders(tool: string, principal: Principal | undefined): readonly ParamHeader[] {
    const item = this.#index.tool(tool)
    const mirrored = item === undefined ? [] : this.#mirrored(item)
    if (item === undefined || mirrored.length === 0) return mirrored
    return this.#parts.views.shows(item, principal) ? mirrored : []
  }

  levelChanged(level: LogLevel, { session }: RequestContext): void {
    if (session !== undefined) this.dispatch.levelChanged(level, session)
  }

  rootsChanged(session: SessionView): void {
    for (const connection of this.#parts.connections.ofSession(session)) void connection.rootsChanged().catch(() => {})
  }

  async #callItem(view: View, name: string, args: JsonObject, ctx: AskingContext): Promise<CallToolResult> {
    const item = view.byName.get(keyOf('tool', name)) ?? (await this.#item('tool', name, ctx))
    if (item?.kind !== 'tool') {
      // Once the caller has signed in, the server is no longer one that they are unknown to.
      const servers = ctx.resumed ? this.#parts.connections.servers() : this.#parts.unknownTo(ctx)
      const server = signInServer(name, servers.filter(view.serves))
      if (server === undefined) throw unknown('tool', name)
      return this.#signIn(server, name, ctx)
    }
    const { server, ownName } = item
    const mirrored = this.#mirrored(item)
    try {
      const now = this.#index.has(item) ? this.#parts.host.catalogue.toCallNow?.(item.name, args) : undefined
      const given = now ?? (await this.#complete(item, args))
      const result = await this.dispatch.run<CallToolResult>(ctx, {
        server,
        name,
        effect: callEffect(item, given, this.#isTrusted(server)),
        headers: forwardedHeaders(ctx, mirrored),
        send: async (client, effect, options) => {
          const allowed = effect.kind === 'call' ? effect.arguments : given
          const sent = { name: ownName, arguments: allowed }
          const told = mirrored.length === 0 ? options : withMirrored(options, paramHeaders(mirrored, allowed))
          const answer = asResult<CallToolResult>(await client.request('tools/call', sent, told))
          return Array.isArray(answer.content) ? answer : { ...answer, content: [] }
        },
      })
      this.#routes.note(callerOf(ctx)?.id ?? ANONYMOUS, server, result)
      return result
    } catch (error) {
      const failure = toToolFailure(error)
      if (failure !== undefined) return failure
      throw error
    }
  }

  #isTrusted(server: string): boolean {
    return this.#parts.connections.view(server).config.settings.trusted
  }

  /** Connects a caller to a server that does not know them yet. */
  async #signIn(server: string, name: string, ctx: AskingContext): Promise<CallToolResult> {
    try {
      return await this.dispatch.run<CallToolResult>(ctx, {
        server,
        name,
        effect: { kind: 'call', server, tool: 'sign_in', arguments: {}, trusted: false },
        send: async (client) => {
          await this.#parts.connections.of(server, ctx).lists.refresh(client)
          return signedIn(server)
        },
      })
    } catch (error) {
      const failure = toToolFailure(error)
      if (failure !== undefined) return failure
      throw error
    }
  }

  /** The arguments with those that are always given. What the catalogue knows, it also checks once more. */
  async #complete(item: CatalogueItem, args: JsonObject): Promise<JsonObject> {
    const { catalogue } = this.#parts.host
    const check = item.kind === 'tool' ? catalogue.toCall : catalogue.toPrompt
    if (check !== undefined && this.#index.has(item)) {
      return (await check.call(catalogue, item.name, args)).arguments
    }
    const { settings } = this.#parts.connections.view(item.server).config
    const { presets } = (item.kind === 'tool' ? settings.tools : settings.prompts)[item.ownName] ?? {}
    return presets === undefined ? args : { ...args, ...presets }
  }

  async #route(uri: string, ctx: RequestContext): Promise<Route> {
    const { views, connections } = this.#parts
    // A server that is still starting may list what a template of another could make.
    if (!views.of(ctx).byName.has(keyOf('resource', uri))) await this.#starting(ctx)
    const found = this.#routes.find(views.of(ctx), uri, callerOf(ctx)?.id ?? ANONYMOUS, () => connections.servers())
    const isHidden =
      found !== undefined && 'server' in found && isWithheld(connections.view(found.server).config, found.ownUri)
    if (found === undefined || isHidden) throw new RpcError(INVALID_PARAMS, 'Resource not found', { uri })
    if (!('names' in found)) return found
    const reason = `may be of several servers: name one of ${found.names.join(', ')}`
    throw new RpcError(INVALID_PARAMS, `Invalid params: uri ${reason}`, { parameter: 'uri', reason })
  }

  /** Whose argument is to be completed, and what the server calls it. */
  #completed(params: JsonObject, ctx: RequestContext): { server: string; ref: JsonObject; item: CatalogueItem } {
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

  #mirrored(item: CatalogueItem): readonly ParamHeader[] {
    const known = this.#headers.get(item)
    if (known !== undefined) return known
    const found = item.kind === 'tool' ? collectParamHeaders(item.definition.inputSchema as JsonObject) : []
    const list = Array.isArray(found) ? found : []
    this.#headers.set(item, list)
    return list
  }
}

function callEffect(item: CatalogueItem & { readonly kind: 'tool' }, args: JsonObject, trusted: boolean): Effect {
  const { server, ownName: tool, definition } = item
  const { annotations } = definition
  return { kind: 'call', server, tool, arguments: args, ...(annotations && { annotations }), trusted }
}

function withMirrored(options: RequestOptions, mirrored: HeaderPairs): RequestOptions {
  return { ...options, headers: [...(options.headers ?? []), ...mirrored] }
}

/** What the server sent, taken for what the method's result is: it passes on as it came. */
function asResult<Result>(result: JsonObject): Result {
  return result as Result
}

function withPrefix(result: ReadResourceResult, prefix: string): ReadResourceResult {
  return { ...result, contents: result.contents.map((one) => ({ ...one, uri: prefix + one.uri })) }
}

function unknown(noun: 'tool' | 'prompt', name: string): RpcError {
  const reason = `names no ${noun} here`
  return new RpcError(INVALID_PARAMS, `Unknown ${noun}: ${name.slice(0, 128)}`, { parameter: 'name', reason })
}
