/**
 * Tools from the client's side: lists them, calls them, and remembers their definitions for what a call needs of them:
 * the arguments that are mirrored in HTTP headers, and the schema that structured content is held against.
 */

import { INVALID_REQUEST, METHOD_NOT_FOUND, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { collectParamHeaders, type ParamHeader, paramHeaders } from '../../protocol/headers/headers.ts'
import { areBlocks } from '../../protocol/shapes.ts'
import type { CallToolResult, Tool } from '../../protocol/tools.ts'
import { compileJsonSchema, formatIssues, type JsonSchemaValidator } from '../../schema/json-schema/json-schema.ts'
import { type AskHost, AskingRequest, type RequestTimes } from '../asking/rounds.ts'
import type { SentCall } from '../attempt.ts'
import type { Connection } from '../connection.ts'
import type { Emitter } from '../events.ts'
import type { Outgoing } from '../link.ts'
import type { RequestOptions } from '../options.ts'
import type { ListKind } from './pages.ts'

interface KnownTool {
  readonly tool: Tool
  readonly headers: readonly ParamHeader[]
  /** Compiled when first needed; null when the schema is unusable. */
  validator: JsonSchemaValidator | null | undefined
}

/** The definitions seen so far. */
export class KnownTools {
  readonly #events: Emitter
  readonly #tools = new Map<string, KnownTool>()
  /** Whether any tool said that its calls may be tasks (2025-11-25). */
  haveTasks = false

  constructor(events: Emitter) {
    this.#events = events
  }

  /** How a list of tools is read over a connection. Invalid header annotations matter only where there are headers. */
  listKind(connection: Connection | undefined): ListKind<Tool> {
    const http = connection?.peer.link.kind === 'http'
    return {
      method: 'tools/list',
      member: 'tools',
      key: 'name',
      accept: (tool) => this.#accept(tool, http),
    }
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)?.tool
  }

  /** Forgets what a whole list no longer has. */
  retain(names: ReadonlySet<string>): void {
    for (const name of this.#tools.keys()) if (!names.has(name)) this.#tools.delete(name)
  }

  /** The `Mcp-Param-*` headers of a call, as far as the tool is known. */
  headersFor(name: string, args: JsonObject, connection: Connection): Outgoing['headers'] {
    if (connection.revision.era === 'legacy' || connection.peer.link.kind !== 'http') return undefined
    const headers = this.#tools.get(name)?.headers
    return headers === undefined || headers.length === 0 ? undefined : paramHeaders(headers, args)
  }

  /** Reads a result and holds its structured content against the tool's output schema (sec-129). */
  readResult(name: string, result: JsonObject): CallToolResult {
    const { content, structuredContent, isError } = result
    if (!Array.isArray(content) && structuredContent === undefined) throw unreadable(name, 'has no content')
    if (Array.isArray(content) && !areBlocks(content)) throw unreadable(name, 'has content that is none')
    if (isError !== undefined && isError !== null && typeof isError !== 'boolean')
      throw unreadable(name, 'does not say whether it failed')
    const read = (Array.isArray(content) ? result : { ...result, content: [] }) as unknown as CallToolResult
    const known = this.#tools.get(name)
    if (isError === true || known?.tool.outputSchema === undefined) return read
    const validator = this.#validator(known)
    if (validator === null) return read
    if (structuredContent === undefined) throw misfit(name, 'there is no structured content')
    const issues = validator.validate(structuredContent)
    if (issues !== undefined) throw misfit(name, formatIssues(issues))
    return read
  }

  #validator(known: KnownTool): JsonSchemaValidator | null {
    if (known.validator !== undefined) return known.validator
    try {
      known.validator = compileJsonSchema(known.tool.outputSchema)
    } catch (error) {
      known.validator = null
      const message = `Results of "${known.tool.name}" are not checked: ${(error as Error).message}`
      this.#events.emit('warning', { kind: 'schema-not-checked', message, subject: known.tool.name })
    }
    return known.validator
  }

  #accept(tool: Tool, http: boolean): string | undefined {
    if (!isObject(tool.inputSchema)) return 'it has no input schema'
    if (tool.outputSchema !== undefined && !isObject(tool.outputSchema)) return 'its output schema is no object'
    let headers: readonly ParamHeader[] = []
    if (http) {
      const found = collectParamHeaders(tool.inputSchema)
      if (!Array.isArray(found)) {
        // Narrowed by hand: `isArray` does not exclude readonly arrays from the union.
        const { where, reason } = found as { where: string; reason: string }
        return `x-mcp-header at ${where}: ${reason}`
      }
      headers = found
    }
    const before = this.#tools.get(tool.name)
    // A definition that comes again unchanged keeps what was compiled from it.
    if (before !== undefined && JSON.stringify(before.tool) === JSON.stringify(tool)) return undefined
    this.#tools.set(tool.name, { tool, headers, validator: undefined })
    this.haveTasks ||= isObject(tool.execution)
    return undefined
  }
}

/** `tools/call`, with the headers that its tool asks for. */
export class ToolCall<Answer = CallToolResult> extends AskingRequest<Answer> {
  readonly tasks: boolean
  readonly task: JsonObject | undefined
  readonly #host: ToolHost

  constructor(host: ToolHost, name: string, args: JsonObject, options: RequestOptions) {
    super(host, 'tools/call', { name, arguments: args }, host.callTimes, options)
    this.#host = host
    this.tasks = host.followsTasks
    this.task = this.tasks && host.tools.haveTasks ? taskFor(host.tools.get(name), options) : undefined
  }

  override finish(result: JsonObject, _asked: boolean, sent?: SentCall): Answer | Promise<Answer> {
    // This class gives the result itself; those below it that give something else have a `finish` of their own.
    if (this.isTask(result)) return this.#host.follow(this, result, sent) as Promise<Answer>
    return this.#host.tools.readResult(this.params.name as string, result) as Answer
  }

  /** A server that takes tasks may refuse a call that is none; nothing was done by it then (2025-11-25, tools, "Task support"). */
  override async rescue(error: unknown): Promise<Answer> {
    const refused =
      error instanceof RpcError && (error.rpcCode === METHOD_NOT_FOUND || error.rpcCode === INVALID_REQUEST)
    const again = refused && this.tasks && this.task === undefined ? this.#host.callAsTask(this, error) : undefined
    return ((await again) as Answer | undefined) ?? super.rescue(error)
  }

  /** Whether a result says that the call became a task. */
  protected isTask(result: JsonObject): boolean {
    return this.tasks && (result.resultType === 'task' || (this.task !== undefined && isObject(result.task)))
  }

  /** By the word of the server, whose tool it is. */
  get repeatable(): boolean {
    const { readOnlyHint, idempotentHint } = this.#host.tools.get(this.params.name as string)?.annotations ?? {}
    return readOnlyHint === true || idempotentHint === true
  }

  headers(connection: Connection): Outgoing['headers'] {
    const { name, arguments: args } = this.params
    return this.#host.tools.headersFor(name as string, args as JsonObject, connection)
  }

  refreshHeaders(): Promise<void> {
    return this.#host.refreshTools(this.options)
  }
}

/** What a call of a tool asks for to become a task of 2025-11-25, unless it is to be none. */
function taskFor(tool: Tool | undefined, { task = false }: RequestOptions): JsonObject | undefined {
  const support = tool?.execution?.taskSupport
  if (support !== 'required' && !(support === 'optional' && task)) return undefined
  const { ttlMs } = typeof task === 'object' ? task : {}
  return ttlMs === undefined ? {} : { ttl: ttlMs }
}

export interface ToolHost extends AskHost {
  readonly tools: KnownTools
  readonly callTimes: RequestTimes
  /** Whether calls may become tasks at all. */
  readonly followsTasks: boolean
  /** Waits for the end of the task that a call became. */
  follow(call: ToolCall<unknown>, result: JsonObject, sent: SentCall | undefined): Promise<CallToolResult>
  /** Makes a call once more, as a task, where that is what its refusal means. */
  callAsTask(call: ToolCall<unknown>, error: RpcError): Promise<CallToolResult | undefined>
  refreshTools(options: RequestOptions): Promise<void>
}

function unreadable(name: string, reason: string): PorticoError {
  return new PorticoError('invalid-message', `The result of "${name}" ${reason}`, { delivery: 'unknown' })
}

function misfit(name: string, reason: string): PorticoError {
  return new PorticoError('invalid-result', `The result of "${name}" does not fit its output schema: ${reason}`, {
    delivery: 'unknown',
  })
}
