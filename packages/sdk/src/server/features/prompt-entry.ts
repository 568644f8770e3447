/**
 * One prompt, made of what its author wrote: arguments read from its schema and checked, the handler's value turned into
 * messages. `prompt` (`definition.ts`) takes this along, and `prompts.ts` serves what comes of it.
 */

import { invalidDefinition, PorticoError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../../protocol/prompts.ts'
import { type AnySchema, type Checked, type CompiledSchema, defineSchema } from '../../schema/schema.ts'
import { invalidArguments } from '../call/invalid-arguments.ts'
import { andThen, invalidParam } from '../call/method.ts'
import type { AskingContext } from '../context.ts'
import { accessOf } from '../items/access.ts'
import { describe, PROMPT_OPTIONS, type PromptOptions } from '../items/item-options.ts'
import { requireCompleters, toCompletion } from './completion-entry.ts'
import type { PromptEntry } from './prompts.ts'

/** Throws `invalid-definition` for an input that describes no arguments. */
export function toPromptEntry(
  name: string,
  options: PromptOptions<AnySchema | undefined>,
  handler: (args: never, ctx: never) => unknown,
): PromptEntry {
  requireOptions(`Prompt "${name}"`, options, PROMPT_OPTIONS)
  const input = options.input === undefined ? undefined : defineSchema(options.input, { io: 'input' })
  const args = options.arguments ?? (input === undefined ? undefined : toArguments(name, input.json))
  requireCompleters(
    `Prompt "${name}"`,
    options.complete,
    (args ?? []).map((argument) => argument.name),
  )
  const prompt: Prompt = {
    name,
    ...describe(options),
    ...(args !== undefined && args.length > 0 && { arguments: [...args] }),
  }
  // The input schema makes the arguments what the handler was declared for.
  const run = handler as (args: unknown, ctx: AskingContext) => unknown
  return {
    prompt,
    access: accessOf(options),
    complete: toCompletion(options.complete),
    get: (sent, ctx) =>
      andThen(checkArguments(prompt, input, readArguments(sent)), (checked) => {
        if (!checked.ok) throw invalidArguments(checked.issues)
        return andThen(run(checked.value, ctx), (value) => toPromptResult(value, prompt))
      }),
  }
}

function readArguments(sent: unknown): JsonObject {
  if (!isObject(sent)) throw invalidParam('arguments', 'must be an object')
  for (const [argument, value] of Object.entries(sent)) {
    if (typeof value !== 'string') throw invalidParam(`arguments.${argument}`, 'must be a string')
  }
  return sent
}

function checkArguments(
  prompt: Prompt,
  input: CompiledSchema | undefined,
  args: JsonObject,
): Checked | Promise<Checked> {
  if (input !== undefined) return input.validate(args)
  const missing = prompt.arguments?.find(({ name, required }) => required === true && !Object.hasOwn(args, name))
  if (missing === undefined) return { ok: true, value: args }
  const message = `missing required argument "${missing.name}"`
  return { ok: false, issues: [{ path: [missing.name], message, keyword: 'required' }] }
}

function toArguments(prompt: string, json: JsonObject): PromptArgument[] {
  if (json.type !== 'object') {
    throw invalidDefinition(`Prompt "${prompt}": input must describe an object of strings`)
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

function toPromptResult(value: unknown, { name, description }: Prompt): GetPromptResult {
  const described = description === undefined ? {} : { description }
  if (typeof value === 'string') {
    return { ...described, messages: [{ role: 'user', content: { type: 'text', text: value } }] }
  }
  if (Array.isArray(value)) return { ...described, messages: value as PromptMessage[] }
  if (isObject(value) && Array.isArray(value.messages))
    return { ...described, ...(value as unknown as GetPromptResult) }
  if (isObject(value) && 'role' in value) return { ...described, messages: [value as unknown as PromptMessage] }
  throw new PorticoError('invalid-result', `Prompt "${name}" returned neither text nor messages`)
}
