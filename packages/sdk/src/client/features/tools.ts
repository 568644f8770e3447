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
  /** Those whose calls have to be tasks (2025-11-25). */
  readonly tasksOnly = new Set<string>()
  /** Whether a whole list was read, so that what is not known is not listed. */
  whole = false

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
    this.whole = true
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
    if (tool.execution?.taskSupport === 'required') this.tasksOnly.add(tool.name)
    else this.tasksOnly.delete(tool.name)
    return undefined
  }
}

/** `tools/call`, with the headers that its tool asks for. */
export class ToolCall extends AskingRequest<CallToolResult> {
  readonly tasks: boolean
  /** Both are for calls that are to become tasks. */
  paramsOn?: (connection: Connection) => JsonObject
  finished?: (result: JsonObject, sent: SentCall | undefined) => CallToolResult
  readonly #host: ToolHost

  constructor(host: ToolHost, name: string, args: JsonObject, options: RequestOptions) {
    super(host, { method: 'tools/call', params: { name, arguments: args } }, host.callTimes, options)
    this.#host = host
    this.tasks = host.followsTasks
  }

  override finish(
    result: JsonObject,
    _asked: boolean,
    sent: SentCall | undefined,
  ): CallToolResult | Promise<CallToolResult> {
    if (this.finished !== undefined) return this.finished(result, sent)
    if (result.resultType === 'task' && this.tasks) {
      return this.#host.tasks((calls) => calls.followCall(this, result, sent))
    }
    return this.#host.tools.readResult(this.params.name as string, result)
  }

  /** A server that takes tasks may refuse a call that is none; nothing was done by it then (2025-11-25, tools, "Task support"). */
  override async rescue(error: unknown): Promise<CallToolResult> {
    const refused =
      this.tasks && this.finished === undefined && error instanceof RpcError && REFUSALS.has(error.rpcCode)
    const again = refused ? await this.#host.tasks((calls) => calls.callAsTask(this, error.rpcCode)) : undefined
    return again ?? super.rescue(error)
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

/** What becomes of a call that is a task, or has to be one. */
export interface CallsAsTasks {
  /** Waits for the end of the task that a call became. */
  followCall(call: ToolCall, result: JsonObject, sent: SentCall | undefined): Promise<CallToolResult>
  /** Makes a call once more, as a task, where that is what its refusal means. */
  callAsTask(call: ToolCall, code: number): Promise<CallToolResult | undefined>
}

/** The codes by which a server may say that a call has to be a task. */
const REFUSALS: ReadonlySet<number> = new Set([METHOD_NOT_FOUND, INVALID_REQUEST])

export interface ToolHost extends AskHost {
  readonly tools: KnownTools
  readonly callTimes: RequestTimes
  /** Whether calls may become tasks at all. */
  readonly followsTasks: boolean
  /** Has something done by what knows tasks, and is loaded for that. */
  tasks<Value>(run: (calls: CallsAsTasks) => Promise<Value>): Promise<Value>
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
