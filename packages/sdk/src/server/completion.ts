/** Completion on a server: finds the completer that a prompt argument or template variable was declared with. */

import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { type CompleteResult, MAX_COMPLETIONS } from '../protocol/completion.ts'
import { isVisible, requireAccess } from './access.ts'
import type { ServerCall } from './call.ts'
import type { RequestContext } from './context.ts'
import type { Access, Completer, Completions } from './definition.ts'
import { andThen, defineMethod, invalidParam, type ServerMethod, stringParam } from './method.ts'
import type { PromptEntry } from './prompts.ts'
import type { Registry } from './registry.ts'
import type { ResourceEntry, TemplateEntry } from './resources.ts'

export interface CompletionHost {
  readonly prompts: Registry<PromptEntry>
  readonly templates: Registry<TemplateEntry>
  readonly resources: Registry<ResourceEntry>
  plainContext(call: ServerCall): RequestContext
}

/** Whether anything on the server can be completed: then, and only then, is it a capability. */
export function hasCompleters(host: CompletionHost): boolean {
  const entries = [...host.prompts.values(), ...host.templates.values()]
  return entries.some((entry) => Object.keys(entry.complete).length > 0)
}

export function createCompletionMethods(host: CompletionHost): ServerMethod[] {
  return [
    defineMethod<CompleteResult>({
      method: 'completion/complete',
      served: () => hasCompleters(host),
      run: (call) => complete(host, call),
      write: (result, call) => call.conversation.revision.writeCompleteResult(result),
    }),
  ]
}

function complete(host: CompletionHost, call: ServerCall): CompleteResult | Promise<CompleteResult> {
  const { argument, context } = call.params
  if (!isObject(argument)) throw invalidParam('argument', 'must be an object')
  const name = stringParam(argument, 'name')
  const value = stringParam(argument, 'value')
  const chosen = isObject(context) && isObject(context.arguments) ? strings(context.arguments) : {}
  const { complete: completers } = findTarget(host, call)
  const completer = Object.hasOwn(completers, name) ? (completers[name] as Completer) : undefined
  if (completer === undefined) return { completion: { values: [] } }
  return andThen(completer(value, chosen, host.plainContext(call)), toCompleteResult)
}

/** The prompt or template that is being filled in; one that may not be seen cannot be completed either (sec-134). */
function findTarget(host: CompletionHost, call: ServerCall): PromptEntry | TemplateEntry | ResourceEntry {
  const { ref } = call.params
  if (!isObject(ref)) throw invalidParam('ref', 'must be an object')
  const found =
    ref.type === 'ref/prompt'
      ? host.prompts.get(stringParam(ref, 'name'))
      : ref.type === 'ref/resource'
        ? (host.templates.get(stringParam(ref, 'uri')) ?? host.resources.get(stringParam(ref, 'uri')))
        : undefined
  const visible = found !== undefined && isVisible(found.access satisfies Access, call.conversation.principal)
  if (!visible) throw invalidParam('ref', 'names no prompt or resource template here')
  requireAccess(found.access, call.conversation.principal)
  return found
}

function toCompleteResult(completions: Completions): CompleteResult {
  const list: Exclude<Completions, readonly string[]> = isPlainList(completions) ? { values: completions } : completions
  const values = list.values.slice(0, MAX_COMPLETIONS)
  const total = list.total ?? (list.values.length > MAX_COMPLETIONS ? list.values.length : undefined)
  const hasMore = list.hasMore ?? list.values.length > MAX_COMPLETIONS
  return { completion: { values, ...(total !== undefined && { total }), ...(hasMore && { hasMore }) } }
}

function isPlainList(completions: Completions): completions is readonly string[] {
  return Array.isArray(completions)
}

function strings(source: JsonObject): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
