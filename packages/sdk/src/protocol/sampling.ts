/** Sampling as data: a server's request for a completion by the client's model, with or without tools. */

import type { JsonObject } from '../jsonrpc/message.ts'
import type { AudioContent, ContentBlock, ImageContent, MetaObject, Role, TextContent } from './content.ts'
import type { Tool } from './tools.ts'

interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  _meta?: MetaObject
}

interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: MetaObject
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** One message to or from a model. */
export interface SamplingMessage {
  role: Role
  /** An array from 2025-11-25; a single block before. Both are read everywhere. */
  content: SamplingContent | SamplingContent[]
  _meta?: MetaObject
}

interface ModelPreferences {
  hints?: { name?: string }[]
  costPriority?: number
  speedPriority?: number
  intelligencePriority?: number
}

interface ToolChoice {
  mode?: 'auto' | 'required' | 'none'
}

/** What a server asks this side's model for. */
export interface CreateMessageParams {
  messages: SamplingMessage[]
  maxTokens: number
  modelPreferences?: ModelPreferences
  systemPrompt?: string
  includeContext?: 'none' | 'thisServer' | 'allServers'
  temperature?: number
  stopSequences?: string[]
  metadata?: JsonObject
  tools?: Tool[]
  toolChoice?: ToolChoice
}

/** What the model said. */
export interface CreateMessageResult extends SamplingMessage {
  model: string
  stopReason?: string
}

/**
 * The text of a message from or for a model, without its pictures, sound and tool calls.
 *
 * @example
 * ```ts
 * import { textOf, tool } from '@portico/sdk/server'
 *
 * const title = tool({ description: 'Proposes a title for the page' }, async (_args, ctx) => {
 *   const message = await ctx.sample({ prompt: 'A title for a page about birds, in five words', maxTokens: 30 })
 *   return textOf(message)
 * })
 * ```
 */
export function textOf(message: SamplingMessage): string {
  const blocks = Array.isArray(message.content) ? message.content : [message.content]
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
}
