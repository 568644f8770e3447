/**
 * Prompts on a server: the list, and getting one. What an item is made of comes with it (`prompt-entry.ts`), so that a
 * server without prompts is without that code.
 */

import { INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import { didYouMean } from '../../jsonrpc/nearest.ts'
import type { GetPromptResult, Prompt } from '../../protocol/prompts.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, type Inside, type ServerMethod, stringParam } from '../call/method.ts'
import type { AskingContext } from '../context.ts'
import { isVisible, requireAccess } from '../items/access.ts'
import type { Access, CacheHint } from '../items/item-options.ts'
import type { Registry } from '../items/registry.ts'
import type { Completable } from './completion.ts'
import { ItemList } from './list.ts'

export interface PromptEntry extends Completable {
  readonly prompt: Prompt
  readonly access: Access
  readonly inside?: Inside
  /** Checks the arguments as they were sent, and runs the handler with them. */
  readonly get: (args: unknown, ctx: AskingContext) => GetPromptResult | Promise<GetPromptResult>
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
    defineMethod(list.method('prompts/list', served)),
    defineMethod<GetPromptResult>({
      method: 'prompts/get',
      served,
      admit: (call) => void requirePrompt(host, call),
      run: (call) => {
        const { inside, get } = requirePrompt(host, call)
        const run = () => get(call.params.arguments ?? {}, host.context(call))
        return inside === undefined ? run() : inside(call, run)
      },
      write: (result, call) => call.conversation.revision.writeGetPromptResult(result),
    }),
  ]
}

function requirePrompt(host: PromptHost, call: ServerCall): PromptEntry {
  const name = stringParam(call.params, 'name')
  const entry = host.prompts.get(name)
  if (entry === undefined || !isVisible(entry.access, call.conversation.principal)) {
    const near = host.prompts.names(({ access }) => isVisible(access, call.conversation.principal))
    const message = `Unknown prompt: ${name}${didYouMean(name, near)}`
    throw new RpcError(INVALID_PARAMS, message, { parameter: 'name', reason: 'names no prompt here' })
  }
  requireAccess(entry.access, call.conversation.principal)
  return entry
}
