/**
 * Completion on a server: finds the prompt or template whose argument is being typed. What proposes values comes with
 * the item (`completion-entry.ts`).
 */

import { isObject } from '../../jsonrpc/message.ts'
import type { CompleteResult } from '../../protocol/completion.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, invalidParam, type ServerMethod, stringParam } from '../call/method.ts'
import type { RequestContext } from '../context.ts'
import { isVisible, requireAccess } from '../items/access.ts'
import type { Access } from '../items/item-options.ts'
import type { Registry } from '../items/registry.ts'

/** What is typed so far, as it was sent: the argument's name and text, and the context of those settled already. */
export interface Typed {
  readonly name: string
  readonly value: string
  readonly context: unknown
}

export interface Completable {
  /** Undefined where nothing of the item can be completed. */
  readonly complete: ((typed: Typed, ctx: RequestContext) => CompleteResult | Promise<CompleteResult>) | undefined
}

type Items = Registry<Completable & { readonly access: Access }>

export interface CompletionHost {
  readonly prompts: Pick<Items, 'get' | 'values'>
  readonly templates: Pick<Items, 'get' | 'values'>
  readonly resources: Pick<Items, 'get'>
  plainContext(call: ServerCall): RequestContext
}

/** Whether anything on the server can be completed: then, and only then, is it a capability. */
export function hasCompleters({ prompts, templates }: CompletionHost): boolean {
  return [...prompts.values(), ...templates.values()].some(({ complete }) => complete !== undefined)
}

export function createCompletionMethods(host: CompletionHost): ServerMethod[] {
  return [
    defineMethod<CompleteResult>({
      method: 'completion/complete',
      served: () => hasCompleters(host),
      run: (call) => {
        const { argument, context } = call.params
        if (!isObject(argument)) throw invalidParam('argument', 'must be an object')
        const typed = { name: stringParam(argument, 'name'), value: stringParam(argument, 'value'), context }
        return findTarget(host, call).complete?.(typed, host.plainContext(call)) ?? { completion: { values: [] } }
      },
      write: (result, call) => call.conversation.revision.writeCompleteResult(result),
    }),
  ]
}

/** The prompt or template that is being filled in; one that may not be seen cannot be completed either (sec-134). */
function findTarget(host: CompletionHost, call: ServerCall): Completable {
  const { ref } = call.params
  if (!isObject(ref)) throw invalidParam('ref', 'must be an object')
  const found =
    ref.type === 'ref/prompt'
      ? host.prompts.get(stringParam(ref, 'name'))
      : ref.type === 'ref/resource'
        ? (host.templates.get(stringParam(ref, 'uri')) ?? host.resources.get(stringParam(ref, 'uri')))
        : undefined
  const { principal } = call.conversation
  if (found === undefined || !isVisible(found.access, principal)) {
    throw invalidParam('ref', 'names no prompt or resource template here')
  }
  requireAccess(found.access, principal)
  return found
}
