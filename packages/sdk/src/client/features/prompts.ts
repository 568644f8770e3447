/** Prompts from the client's side: how the list is read, and what a prompt must hold. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { GetPromptResult, Prompt } from '../../protocol/prompts.ts'
import { areMessages } from '../../protocol/shapes.ts'
import type { ListKind } from './pages.ts'

export const PROMPTS: ListKind<Prompt> = { method: 'prompts/list', member: 'prompts', key: 'name' }

export function readPrompt(name: string, result: JsonObject): GetPromptResult {
  const { messages } = result
  if (!areMessages(messages)) {
    throw new PorticoError('invalid-message', `The prompt "${name}" has no messages`, { delivery: 'unknown' })
  }
  // Every message was just shown to be one.
  return result as unknown as GetPromptResult
}
