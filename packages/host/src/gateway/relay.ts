/**
 * The gateway's answers: finds who serves what a client names, passes the limits and the guard, and carries the request
 * to the server over the caller's own connection. `gateway.ts` puts it behind an SDK server, which speaks every revision and
 * transport; what happens in the middle of a call is the business of `relayed-call.ts`.
 */

import type { Client, RequestOptions } from '@portico/sdk/client'
import { type ParamHeader, paramHeaders } from '@portico/sdk/internal'
import type { CompleteResult, Relay, RelayLists, SessionView, TaskSettings } from '@portico/sdk/relay'
import type {
  AskingContext,
  CallToolResult,
  GetPromptResult,
  JsonObject,
  LogLevel,
  Principal,
  ReadResourceResult,
  RequestContext,
} from '@portico/sdk/server'
import { HostError } from '../errors.ts'
import type { CatalogueItem } from '../upstream/catalogue/item.ts'
import { metaOf } from './call/caller-meta.ts'
import { Dispatch, type DispatchParts } from './call/dispatch.ts'
import { toToolFailure } from './call/failures.ts'
import { checkMirrors, forwardedHeaders, type HeaderPairs, MirroredParams } from './call/mirrored-headers.ts'
import { shownCompletions } from './call/shown-completions.ts'
import { signedIn, signInServer } from './sign-in/sign-in-tool.ts'
import { callWithTask, endsTask, followAnswer, toResult } from './tasks/relay-tasks.ts'
import { type GatewayTasks, taskSettingsOf } from './tasks/task-settings.ts'
import { callEffect, RequestedItems, unknown } from './views/requested-items.ts'
import { ShownLists } from './views/shown-lists.ts'
import { answerSearch } from './views/tool-search.ts'
import { ANONYMOUS, callerOf } from './views/toolset.ts'
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
  /** Absent where calls never become tasks. */
  readonly tasks: GatewayTasks | undefined
}

export class GatewayRelay implements Relay {
  readonly #parts: RelayParts
  readonly #items: RequestedItems
  readonly #lists: ShownLists
  readonly #headers = new MirroredParams()
  readonly dispatch: Dispatch

  constructor(parts: RelayParts) {
    this.#parts = parts
    this.#items = new RequestedItems(parts)
    this.#lists = new ShownLists(parts.views, parts.unknownTo, (item) => this.#taskSettings(item))
    this.dispatch = new Dispatch(parts)
  }

  list<K extends keyof RelayLists>(
    kind: K,
    ctx: RequestContext,
  ): readonly RelayLists[K][] | Promise<readonly RelayLists[K][]> {
    this.#look(ctx)
    const starting = this.#items.starting(ctx)
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

  #listedFor<K extends keyof RelayLists>(
    kind: K,
    ctx: RequestContext,
  ): readonly RelayLists[K][] | Promise<readonly RelayLists[K][]> {
    const ready = this.#parts.personalLists(ctx)
    return ready === undefined ? this.#lists.of(kind, ctx) : ready.then(() => this.#lists.of(kind, ctx))
  }

  async callTool(params: JsonObject, ctx: AskingContext): Promise<CallToolResult> {
    this.#parts.admit(ctx)
    const name = String(params.name)
    checkMirrors(ctx, name)
    const args = (params.arguments ?? {}) as JsonObject
    let view = this.#parts.views.of(ctx)
    if (view.search) {
      await this.#items.starting(ctx)
      view = this.#parts.views.of(ctx)
      const answer = answerSearch(view, name, args)
      if (answer !== undefined) return answer
    }
    if (name !== 'call_tool') return this.#callItem(view, name, args, ctx)
    const meant = this.#items.inner(view, params, ctx)
    return this.#callItem(view, meant.name, meant.args, ctx)
  }

  taskOf(params: JsonObject, ctx: RequestContext): ReturnType<NonNullable<Relay['taskOf']>> {
    this.#parts.admit(ctx)
    // The work of a task has no headers any more that could be looked at.
    checkMirrors(ctx, String(params.name))
    const view = this.#parts.views.of(ctx)
    const { name } = this.#items.inner(view, params, ctx)
    const known = view.byName.get(keyOf('tool', name))
    if (known !== undefined) return this.#taskSettings(known)
    return this.#items.item('tool', name, ctx).then((item) => item && this.#taskSettings(item))
  }

  #taskSettings(item: CatalogueItem): TaskSettings | undefined {
    const { tasks, connections } = this.#parts
    return tasks && taskSettingsOf(item, connections.view(item.server).config.settings, tasks)
  }

  /** Whether a caller may ask about a task of theirs: as they may make the call that it was. */
  async admitTask(params: JsonObject | undefined, ctx: RequestContext): Promise<void> {
    this.#look(ctx)
    if (params === undefined || endsTask(ctx)) return
    const view = this.#parts.views.of(ctx)
    const { name } = this.#items.inner(view, params, ctx)
    // What no server lists at the moment says nothing of who may see it: its server may be starting.
    const isKnown = view.byName.has(keyOf('tool', name)) || this.#items.index.tool(name) !== undefined
    if (isKnown) await this.admitRound(params, ctx)
  }

  async readResource(params: JsonObject, ctx: AskingContext): Promise<ReadResourceResult> {
    this.#parts.admit(ctx)
    const uri = String(params.uri)
    checkMirrors(ctx, uri)
    const { server, ownUri, prefix } = await this.#items.route(uri, ctx)
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
    const item = await this.#items.item('prompt', name, ctx)
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
    await this.#items.starting(ctx)
    const { server, ref, item } = this.#items.completed(params, ctx)
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
    const { server, ownUri, prefix } = await this.#items.route(uri, ctx)
    try {
      return await this.#parts.connections.of(server, ctx).follow(ownUri, (own) => changed(prefix + own))
    } catch (error) {
      throw this.dispatch.toCallerError(error, server)
    }
  }

  /** What went out of view, or is forbidden by now, is not gone on with, and what came of it is not told again. */
  async admitRound(params: JsonObject, ctx: RequestContext): Promise<void> {
    this.#parts.admit(ctx)
    const effect = await this.#items.meant(params, ctx)
    if (effect !== undefined) await this.dispatch.admitRound(effect, ctx)
  }

  /** A tool that is out of the caller's view is not told apart from one that is not there. */
  paramHeaders(tool: string, principal: Principal | undefined): readonly ParamHeader[] {
    const item = this.#items.index.tool(tool)
    const mirrored = item === undefined ? [] : this.#headers.of(item)
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
    const item = view.byName.get(keyOf('tool', name)) ?? (await this.#items.awaited(name, ctx))
    if (item?.kind !== 'tool') {
      // Once the caller has signed in, the server is no longer one that they are unknown to.
      const servers = ctx.resumed ? this.#parts.connections.servers() : this.#parts.unknownTo(ctx)
      const server = signInServer(name, servers.filter(view.serves))
      if (server === undefined) throw unknown('tool', name)
      return this.#signIn(server, name, ctx)
    }
    const { server, ownName } = item
    const mirrored = this.#headers.of(item)
    try {
      const now = this.#items.index.has(item) ? this.#parts.host.catalogue.toCallNow?.(item.name, args) : undefined
      const given = now ?? (await this.#complete(item, args))
      const result = await this.dispatch.run<CallToolResult>(ctx, {
        server,
        name,
        effect: callEffect(item, given, this.#items.isTrusted(server)),
        headers: forwardedHeaders(ctx, mirrored),
        send: async (client, effect, options, call) => {
          const allowed = effect.kind === 'call' ? effect.arguments : given
          const sent = { name: ownName, arguments: allowed }
          const told = mirrored.length === 0 ? options : withMirrored(options, paramHeaders(mirrored, allowed))
          const support = item.definition.execution?.taskSupport
          if (support !== undefined) return callWithTask(client, { params: sent, options: told, support }, call, ctx)
          const answer = await client.request('tools/call', sent, told)
          if (answer.resultType === 'task') return followAnswer(client, answer, told, call)
          return toResult(answer)
        },
      })
      this.#items.routes.note(callerOf(ctx)?.id ?? ANONYMOUS, server, result)
      return result
    } catch (error) {
      const failure = toToolFailure(error)
      if (failure !== undefined) return failure
      throw error instanceof HostError ? this.dispatch.toCallerError(error, server) : error
    }
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
      throw error instanceof HostError ? this.dispatch.toCallerError(error, server) : error
    }
  }

  /** The arguments with those that are always given. What the catalogue knows, it also checks once more. */
  async #complete(item: CatalogueItem, args: JsonObject): Promise<JsonObject> {
    const { catalogue } = this.#parts.host
    const check = item.kind === 'tool' ? catalogue.toCall : catalogue.toPrompt
    if (check !== undefined && this.#items.index.has(item)) {
      return (await check.call(catalogue, item.name, args)).arguments
    }
    const { settings } = this.#parts.connections.view(item.server).config
    const { presets } = (item.kind === 'tool' ? settings.tools : settings.prompts)[item.ownName] ?? {}
    return presets === undefined ? args : { ...args, ...presets }
  }
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
