/** Sampling as this side offers it: one handler for a server's requests, live or as multi-round input. */

import { INVALID_PARAMS, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Revision } from '../../protocol/revision.ts'
import { writeCreateMessageResult } from '../../protocol/revisions/client-messages.ts'
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
} from '../../protocol/sampling.ts'
import { areSamplingMessages, isSamplingMessage } from '../../protocol/shapes.ts'
import type { AskContext } from '../asking/ask-context.ts'

/** Answers a server's request for a completion. */
export type SamplingHandler = (
  params: CreateMessageParams,
  context: AskContext,
) => CreateMessageResult | Promise<CreateMessageResult>

/** Who answers requests for a completion, and what the model can do. */
export interface SamplingOptions {
  readonly handler: SamplingHandler
  /** The handler can deal with `tools` and `toolChoice`. */
  readonly tools?: boolean
  /** The handler can deal with `includeContext`. */
  readonly context?: boolean
}

export function samplingOptions(sampling: SamplingHandler | SamplingOptions): SamplingOptions {
  return typeof sampling === 'function' ? { handler: sampling } : sampling
}

export async function answerSampling(
  { handler, tools }: SamplingOptions,
  params: JsonObject,
  revision: Revision,
  context: AskContext,
): Promise<JsonObject> {
  const reason = refusal(params, tools === true)
  if (reason !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid params: ${reason}`)
  // `refusal` has looked at what the type promises and a handler could trip over.
  const result: unknown = await handler(params as unknown as CreateMessageParams, context)
  if (!isSamplingMessage(result) || !isObject(result) || typeof result.model !== 'string') {
    throw new PorticoError('invalid-arguments', 'The sampling handler must return { role, content, model }')
  }
  // Its members were just looked at.
  return writeCreateMessageResult(revision, result as unknown as CreateMessageResult)
}

/** Why a request cannot be passed on (2025-11-25, sampling, "Error Handling" and "Message Content Constraints"). */
function refusal(params: JsonObject, tools: boolean): string | undefined {
  const { messages, maxTokens } = params
  if (!Array.isArray(messages)) return 'messages must be an array'
  if (!areSamplingMessages(messages)) return 'messages must each have a role and content'
  if (typeof maxTokens !== 'number') return 'maxTokens must be a number'
  const wrong = Object.keys(params).find((name) => Object.hasOwn(OPTIONAL, name) && !OPTIONAL[name]?.(params[name]))
  if (wrong !== undefined) return `${wrong} is of the wrong type`
  if (!tools && (params.tools !== undefined || params.toolChoice !== undefined)) {
    return 'this client did not declare sampling.tools'
  }
  return unbalanced(messages as SamplingMessage[])
}

const OPTIONAL: { readonly [name: string]: (value: unknown) => boolean } = {
  systemPrompt: (value) => typeof value === 'string',
  temperature: (value) => typeof value === 'number',
  stopSequences: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  modelPreferences: isObject,
  metadata: isObject,
  toolChoice: isObject,
  tools: (value) => Array.isArray(value) && value.every((tool) => isObject(tool) && typeof tool.name === 'string'),
}

/** A message with tool results holds nothing else, and answers each tool use of the message before it. */
function unbalanced(messages: readonly SamplingMessage[]): string | undefined {
  let open = new Set<string>()
  for (const message of messages) {
    const blocks = blocksOf(message)
    const results = blocks.filter((block) => block.type === 'tool_result')
    if (results.length > 0 && results.length !== blocks.length) return 'tool results are mixed with other content'
    for (const result of results) {
      if (!open.delete(result.toolUseId)) return 'a tool result answers no tool use of the message before it'
    }
    if (open.size > 0) return 'a tool use has no result in the message after it'
    open = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
  }
  return undefined
}

function blocksOf(message: SamplingMessage | null): SamplingContent[] {
  const content = message?.content
  const blocks = Array.isArray(content) ? content : content === undefined ? [] : [content]
  return blocks.filter((block) => typeof block === 'object' && block !== null)
}
