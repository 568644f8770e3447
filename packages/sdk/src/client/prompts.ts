/** Prompts from the client's side: how the list is read, and what a prompt must hold. */

import { PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts'
import type { ListKind } from './pages.ts'

export const PROMPTS: ListKind<Prompt> = { method: 'prompts/list', member: 'prompts', key: 'name' }

export function readPrompt(name: string, result: JsonObject): GetPromptResult {
  if (!Array.isArray(result.messages)) {
    throw new PorticoError('invalid-message', `The prompt "${name}" has no messages`, { delivery: 'unknown' })
  }
  // `messages` is what the type requires; the rest is optional.
  return result as unknown as GetPromptResult
}
