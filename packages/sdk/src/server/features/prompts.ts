/**
 * Prompts on a server: the list, and getting one. What an item is made of comes with it (`prompt-entry.ts`), so that a
 * server without prompts is without that code.
 */

import { INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import { didYouMean } from '../../jsonrpc/nearest.ts'
import type { GetPromptResult, Prompt } from '../../protocol/prompts.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, type ServerMethod, stringParam } from '../call/method.ts'
import type { AskingContext } from '../context.ts'
import { defineCollection, defineFeature, type Feature, type FeatureHost, type Item } from '../feature.ts'
import { isAdmitted, isVisible } from '../items/access.ts'
import { Registry } from '../items/registry.ts'
import type { Completable } from './completion.ts'
import { ItemList } from './list.ts'

export interface PromptEntry extends Item, Completable {
  readonly prompt: Prompt
  /** Checks the arguments as they were sent, and runs the handler with them. */
  readonly get: (args: unknown, ctx: AskingContext) => GetPromptResult | Promise<GetPromptResult>
}

interface PromptFeature extends Feature {
  readonly prompts: Registry<PromptEntry>
}

export const PROMPTS = defineFeature('prompts', (server): PromptFeature => {
  const prompts = new Registry<PromptEntry>('prompt')
  return {
    prompts,
    collections: [
      defineCollection<PromptEntry>({
        registry: prompts,
        kind: 'prompt',
        list: 'prompts',
        member: 'prompts',
        method: 'prompts/get',
        keyedBy: 'name',
        reference: 'ref/prompt',
        show: ({ prompt }) => prompt,
        rename: (entry, name) => ({ ...entry, prompt: { ...entry.prompt, name } }),
      }),
    ],
    capability: () => (prompts.declared ? { prompts: { listChanged: true } } : {}),
    methods: () => createPromptMethods(prompts, server),
  }
})

function createPromptMethods(prompts: Registry<PromptEntry>, server: FeatureHost): ServerMethod[] {
  const list = new ItemList<PromptEntry, Prompt>({
    registry: prompts,
    member: 'prompts',
    show: ({ prompt }) => prompt,
    write: (prompt, revision) => revision.writePrompt(prompt),
    pageSize: server.pageSize,
    cache: server.listCache,
  })
  const served = () => prompts.declared
  return [
    defineMethod(list.method('prompts/list', served)),
    defineMethod<GetPromptResult>({
      method: 'prompts/get',
      served,
      admit: (call) => void requirePrompt(prompts, call),
      run: (call) => {
        const { inside, get } = requirePrompt(prompts, call)
        const run = () => get(call.params.arguments ?? {}, server.context(call))
        return inside === undefined ? run() : inside(call, run)
      },
      write: (result, call) => call.conversation.revision.writeGetPromptResult(result),
    }),
  ]
}

function requirePrompt(prompts: Registry<PromptEntry>, call: ServerCall): PromptEntry {
  const name = stringParam(call.params, 'name')
  const entry = prompts.get(name)
  if (entry === undefined || !isAdmitted(entry.access, call.conversation.principal)) {
    const near = prompts.names(({ access }) => isVisible(access, call.conversation.principal))
    const message = `Unknown prompt: ${name}${didYouMean(name, near)}`
    throw new RpcError(INVALID_PARAMS, message, { parameter: 'name', reason: 'names no prompt here' })
  }
  return entry
}
