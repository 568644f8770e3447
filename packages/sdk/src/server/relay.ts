/**
 * A server that has no items of its own: lists, calls, reads and completions are answered by whoever stands behind it,
 * as they came, with nothing checked a second time. Revisions, sessions, sealing and transports are those of every
 * server. `createServer({ relay: defineRelay(…) })` puts this in the place of the features; a gateway is made of it.
 */

import type { Principal } from '../auth/principal.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { CompleteResult } from '../protocol/completion.ts'
import type { ParamHeader } from '../protocol/headers/headers.ts'
import { isLogLevel, type LogLevel } from '../protocol/logging.ts'
import { META_SERVER_INFO } from '../protocol/meta.ts'
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts'
import type { Revision } from '../protocol/revision.ts'
import { readFilter } from '../protocol/subscriptions.ts'
import type { CallToolResult, Tool } from '../protocol/tools.ts'
import type { LegacySession } from '../session/legacy-session.ts'
import { askRelayed } from './asking/relayed-question.ts'
import type { ServerCall } from './call/call.ts'
import {
  andThen,
  defineMethod,
  invalidParam,
  type ServerMethod,
  stringParam,
  tooManySubscriptions,
} from './call/method.ts'
import type { AskingContext, RequestContext, SessionView } from './context.ts'
import { defineFeature, type Feature, type FeatureDefinition, type FeatureHost, type Introduction } from './feature.ts'
import { cacheHints } from './features/list.ts'
import { cursorOf, pageOf, pageSizeFor } from './features/paging.ts'
import type { ToolEntry, ToolTasks } from './features/tools.ts'
import { translate, translated } from './relay-errors.ts'
import type { TaskSettings } from './tasks/task-options.ts'

/** The four lists, by the member of the result that holds them. */
export interface RelayLists {
  tools: Tool
  resources: Resource
  resourceTemplates: ResourceTemplate
  prompts: Prompt
}

/**
 * What answers in place of items of the server's own. Parameters are as the client sent them: that the name or URI is a
 * string and `arguments` an object is all that was checked.
 */
export interface Relay {
  /**
   * What this caller may see. Return the same array as long as nothing has changed: its serialized text is kept with
   * it.
   */
  list<K extends keyof RelayLists>(
    kind: K,
    ctx: RequestContext,
  ): readonly RelayLists[K][] | Promise<readonly RelayLists[K][]>
  callTool(params: JsonObject, ctx: AskingContext): Promise<CallToolResult>
  readResource(params: JsonObject, ctx: AskingContext): Promise<ReadResourceResult>
  getPrompt(params: JsonObject, ctx: AskingContext): Promise<GetPromptResult>
  complete(params: JsonObject, ctx: RequestContext): Promise<CompleteResult>
  /** Follows a resource for one subscriber until the function that comes back is called. Rejects what cannot be followed. */
  watch(uri: string, ctx: RequestContext, changed: (uri: string) => void): Promise<() => void>
  /** The parameters of a tool that are mirrored in HTTP headers; none for a tool that the caller is not to know of. */
  paramHeaders(tool: string, principal: Principal | undefined): readonly ParamHeader[]
  /** What this caller is told, when it connects, about the servers behind the relay. */
  introduce?(ctx: RequestContext): Introduction | undefined | Promise<Introduction | undefined>
  /**
   * Rejects a later round of a request that this caller may no longer make. Asked before every later round, also one
   * whose outcome is known and only told once more.
   */
  admitRound?(params: JsonObject, ctx: RequestContext): Promise<void>
  /**
   * How a call of a tool becomes a task, on a server that has `tasks`; undefined where it does not. Asked of callers alone that
   * could have one. What lists say of it is in the tools themselves (`execution`).
   */
  taskOf?(params: JsonObject, ctx: RequestContext): TaskSettings | undefined | Promise<TaskSettings | undefined>
  /** An older client asked for log messages of this level. */
  levelChanged?(level: LogLevel, ctx: RequestContext): void
  /** An older client said that its roots changed. */
  rootsChanged?(session: SessionView): void
}

/**
 * What `defineRelay` makes and `createServer({ relay })` takes: the relay, and the code that serves it, which other
 * servers do not contain.
 */
export interface DefinedRelay {
  readonly relay: Relay
  readonly feature: FeatureDefinition<RelayFeature>
  readonly ask: typeof askRelayed
}

/**
 * Makes what `createServer({ relay })` takes: a server whose lists, calls and reads are answered by `relay`.
 *
 * @example
 * ```ts
 * import { defineRelay, type Relay } from '@portico/sdk/relay'
 * import { createServer } from '@portico/sdk/server'
 *
 * declare const relay: Relay // yours: it passes requests on to the servers behind it
 *
 * const gateway = createServer({ name: 'gateway', version: '1.0.0', relay: defineRelay(relay) })
 * ```
 */
export function defineRelay(relay: Relay): DefinedRelay {
  return { relay, feature: defineFeature('relay', (server) => createRelay(server, relay)), ask: askRelayed }
}

/** The feature that answers by a relay. */
export interface RelayFeature extends Feature {
  /** Set where calls may become tasks. */
  tasks: ToolTasks | undefined
}

/** A relay does not know what will be behind it tomorrow, so it offers what anybody could. */
const CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
}

function createRelay(server: FeatureHost, relay: Relay): RelayFeature {
  const feature: RelayFeature = {
    tasks: undefined,
    capability: () => ({ ...CAPABILITIES, ...(server.logs && { logging: {} }) }),
    methods: () => createRelayMethods(server, relay, feature),
    filter: (asked) => {
      const { resourceSubscriptions: uris, ...lists } = readFilter(asked) ?? {}
      return uris === undefined || uris.length === 0 ? lists : { ...lists, resourceSubscriptions: uris }
    },
    paramHeaders: (name, principal) => relay.paramHeaders(name, principal),
    introduce: (call) => relay.introduce?.(server.plainContext(call)),
    watch: (uri, call, changed) => relay.watch(uri, server.plainContext(call), changed),
    hear: ({ method }, session) => {
      if (session === undefined || method !== 'notifications/roots/list_changed') return
      tellObserver(
        () => relay.rootsChanged?.(session),
        (thrown) => server.reportPrivately(thrown, method),
      )
    },
  }
  return feature
}

function createRelayMethods(host: FeatureHost, relay: Relay, feature: RelayFeature): ServerMethod[] {
  const writeTool = (revision: Revision, item: Tool) =>
    feature.tasks?.writeTool(item, revision) ?? revision.writeTool(item)
  return [
    listMethod(host, relay, {
      method: 'tools/list',
      member: 'tools',
      write: writeTool,
      besides: (tools, call) => (feature.tasks?.holds === true ? feature.tasks.helped(tools, call) : tools),
    }),
    listMethod(host, relay, {
      method: 'resources/list',
      member: 'resources',
      write: (revision, item) => revision.writeResource(item),
    }),
    listMethod(host, relay, {
      method: 'resources/templates/list',
      member: 'resourceTemplates',
      write: (revision, item) => revision.writeResourceTemplate(item),
    }),
    listMethod(host, relay, {
      method: 'prompts/list',
      member: 'prompts',
      write: (revision, item) => revision.writePrompt(item),
    }),
    ...askingMethods(host, relay, feature),
    defineMethod<CompleteResult>({
      method: 'completion/complete',
      run: (call) => relay.complete(call.params, host.plainContext(call)).catch(translate(call)),
      write: (result, call) => clean(call.conversation.revision.writeCompleteResult(result)),
    }),
    ...subscriptionMethods(host, relay),
    levelMethod(host, relay),
  ]
}

function askingMethods(host: FeatureHost, relay: Relay, feature: RelayFeature): ServerMethod[] {
  /** Calls that may be answered with a task. */
  const asTasks = new WeakSet<ServerCall>()
  const helperOf = (call: ServerCall): ToolEntry['inside'] =>
    feature.tasks?.holds === true ? feature.tasks.helper(String(call.params.name), call)?.inside : undefined
  const admit = (call: ServerCall): Promise<void> | undefined =>
    relay.admitRound?.(call.params, host.plainContext(call)).catch(translate(call))
  return [
    defineMethod<CallToolResult>({
      method: 'tools/call',
      // Who may ask about a task is asked when the task is looked for.
      admit: (call) => (helperOf(call) === undefined ? admit(call) : undefined),
      run: (call) => {
        stringParam(call.params, 'name')
        checkArguments(call.params)
        const { tasks } = feature
        // Tasks are given to a server after its features, and most callers say nothing of them.
        const says = call.detached ?? call.params.task ?? call.conversation.capabilities.extensions
        if (tasks !== undefined && (tasks.holds || (says !== undefined && tasks.concerns(call)))) {
          asTasks.add(call)
          const helper = call.detached === undefined ? helperOf(call) : undefined
          // A helper gives the result of a tool, and has nothing else to run.
          if (helper !== undefined) return helper(call, () => undefined) as unknown as Promise<CallToolResult>
          return callAsTask(host, relay, tasks, call)
        }
        return relay.callTool(call.params, host.context(call)).catch(translate(call))
      },
      write: (result, call) =>
        (asTasks.has(call) ? feature.tasks?.writeResult(result, call) : undefined) ??
        clean(call.conversation.revision.writeCallToolResult(result)),
    }),
    defineMethod<ReadResourceResult>({
      method: 'resources/read',
      admit,
      run: (call) => {
        stringParam(call.params, 'uri')
        return relay.readResource(call.params, host.context(call)).catch(translate(call))
      },
      write: (result, call) => {
        const { revision } = call.conversation
        const { ttlMs, cacheScope: _scope, ...own } = clean(revision.writeReadResourceResult(result))
        if (!revision.traits.cacheHints) return own
        // What one principal was given is for nobody else, whatever the server behind says of its own callers.
        return { ...own, ...cacheHints({ ttlMs: typeof ttlMs === 'number' ? ttlMs : 0, scope: 'private' }, true) }
      },
    }),
    defineMethod<GetPromptResult>({
      method: 'prompts/get',
      admit,
      run: (call) => {
        stringParam(call.params, 'name')
        checkArguments(call.params)
        return relay.getPrompt(call.params, host.context(call)).catch(translate(call))
      },
      write: (result, call) => clean(call.conversation.revision.writeGetPromptResult(result)),
    }),
  ]
}

/** A call that may become a task, or goes on as one. */
function callAsTask(
  host: FeatureHost,
  relay: Relay,
  tasks: ToolTasks,
  call: ServerCall,
): CallToolResult | Promise<CallToolResult> {
  // What is behind a relay goes on by itself meanwhile: no run is held to what an earlier one did.
  if (call.run !== undefined) call.run.replay = undefined
  // As the result of a request is cleaned when it is written.
  const cleaned = (result: CallToolResult) => clean(result as unknown as JsonObject) as unknown as CallToolResult
  const run = () => relay.callTool(call.params, host.context(call)).then(cleaned, translate(call))
  // What runs as a task already needs no settings.
  if (call.detached !== undefined || relay.taskOf === undefined) return tasks.call(undefined, call, run)
  return andThen(relay.taskOf(call.params, host.plainContext(call)), (settings) => tasks.call(settings, call, run))
}

/** `null` counts as absent, as it does for a server's own tools and prompts. */
function checkArguments({ arguments: args }: JsonObject): void {
  if (!isObject(args ?? {})) throw invalidParam('arguments', 'must be an object')
}

interface RelayList<K extends keyof RelayLists> {
  readonly method: string
  readonly member: K
  readonly write: (revision: Revision, item: RelayLists[K]) => JsonObject
  /** The list with what this server itself adds to it for a caller. */
  readonly besides?: (items: readonly RelayLists[K][], call: ServerCall) => readonly RelayLists[K][]
}

function listMethod<K extends keyof RelayLists>(
  host: FeatureHost,
  relay: Relay,
  { method, member, write, besides }: RelayList<K>,
): ServerMethod {
  /** The text of each whole list, by the array it was made from. */
  const texts = new WeakMap<object, Map<Revision, string>>()
  const textOf = (items: readonly RelayLists[K][], revision: Revision, nextCursor: string | undefined): string => {
    const body = JSON.stringify(items.map((item) => write(revision, item)))
    const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
    const hints = revision.traits.cacheHints
      ? `,${JSON.stringify(cacheHints({ scope: 'private', ...host.listCache }, true)).slice(1, -1)}`
      : ''
    return `{"${member}":${body}${next}${hints}`
  }
  return defineMethod<readonly RelayLists[K][]>({
    method,
    run: (call) => {
      const items = relay.list(member, host.plainContext(call))
      return besides === undefined ? items : andThen(items, (listed) => besides(listed, call))
    },
    write: (items, call) => {
      const { revision } = call.conversation
      const cursor = cursorOf(call.params)
      if (cursor !== undefined || pageSizeFor(host.pageSize, items.length) < items.length) {
        const page = pageOf(member, items, cursor, host.pageSize)
        return textOf(page.items, revision, page.nextCursor)
      }
      const known = texts.get(items) ?? new Map<Revision, string>()
      texts.set(items, known)
      const text = known.get(revision) ?? textOf(items, revision, undefined)
      known.set(revision, text)
      return text
    },
  })
}

/** What each session of the older revisions follows. */
const WATCHES = new WeakMap<LegacySession, Map<string, () => void>>()

function subscriptionMethods(host: FeatureHost, relay: Relay): ServerMethod[] {
  return [
    defineMethod<object>({
      method: 'resources/subscribe',
      run: async (call) => {
        const uri = stringParam(call.params, 'uri')
        const { session } = call
        if (session === undefined || session.subscriptions.has(uri)) return {}
        if (!session.subscribe(uri)) throw tooManySubscriptions('uri')
        try {
          await follow(session, uri, (changed) => relay.watch(uri, host.plainContext(call), changed))
        } catch (error) {
          session.unsubscribe(uri)
          throw translated(error, call)
        }
        return {}
      },
      write: () => ({}),
    }),
    defineMethod<object>({
      method: 'resources/unsubscribe',
      run: (call) => {
        const uri = stringParam(call.params, 'uri')
        const { session } = call
        session?.unsubscribe(uri)
        const watches = session && WATCHES.get(session)
        const end = watches?.get(uri)
        if (end !== undefined) tellObserver(end)
        watches?.delete(uri)
        return {}
      },
      write: () => ({}),
    }),
  ]
}

async function follow(
  session: LegacySession,
  uri: string,
  watch: (changed: (uri: string) => void) => Promise<() => void>,
): Promise<void> {
  const unwatch = await watch((changed) => {
    const notice = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: changed } }
    session.post(JSON.stringify(notice), 'keep')
  })
  // It may have been given up, or have ended, while the server behind was asked.
  if (session.phase === 'closed' || !session.subscriptions.has(uri)) return unwatch()
  let watches = WATCHES.get(session)
  if (watches === undefined) {
    const made = new Map<string, () => void>()
    watches = made
    WATCHES.set(session, made)
    session.onClose(() => {
      for (const end of made.values()) tellObserver(end)
      made.clear()
    })
  }
  const before = watches.get(uri)
  if (before !== undefined) tellObserver(before)
  watches.set(uri, unwatch)
}

function levelMethod(host: FeatureHost, relay: Relay): ServerMethod {
  return defineMethod<object>({
    method: 'logging/setLevel',
    served: () => host.logs,
    run: (call) => {
      const { level } = call.params
      if (!isLogLevel(level)) throw invalidParam('level', 'is not a log level')
      if (call.session !== undefined) call.session.logLevel = level
      tellObserver(() => relay.levelChanged?.(level, host.plainContext(call)))
      return {}
    },
    write: () => ({}),
  })
}

/** The names that the server behind gives itself, and how far its answer went, are between it and this side. */
function clean(written: JsonObject): JsonObject {
  if (written.resultType === undefined && written._meta === undefined) return written
  const { resultType: _type, _meta: all, ...own } = written
  if (all === undefined) return own
  if (!isObject(all) || all[META_SERVER_INFO] === undefined) return { ...own, _meta: all }
  const { [META_SERVER_INFO]: _info, ...meta } = all
  return Object.keys(meta).length === 0 ? own : { ...own, _meta: meta }
}
