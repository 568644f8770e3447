/**
 * The client as its user sees it: a thin façade over the features beside this file. `connect/` makes one around a
 * connector; from then on it keeps itself connected and turns method calls into requests.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CompleteParams, CompleteResult } from '../protocol/completion.ts'
import type { LogLevel } from '../protocol/logging.ts'
import { methodOf } from '../protocol/methods.ts'
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts'
import type { ProtocolVersion, Revision } from '../protocol/revision.ts'
import { writeCompleteParams } from '../protocol/revisions/client-messages.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import type { Tool } from '../protocol/tools.ts'
import type { Connector, ServerDescription } from './connection.ts'
import { ClientCore } from './core.ts'
import type { ChangeNotice, ClientEvent, ClientEvents } from './events.ts'
import { readCompletion } from './features/completion.ts'
import { collect } from './features/pages.ts'
import { PROMPTS, readPrompt } from './features/prompts.ts'
import { RESOURCE_TEMPLATES, RESOURCES, readContents } from './features/resources.ts'
import type { RootsSource } from './features/roots.ts'
import { Skills } from './features/skills.ts'
import type { Subscription } from './features/subscriptions.ts'
import type { ProcessView } from './link.ts'
import type { Negotiated } from './negotiated.ts'
import type { ClientOptions, RequestOptions } from './options.ts'
import type { TaskPage, ToolRun } from './tasks/run.ts'
import { type CallTool, createToolCaller, type ToolCaller } from './tool-caller.ts'
import { type WaitOptions, within } from './with-deadline.ts'

/** A connection to one server that keeps itself alive. `connect` makes it. */
export class Client<S = unknown> {
  /** The server's tools as functions. A result that reports a failure is thrown as `tool-error`. */
  readonly tools: ToolCaller<S> = createToolCaller<S>(
    (name, args = {}, options = {}) => this.#core.callTool(name, args, options),
    () => this.revision,
    (name) => this.#core.listed.hint('tools/call', { name }),
  )
  /**
   * Calls a tool and gives its whole result, a reported failure included. Of a server whose type is known, the name and the
   * arguments are checked and the structured content is typed.
   *
   * @example
   * const { content, isError } = await client.callTool('forecast', { city: 'Oslo' })
   */
  readonly callTool = ((name: string, args: JsonObject = {}, options: RequestOptions = {}) =>
    this.#core.callTool(name, args, options)) as CallTool<S>
  readonly #core: ClientCore

  constructor(connector: Connector, options: ClientOptions = {}) {
    this.#core = new ClientCore(connector, options)
  }

  /** Connects, unless that has happened. Every request does so by itself. */
  async ready(): Promise<this> {
    await this.#core.reconnector.ready()
    return this
  }

  /** What the server says of itself: name and version for display, capabilities, instructions. */
  get server(): ServerDescription {
    return this.#core.connection.server
  }

  get revision(): Revision {
    return this.#core.connection.revision
  }

  get version(): ProtocolVersion {
    return this.#core.connection.revision.version
  }

  /** What was found out while connecting; give it to `connect` as `prior` to save the probing next time. */
  get negotiated(): Negotiated {
    return this.#core.connection.negotiated
  }

  /** The child process, where the server is one. */
  get process(): ProcessView | undefined {
    return this.#core.connection.peer.link.process
  }

  /**
   * Calls a tool without waiting for its end: resolves as soon as there is a task, or a result. The deadline and the signal count
   * until then.
   *
   * @example
   * const run = await client.startTool('report', { year: 2026 })
   * console.log(run.task?.taskId)
   * const { content } = await run.result()
   */
  startTool(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<ToolRun> {
    return this.#core.tasks((calls) => calls.startTool(name, args, options))
  }

  /**
   * Goes on with a task by its id, which may have been started by another process.
   *
   * @example
   * const run = await client.resumeTask(taskId)
   * for await (const { status, statusMessage } of run.updates()) console.log(status, statusMessage)
   */
  resumeTask(taskId: string, options: RequestOptions = {}): Promise<ToolRun> {
    return this.#core.tasks((calls) => calls.resumeTask(taskId, options))
  }

  /** A page of the tasks that the server keeps for this client: only 2025-11-25 has that, and not every server offers it. */
  listTasks(cursor?: string, options: RequestOptions = {}): Promise<TaskPage> {
    return this.#core.tasks((calls) => calls.listTasks(cursor, options))
  }

  /** All tools. Those whose definition is not valid are left out, with a `warning`. */
  listTools(options?: RequestOptions): Promise<Tool[]> {
    return collect(this.toolPages(options))
  }

  toolPages(options?: RequestOptions): AsyncGenerator<Tool[], void, void> {
    return this.#core.toolPages(options)
  }

  listResources(options?: RequestOptions): Promise<Resource[]> {
    return collect(this.resourcePages(options))
  }

  resourcePages(options?: RequestOptions): AsyncGenerator<Resource[], void, void> {
    return this.#core.pages(RESOURCES, options)
  }

  listResourceTemplates(options?: RequestOptions): Promise<ResourceTemplate[]> {
    return collect(this.resourceTemplatePages(options))
  }

  resourceTemplatePages(options?: RequestOptions): AsyncGenerator<ResourceTemplate[], void, void> {
    return this.#core.pages(RESOURCE_TEMPLATES, options)
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    const times = { timeoutMs: this.#core.timeouts.readMs }
    const load = () => this.#core.ask('resources/read', { uri }, times, options)
    const held = this.#core.holds(uri)
    return readContents(uri, await this.#core.cached.through('resources/read', uri, load, held))
  }

  listPrompts(options?: RequestOptions): Promise<Prompt[]> {
    return collect(this.promptPages(options))
  }

  promptPages(options?: RequestOptions): AsyncGenerator<Prompt[], void, void> {
    return this.#core.pages(PROMPTS, options)
  }

  async getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options: RequestOptions = {},
  ): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args }
    const times = { timeoutMs: this.#core.timeouts.readMs }
    const { result } = await this.#core.ask('prompts/get', params, times, options)
    return readPrompt(name, result)
  }

  async complete(params: CompleteParams, options: RequestOptions = {}): Promise<CompleteResult> {
    const { revision } = await this.#core.reconnector.ready()
    const timeoutMs = this.#core.timeouts.readMs
    const spec = { method: 'completion/complete', params: writeCompleteParams(revision, params), timeoutMs }
    return readCompletion(await this.#core.requests.send(spec, options))
  }

  /** Asks for log messages of at least this level, now and after every reconnection. */
  setLogLevel(level: LogLevel, options: WaitOptions = {}): Promise<void> {
    return within(this.#core.setLogLevel(level), options, () => {})
  }

  /** Makes sure that the server answers. Modern servers have no ping and are asked for their description. */
  async ping(options: RequestOptions = {}): Promise<void> {
    const { revision } = await this.#core.reconnector.ready()
    const method = revision.era === 'legacy' ? 'ping' : 'server/discover'
    await this.#core.requests.send({ method, params: {}, timeoutMs: this.#core.timeouts.listMs }, options)
  }

  /** Reports changes of a resource, or of everything in a filter, until closed, over reconnections too. */
  subscribe(
    what: string | SubscriptionFilter,
    callback?: (change: ChangeNotice) => void,
    options?: WaitOptions,
  ): Promise<Subscription> {
    const filter = typeof what === 'string' ? { resourceSubscriptions: [what] } : what
    return this.#core.subscriptions.add(filter, callback, options)
  }

  /** The server's skills, where it offers that extension. Nothing is asked before it is wanted. */
  skills(): Skills {
    return new Skills(this)
  }

  /** Sends any request, for extensions. Multi-round input is answered where the method may ask for it. */
  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    if (method === 'tools/call' && params.task !== undefined) {
      return this.#core.tasks((calls) => calls.requestTask(params, options))
    }
    return (await this.#core.ask(method, params, this.#core.callTimes, options)).result
  }

  /** Sends a notice of an extension. Resolves when it is on its way; nobody says whether it was understood. */
  async notify(method: string, params?: JsonObject, options: WaitOptions = {}): Promise<void> {
    if (methodOf(method) !== undefined) {
      throw new PorticoError('invalid-arguments', `${method} is sent by the client itself`, { delivery: 'not-sent' })
    }
    await within(this.#core.requests.notify(method, params), options, () => {})
  }

  /** Offers other roots from now on, and tells a server that can be told. Needs `roots` when the client is made. */
  async setRoots(roots: RootsSource, options: WaitOptions = {}): Promise<void> {
    if (!this.#core.questions.offersRoots) {
      throw new PorticoError('invalid-definition', 'The client was made without roots and has not declared them')
    }
    this.#core.questions.roots = roots
    const connection = this.#core.reconnector.current
    if (connection?.revision.era !== 'legacy') return
    await within(connection.peer.notify('notifications/roots/list_changed'), options, () => {})
  }

  /** Adds a listener; the function that comes back removes it. The first one to `change` asks the server for notices. */
  on<E extends ClientEvent>(event: E, listener: (value: ClientEvents[E]) => void): () => void {
    const remove = this.#core.emitter.on(event, listener)
    if (event === 'change') this.#core.listen()
    return remove
  }

  /** Ends every call, subscription and process. Nothing is left running once this resolves. */
  close(): Promise<void> {
    return this.#core.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** For logs: which server it is, and nothing that would have to be asked for. */
  toJSON(): { readonly client: string } {
    return { client: this.#core.label }
  }
}
