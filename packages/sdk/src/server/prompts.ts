/** Prompts on a server: the list, and getting one with its arguments checked. */

import { INVALID_PARAMS, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from '../protocol/prompts.ts'
import { type Checked, type CompiledSchema, defineSchema, formatIssues, subjectOf } from '../schema/schema.ts'
import { isVisible, requireAccess } from './access.ts'
import type { ServerCall } from './call.ts'
import type { AskingContext } from './context.ts'
import type { Access, CacheHint, Completer, PromptDefinition } from './definition.ts'
import { ItemList } from './list.ts'
import { andThen, defineMethod, invalidParam, type ServerMethod, stringParam } from './method.ts'
import type { Registry } from './registry.ts'
import { checkName } from './tools.ts'

export interface PromptEntry {
  readonly prompt: Prompt
  readonly access: Access
  readonly input: CompiledSchema | undefined
  readonly complete: { readonly [argument: string]: Completer }
  readonly handler: (args: unknown, ctx: AskingContext) => unknown
}

export interface PromptHost {
  readonly prompts: Registry<PromptEntry>
  readonly pageSize: number | undefined
  readonly listCache: CacheHint
  context(call: ServerCall): AskingContext
}

export function createPromptMethods(host: PromptHost): ServerMethod[] {
  const list = new ItemList<PromptEntry, Prompt>({
    registry: host.prompts,
    member: 'prompts',
    show: (entry) => entry.prompt,
    write: (prompt, revision) => revision.writePrompt(prompt),
    pageSize: host.pageSize,
    cache: host.listCache,
  })
  const served = () => host.prompts.declared
  return [
    defineMethod<ListPromptsResult>({
      method: 'prompts/list',
      served,
      ready: (call) => list.text(call),
      run: (call) => {
        const { items, nextCursor } = list.shown(call)
        return nextCursor === undefined ? { prompts: items } : { prompts: items, nextCursor }
      },
      write: (result, call) => list.write(result, result.prompts, call),
    }),
    defineMethod<GetPromptResult>({
      method: 'prompts/get',
      served,
      run: (call) => getPrompt(host, call),
      write: (result, call) => call.conversation.revision.writeGetPromptResult(result),
    }),
  ]
}

export function compilePrompt(name: string, definition: PromptDefinition, maxNameLength: number): PromptEntry {
  checkName(name, 'prompt', maxNameLength)
  const { options, handler } = definition
  const { title, description, icons, meta, scopes, challenge, visible } = options
  const input = options.input === undefined ? undefined : defineSchema(options.input, { io: 'input', trusted: true })
  const args = options.arguments ?? (input === undefined ? undefined : toArguments(name, input.json))
  return {
    prompt: {
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(icons !== undefined && { icons }),
      ...(args !== undefined && args.length > 0 && { arguments: [...args] }),
      ...(meta !== undefined && { _meta: meta }),
    },
    access: { ...(scopes && { scopes }), ...(challenge && { challenge }), ...(visible && { visible }) },
    input,
    complete: options.complete ?? {},
    // The entry's own input schema makes the arguments what the handler was declared for.
    handler: handler as PromptEntry['handler'],
  }
}

function getPrompt(host: PromptHost, call: ServerCall): GetPromptResult | Promise<GetPromptResult> {
  const name = stringParam(call.params, 'name')
  const entry = host.prompts.get(name)
  if (entry === undefined || !isVisible(entry.access, call.conversation.principal)) {
    throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${name}`, { parameter: 'name', reason: 'names no prompt here' })
  }
  requireAccess(entry.access, call.conversation.principal)
  const args = call.params.arguments ?? {}
  if (!isObject(args)) throw invalidParam('arguments', 'must be an object')
  for (const [argument, value] of Object.entries(args)) {
    if (typeof value !== 'string') throw invalidParam(`arguments.${argument}`, 'must be a string')
  }
  return andThen(checkArguments(entry, args), (checked) => {
    if (!checked.ok) {
      const [first] = checked.issues
      const at = first && subjectOf(first)
      const reason = formatIssues(checked.issues)
      throw new RpcError(INVALID_PARAMS, `Invalid params: ${reason}`, {
        parameter: at ? `arguments.${at}` : 'arguments',
        reason,
      })
    }
    return andThen(entry.handler(checked.value, host.context(call)), (value) => toPromptResult(value, entry.prompt))
  })
}

function checkArguments(entry: PromptEntry, args: JsonObject): Checked | Promise<Checked> {
  if (entry.input !== undefined) return entry.input.validate(args)
  const missing = entry.prompt.arguments?.find(({ name, required }) => required === true && !Object.hasOwn(args, name))
  if (missing === undefined) return { ok: true, value: args }
  const message = `missing required argument "${missing.name}"`
  return { ok: false, issues: [{ path: [missing.name], message, keyword: 'required' }] }
}

function toArguments(prompt: string, json: JsonObject): PromptArgument[] {
  if (json.type !== 'object') {
    throw new PorticoError('invalid-definition', `Prompt "${prompt}": input must describe an object of strings`)
  }
  const required = Array.isArray(json.required) ? json.required : []
  return Object.entries(isObject(json.properties) ? json.properties : {}).map(([name, schema]) => {
    const { title, description } = isObject(schema) ? schema : {}
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(required.includes(name) && { required: true }),
    }
  })
}

function toPromptResult(value: unknown, prompt: Prompt): GetPromptResult {
  const described = prompt.description === undefined ? {} : { description: prompt.description }
  if (typeof value === 'string') {
    return { ...described, messages: [{ role: 'user', content: { type: 'text', text: value } }] }
  }
  if (Array.isArray(value)) return { ...described, messages: value as PromptMessage[] }
  if (isObject(value) && Array.isArray(value.messages))
    return { ...described, ...(value as unknown as GetPromptResult) }
  if (isObject(value) && 'role' in value) return { ...described, messages: [value as unknown as PromptMessage] }
  throw new PorticoError('invalid-result', `Prompt "${prompt.name}" returned neither text nor messages`)
}
