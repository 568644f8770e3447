/** Sampling seen from a server: what `ctx.sample` sends, and the rules its messages must keep. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { writeCreateMessageParams } from '../../protocol/revisions/questions.ts'
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
} from '../../protocol/sampling.ts'
import { type Asker, askClient, requireClient } from '../asking/asking.ts'
import type { ServerCall } from '../call/call.ts'

/** A request for a completion: either whole `messages`, or a `prompt` that becomes one user message. */
export type SampleQuestion = Omit<CreateMessageParams, 'messages' | 'maxTokens'> & { maxTokens?: number } & (
    | { messages: CreateMessageParams['messages']; prompt?: undefined }
    | { prompt: string; messages?: undefined }
  )

export async function askSampling(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  question: SampleQuestion,
): Promise<CreateMessageResult> {
  const params = toCreateMessageParams(question)
  requireClient(call, params.tools === undefined ? 'sample' : 'sample-tools')
  const wire = writeCreateMessageParams(call.conversation.revision, params)
  const asked = { key, kind: 'sampling', method: 'sampling/createMessage', params: wire }
  return askClient(asker, call, asked, readCreateMessageResult)
}

const DEFAULT_MAX_TOKENS = 1024

export function toCreateMessageParams(question: SampleQuestion): CreateMessageParams {
  const { prompt, messages, maxTokens = DEFAULT_MAX_TOKENS, ...rest } = question
  const all: SamplingMessage[] = messages ?? [{ role: 'user', content: { type: 'text', text: prompt ?? '' } }]
  checkToolPairing(all)
  return { ...rest, messages: all, maxTokens }
}

/** A usable answer has a role, a model and content of known shape; anything else reads as unanswered. */
export function readCreateMessageResult(response: JsonObject): CreateMessageResult | undefined {
  const { role, model, content } = response
  if (role !== 'assistant' && role !== 'user') return undefined
  if (typeof model !== 'string') return undefined
  const blocks = Array.isArray(content) ? content : [content]
  if (!blocks.every(isReadable)) return undefined
  // Role, model and the outline of content were just checked; unknown members are the client's own.
  return response as unknown as CreateMessageResult
}

/** What a block of each kind must have; those of other kinds are the client's own. */
const MEMBERS: { readonly [type: string]: readonly string[] } = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  tool_use: ['id', 'name'],
  tool_result: ['toolUseId'],
}

function isReadable(block: unknown): boolean {
  if (!isObject(block) || typeof block.type !== 'string') return false
  const members = Object.hasOwn(MEMBERS, block.type) ? MEMBERS[block.type] : undefined
  if (!(members ?? []).every((name) => typeof block[name] === 'string')) return false
  return (
    (block.type !== 'tool_use' || isObject(block.input)) &&
    (block.type !== 'tool_result' || Array.isArray(block.content))
  )
}

/**
 * Every assistant message with tool uses is followed by a user message that holds exactly their results and nothing
 * else (2025-11-25 and later, sampling, "Message Content Constraints"; sec-117).
 */
export function checkToolPairing(messages: readonly SamplingMessage[]): void {
  let expected = new Set<string>()
  for (const message of messages) {
    const blocks = blocksOf(message)
    const results = blocks.filter((block) => block.type === 'tool_result')
    if (results.length > 0 && results.length !== blocks.length) {
      throw broken('a message with tool results may hold nothing else')
    }
    for (const result of results) {
      if (!expected.delete(result.toolUseId)) throw broken(`no tool use waits for the result "${result.toolUseId}"`)
    }
    if (expected.size > 0) throw broken(`the tool use "${[...expected][0]}" has no result in the next message`)
    expected = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
  }
  if (expected.size > 0) throw broken(`the tool use "${[...expected][0]}" has no result after it`)
}

function blocksOf(message: SamplingMessage): SamplingContent[] {
  return Array.isArray(message.content) ? message.content : [message.content]
}

function broken(reason: string): PorticoError {
  return new PorticoError('invalid-arguments', `ctx.sample: ${reason}`)
}
