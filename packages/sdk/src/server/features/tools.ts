/** Tools on a server: definitions compiled once, `tools/list` and `tools/call`. */

import { INVALID_PARAMS, invalidDefinition, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { withoutUndefined } from '../../jsonrpc/members.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { didYouMean } from '../../jsonrpc/nearest.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'
import { collectParamHeaders, type ParamHeader } from '../../protocol/headers/headers.ts'
import type { Revision } from '../../protocol/revision.ts'
import type { CallToolResult, ListToolsResult, Tool, ToolAnnotations } from '../../protocol/tools.ts'
import { type Checked, type CompiledSchema, defineSchema, type Issue, type SchemaLimits } from '../../schema/schema.ts'
import { CapabilityError } from '../../session/conversation.ts'
import { Suspended } from '../../session/suspended.ts'
import { isTellable } from '../call/answer.ts'
import type { ServerCall } from '../call/call.ts'
import { andThen, defineMethod, invalidParam, isThenable, type ServerMethod, stringParam } from '../call/method.ts'
import type { AskingContext } from '../context.ts'
import { defineCollection, defineFeature, type Feature, type FeatureHost, type Item } from '../feature.ts'
import { accessOf, isAdmitted, isVisible } from '../items/access.ts'
import type { ToolDefinition } from '../items/definition.ts'
import { describe, TOOL_OPTIONS } from '../items/item-options.ts'
import { checkName, Registry } from '../items/registry.ts'
import type { TaskSettings } from '../tasks/task-options.ts'
import { ItemList } from './list.ts'
import {
  isContent,
  isFullResult,
  loadFaults,
  stripMark,
  ToolError,
  textError,
  toErrorResult,
  toStructuredResult,
  toToolResult,
} from './tool-result.ts'

export interface ToolEntry extends Item {
  readonly tool: Tool
  readonly input: CompiledSchema | undefined
  readonly output: CompiledSchema | undefined
  readonly paramHeaders: readonly ParamHeader[]
  readonly handler: (args: unknown, ctx: AskingContext) => unknown
  /** How its calls become tasks, where the server has them. */
  readonly task?: TaskSettings
}

/** What tasks put in the place of a tool's own description, work and result. */
export interface ToolTasks {
  /** Runs a tool's work, or makes a task of it. */
  call(
    task: TaskSettings | undefined,
    call: ServerCall,
    run: () => CallToolResult | Promise<CallToolResult>,
  ): CallToolResult | Promise<CallToolResult>
  /** Whether callers without tasks have tools to follow one, so that their requests need not stay open. */
  readonly holds: boolean
  /** The tools of a relay with them, for callers that have them. */
  helped(tools: readonly Tool[], call: ServerCall): readonly Tool[]
  /** A tool that callers without tasks have beside the author's. */
  helper(name: string, call: ServerCall): ToolEntry | undefined
  /** The list with them, for callers that have them. */
  list(tools: Registry<ToolEntry>, listed: ServerMethod<ListToolsResult>): ServerMethod<ListToolsResult>
  writeTool(tool: Tool, revision: Revision): JsonObject | undefined
  writeResult(result: CallToolResult, call: ServerCall): JsonObject | undefined
  /** Whether a call may become a task, by what its caller says, or is one. */
  concerns(call: ServerCall): boolean
}

interface ToolHost {
  /** Set where calls may become tasks. */
  readonly tasks: ToolTasks | undefined
  readonly tools: Registry<ToolEntry>
  readonly server: FeatureHost
}

interface ToolFeature extends Feature {
  tasks: ToolTasks | undefined
  readonly tools: Registry<ToolEntry>
}

export const TOOLS = defineFeature('tools', (server): ToolFeature => {
  const tools = new Registry<ToolEntry>('tool')
  const feature: ToolFeature = {
    tasks: undefined,
    tools,
    collections: [
      defineCollection<ToolEntry>({
        registry: tools,
        kind: 'tool',
        list: 'tools',
        member: 'tools',
        method: 'tools/call',
        keyedBy: 'name',
        show: ({ tool }) => tool,
        rename: (entry, name) => ({ ...entry, tool: { ...entry.tool, name } }),
      }),
    ],
    capability: () => (tools.declared ? { tools: { listChanged: true } } : {}),
    methods: () =>
      createToolMethods({
        tools,
        server,
        get tasks() {
          return feature.tasks
        },
      }),
    // A hidden tool has none, like one that is not there.
    paramHeaders: (name, principal) => {
      const entry = tools.get(name)
      return entry !== undefined && entry.paramHeaders.length > 0 && isVisible(entry.access, principal)
        ? entry.paramHeaders
        : undefined
    },
    takeOver(other: ToolFeature) {
      feature.tasks = other.tasks
    },
  }
  return feature
})

function createToolMethods(host: ToolHost): ServerMethod[] {
  const { tools, server } = host
  const list = new ItemList<ToolEntry, Tool>({
    registry: tools,
    member: 'tools',
    show: ({ tool }) => tool,
    write: (tool, revision) => host.tasks?.writeTool(tool, revision) ?? revision.writeTool(tool),
    pageSize: server.pageSize,
    cache: server.listCache,
  })
  const served = () => tools.declared
  const listed = list.method<ListToolsResult>('tools/list', served)
  return [
    defineMethod(host.tasks?.list(tools, listed) ?? listed),
    defineMethod<CallToolResult>({
      method: 'tools/call',
      served,
      admit: (call) => void requireTool(host, call),
      run(call) {
        const entry = requireTool(host, call)
        const { tasks } = host
        if (tasks !== undefined) return tasks.call(entry.task, call, () => runInside(host, entry, call))
        // Without tasks it is the way of most calls, so it takes no step more than it needs.
        return entry.inside === undefined ? runTool(host, entry, call) : runInside(host, entry, call)
      },
      write: (result, call) =>
        (call.outlet.takesValues === true ? undefined : plainText(result)) ??
        host.tasks?.writeResult(result, call) ??
        call.conversation.revision.writeCallToolResult(result),
    }),
  ]
}

/**
 * The text of a result that is one text block and nothing else, as most are, without its last brace: it is the same in
 * every revision, and to quote a string is a fraction of the work of walking an object.
 */
function plainText(result: CallToolResult): string | undefined {
  const { content } = result
  const [block] = content
  if (content.length !== 1 || block?.type !== 'text' || typeof block.text !== 'string') return undefined
  // A class may have a `toJSON`, and its own idea of what it says.
  if (Object.getPrototypeOf(result) !== Object.prototype || Object.getPrototypeOf(block) !== Object.prototype)
    return undefined
  for (const key in result) if (key !== 'content') return undefined
  for (const key in block) if (key !== 'type' && key !== 'text') return undefined
  return `{"content":[{"type":"text","text":${JSON.stringify(block.text)}}]`
}

/** Compiles a definition; everything wrong with it shows here, at start, not at the first call. */
export function compileTool(name: string, definition: ToolDefinition, limits?: SchemaLimits): ToolEntry {
  checkName(name, 'tool')
  try {
    requireTooled(definition)
    const { options, handler } = definition
    requireOptions('tool(options)', options, TOOL_OPTIONS)
    const own = withoutUndefined({ limits })
    const input = options.input === undefined ? undefined : defineSchema(options.input, { io: 'input', ...own })
    const output = options.output === undefined ? undefined : defineSchema(options.output, { io: 'output', ...own })
    const inputSchema = toObjectSchema(input?.json ?? { type: 'object' })
    const headers = collectParamHeaders(inputSchema)
    if (!Array.isArray(headers)) {
      throw invalidDefinition(`x-mcp-header at ${headers.where}: ${headers.reason}`)
    }
    return {
      tool: {
        name,
        ...describe(options),
        inputSchema,
        ...withoutUndefined({ outputSchema: output?.json, annotations: toAnnotations(definition) }),
      },
      access: accessOf(options),
      input,
      output,
      paramHeaders: headers,
      // The entry's own input schema makes the arguments what the handler was declared for.
      handler: handler as ToolEntry['handler'],
    }
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error
    throw new PorticoError(error.code, `Tool "${name}": ${error.message}`, { cause: error })
  }
}

/** Other libraries' habits, and what they are called here. */
const ELSEWHERE: { readonly [member: string]: string } = {
  inputSchema: '"input"',
  outputSchema: '"output"',
  parameters: '"input"',
  execute: 'the second argument of tool(options, handler)',
  handler: 'the second argument of tool(options, handler)',
}

/** Says what is wrong with a definition that did not come from `tool`, or not with what it takes. */
function requireTooled(definition: unknown): void {
  if (!isObject(definition) || !isObject(definition.options)) {
    throw invalidDefinition('wrap it in tool(options, handler)')
  }
  const habit = Object.keys(definition.options).find((member) => Object.hasOwn(ELSEWHERE, member))
  if (habit !== undefined) throw invalidDefinition(`"${habit}" is ${ELSEWHERE[habit]} here`)
  if (typeof definition.handler !== 'function') throw invalidDefinition('tool(options, handler) needs a handler')
}

/** The wire wants `"type": "object"` at the root, also where a union of objects says so only in its parts. */
function toObjectSchema(json: JsonObject): JsonObject {
  if (json.type === 'object') return json
  if (json.type !== undefined || !describesObjects(json)) throw invalidDefinition('input must describe an object')
  return { type: 'object', ...json }
}

function describesObjects(json: unknown): boolean {
  if (!isObject(json)) return false
  if (json.type !== undefined) return json.type === 'object'
  const { oneOf, anyOf, allOf } = json
  const every = (parts: unknown) => Array.isArray(parts) && parts.length > 0 && parts.every(describesObjects)
  if (every(oneOf) || every(anyOf) || typeof json.$ref === 'string') return true
  return Array.isArray(allOf) && allOf.some(describesObjects)
}

function requireTool(host: ToolHost, call: ServerCall): ToolEntry {
  const name = stringParam(call.params, 'name')
  const entry = host.tools.get(name) ?? host.tasks?.helper(name, call)
  const { principal } = call.conversation
  if (entry === undefined || !isAdmitted(entry.access, principal)) {
    const near = host.tools.names(({ access }) => isVisible(access, principal))
    const message = `Unknown tool: ${name}${didYouMean(name, near)}`
    throw new RpcError(INVALID_PARAMS, message, { parameter: 'name', reason: 'names no tool here' })
  }
  return entry
}

function runInside(host: ToolHost, entry: ToolEntry, call: ServerCall): CallToolResult | Promise<CallToolResult> {
  return entry.inside === undefined ? runTool(host, entry, call) : entry.inside(call, () => runTool(host, entry, call))
}

function runTool(host: ToolHost, entry: ToolEntry, call: ServerCall): CallToolResult | Promise<CallToolResult> {
  const args = call.params.arguments ?? {}
  if (!isObject(args)) throw invalidParam('arguments', 'must be an object')
  const checked: Checked | Promise<Checked> =
    entry.input === undefined ? { ok: true, value: args } : entry.input.validate(args)
  if (!isThenable(checked)) return runHandler(host, entry, checked, call)
  return Promise.resolve(checked).then((late) => runHandler(host, entry, late, call))
}

function runHandler(
  host: ToolHost,
  entry: ToolEntry,
  args: Checked,
  call: ServerCall,
): CallToolResult | Promise<CallToolResult> {
  if (!args.ok) return refuseArguments(args.issues, call)
  try {
    const returned = entry.handler(args.value, host.server.context(call))
    if (isThenable(returned)) {
      return Promise.resolve(returned)
        .then((value) => finish(entry, value))
        .catch((error: unknown) => toFailure(host, entry, error, call))
    }
    const result = finish(entry, returned)
    return result instanceof Promise ? result.catch((error: unknown) => toFailure(host, entry, error, call)) : result
  } catch (error) {
    return toFailure(host, entry, error, call)
  }
}

/** Checks the value against `output` and makes the result; a handler that breaks its own schema is the server's fault. */
function finish(entry: ToolEntry, value: unknown): CallToolResult | Promise<CallToolResult> {
  const { output } = entry
  if (output === undefined) return toToolResult(value)
  const full = isFullResult(value) ? stripMark(value) : asWhole(value, output)
  if (full?.isError) return full
  const structured = full === undefined ? value : full.structuredContent
  return andThen(output.validate(structured), (checked) => {
    if (!checked.ok) return forbidden(entry, checked.issues)
    return full === undefined ? toStructuredResult(checked.value) : { ...full, structuredContent: checked.value }
  })
}

function forbidden({ tool }: ToolEntry, issues: readonly Issue[]): Promise<never> | never {
  return andThen<Faults, never>(loadFaults(), ({ formatIssues }) => {
    const reason = formatIssues(issues)
    throw new PorticoError('invalid-result', `Tool "${tool.name}" returned what its output schema forbids: ${reason}`)
  })
}

/** Content blocks beside structured content are the whole result, unless the schema itself has members of those names. */
function asWhole(value: unknown, output: CompiledSchema): CallToolResult | undefined {
  if (!isObject(value) || !Object.hasOwn(value, 'structuredContent') || !Object.hasOwn(value, 'content'))
    return undefined
  const { properties } = output.json
  if (isObject(properties) && Object.hasOwn(properties, 'structuredContent')) return undefined
  return isContent(value.content) ? (value as unknown as CallToolResult) : undefined
}

/** What an error becomes: a result the model can read, a protocol error, or a reference number for anything unexpected. */
function toFailure(host: ToolHost, entry: ToolEntry, error: unknown, call: ServerCall): CallToolResult {
  if (error instanceof ToolError) return toErrorResult(error)
  if (error instanceof RpcError || error instanceof Suspended) throw error
  if (error instanceof CapabilityError) {
    if (call.session === undefined) throw error
    return textError(error.message)
  }
  // Of a round, what is not the abort itself is an outcome, which a resent request must get.
  if (call.cancelled && (call.round?.isGivenUp(error) ?? true)) throw error
  if (isTellable(error) && error.code !== 'aborted') return textError(error.message)
  return textError(
    `The tool "${entry.tool.name}" failed unexpectedly. ${host.server.reportPrivately(error, `tool ${entry.tool.name}`)}`,
  )
}

/** Invalid arguments: a JSON-RPC error up to 2025-06-18, a result that the model can act on from 2025-11-25. */
function refuseArguments(issues: Issue[], call: ServerCall): CallToolResult | Promise<CallToolResult> {
  return andThen<Faults, CallToolResult>(loadFaults(), ({ formatIssues, invalidArguments }) => {
    if (call.conversation.revision.traits.argumentErrors === 'rpc') throw invalidArguments(issues)
    return textError(`Invalid arguments: ${formatIssues(issues)}`)
  })
}

type Faults = Awaited<ReturnType<typeof loadFaults>>

function toAnnotations({ options }: ToolDefinition): ToolAnnotations | undefined {
  const { readOnly, destructive, idempotent, openWorld } = options
  const annotations: ToolAnnotations = {
    ...withoutUndefined({
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    }),
    ...options.annotations,
  }
  return Object.keys(annotations).length > 0 ? annotations : undefined
}
