/**
 * Completion on a server: finds the prompt or template whose argument is being typed. What proposes values comes with
 * the item (`completion-entry.ts`).
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { CompleteResult } from '../../protocol/completion.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, invalidParam, type ServerMethod, stringParam } from '../call/method.ts'
import type { RequestContext } from '../context.ts'
import { defineFeature, type Feature, type FeatureHost, type Item } from '../feature.ts'
import { isAdmitted } from '../items/access.ts'

/** What is typed so far, as it was sent: the argument's name and text, and the context of those settled already. */
interface Typed {
  readonly name: string
  readonly value: string
  readonly context: unknown
}

export interface Completable {
  /** Undefined where nothing of the item can be completed. */
  readonly complete: ((typed: Typed, ctx: RequestContext) => CompleteResult | Promise<CompleteResult>) | undefined
}

type Target = Completable & Item

/** Items of features that nothing can be completed of say nothing about it. */
function completionOf(entry: Item): Completable['complete'] {
  return (entry as Partial<Target>).complete
}

export const COMPLETION = defineFeature('completion', (server): Feature => {
  // Then, and only then, is it a capability.
  const served = (): boolean => {
    for (const { reference, registry } of server.collections) {
      if (reference === undefined) continue
      for (const entry of registry.values()) if (completionOf(entry) !== undefined) return true
    }
    return false
  }
  return {
    capability: () => (served() ? { completions: {} } : {}),
    methods: () => [createCompletionMethod(server, served)],
  }
})

function createCompletionMethod(server: FeatureHost, served: () => boolean): ServerMethod {
  return defineMethod<CompleteResult>({
    method: 'completion/complete',
    served,
    run: (call) => {
      const { argument, context } = call.params
      if (!isObject(argument)) throw invalidParam('argument', 'must be an object')
      const typed = { name: stringParam(argument, 'name'), value: stringParam(argument, 'value'), context }
      return (
        completionOf(findTarget(server, call))?.(typed, server.plainContext(call)) ?? { completion: { values: [] } }
      )
    },
    write: (result, call) => call.conversation.revision.writeCompleteResult(result),
  })
}

/** The prompt or template that is being filled in; one that may not be seen cannot be completed either (sec-134). */
function findTarget(server: FeatureHost, call: ServerCall): Item {
  const { ref } = call.params
  if (!isObject(ref)) throw invalidParam('ref', 'must be an object')
  const found = findReferred(server, ref)
  const { principal } = call.conversation
  if (found === undefined || !isAdmitted(found.access, principal)) {
    throw invalidParam('ref', 'names no prompt or resource template here')
  }
  return found
}

function findReferred(server: FeatureHost, ref: JsonObject): Item | undefined {
  for (const { reference, keyedBy, registry } of server.collections) {
    const found =
      reference !== undefined && ref.type === reference ? registry.get(stringParam(ref, keyedBy)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
