/**
 * Between the protocol's words and the model library's: results of tools, attached resources and prompts, and sampling
 * requests become model messages, and back. Whatever comes from a server is labelled with it on the way in.
 */

import type {
  CallToolResult,
  ContentBlock,
  CreateMessageParams,
  CreateMessageResult,
  GetPromptResult,
  JsonObject,
} from '@portico/sdk/client'
import type { FilePart, ModelMessage, TextPart, ToolCallPart, ToolResultPart } from 'ai'
import { labelled, withoutLabels } from '../guard/foreign-text.ts'
import { bytesOf, type Media, mediaOf } from './media.ts'
import type { ArrivedResult, ModelToolResult } from './model-tools.ts'
import type { StepFile } from './step.ts'

type SamplingMessage = CreateMessageParams['messages'][number]
type PromptMessage = GetPromptResult['messages'][number]
type SamplingBlock = Exclude<SamplingMessage['content'], unknown[]>

/** Characters of one result that the model is given; the rest is cut with a word about it. */
const MAX_RESULT_LENGTH = 100_000

/** What the model is told of a call that became a task. */
export function toTaskMessage(
  call: ToolCallPart,
  server: string,
  { label, told }: NonNullable<ModelToolResult['task']>,
): ModelMessage {
  const words = `The call runs on its own as task ${label}. Its result will come later, in a message of its own: go on without it, and do not call again for it.`
  const value = told === undefined ? words : `${words}\n${labelled(server, cut(told))}`
  return toolMessage(call, { type: 'text', value })
}

/** What a task came to, for a message of its own. */
export function toArrivedMessage({ label, server, tool, result, problem, foreign }: ArrivedResult): ModelMessage {
  const task = `task ${label} (${withoutLabels(tool)})`
  if (result === undefined) {
    const why =
      foreign === true ? labelled(server, cut(problem ?? '')) : withoutLabels(problem ?? 'it is not known why')
    return { role: 'user', content: `[${task} ended without a result]\n${why}` }
  }
  const { content, structuredContent, isError } = result
  const data: ContentBlock[] = [{ type: 'text', text: JSON.stringify(structuredContent ?? null) }]
  const heading = isError === true ? `[${task} failed]` : `[the result of ${task}]`
  return { role: 'user', content: toContextParts(server, heading, content.length === 0 ? data : content) }
}

/** What the model is told of a call that was made; without a server, of one that the host answered itself. */
export function toToolMessage(call: ToolCallPart, server: string | undefined, result: CallToolResult): ModelMessage {
  const words = result.content.map(describeBlock).join('\n')
  const structured =
    result.structuredContent === undefined || words !== '' ? '' : JSON.stringify(result.structuredContent)
  const shown = cut(words === '' ? structured : words)
  const text = server === undefined ? withoutLabels(shown) : labelled(server, shown)
  const media = result.content.flatMap((block) => mediaOf(block) ?? [])
  const output: ToolResultPart['output'] =
    media.length === 0
      ? { type: result.isError === true ? 'error-text' : 'text', value: text }
      : { type: 'content', value: [{ type: 'text', text }, ...media.map(toResultPiece)] }
  return toolMessage(call, output)
}

function toResultPiece({ data, mediaType }: Media) {
  const type = mediaType.startsWith('image/') ? ('image-data' as const) : ('file-data' as const)
  return { type, data, mediaType }
}

/** What the model is told of a call that was not made, or failed; with a server, in the server's words. */
export function toRefusal(call: ToolCallPart, reason: string, server?: string): ModelMessage {
  return toolMessage(call, {
    type: 'error-text',
    value: server === undefined ? withoutLabels(reason) : labelled(server, cut(reason)),
  })
}

function toolMessage({ toolCallId, toolName }: ToolCallPart, output: ToolResultPart['output']): ModelMessage {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
}

/** A piece of context that the user attached: text, and what is no text as it came, with their origin. */
export function toContextParts(
  server: string,
  label: string,
  blocks: readonly ContentBlock[],
): (TextPart | FilePart)[] {
  return blocks.flatMap((block): (TextPart | FilePart)[] => {
    const text = `${withoutLabels(label)}\n${labelled(server, cut(describeBlock(block)))}`
    const media = mediaOf(block)
    return [{ type: 'text', text }, ...(media === undefined ? [] : [{ type: 'file' as const, ...media }])]
  })
}

/** A message of a prompt that the user chose and saw. What it brings along from elsewhere was not written for it. */
export function fromChosen(server: string, label: string, { role, content }: PromptMessage): ModelMessage {
  const parts: (TextPart | FilePart)[] =
    content.type === 'text'
      ? [{ type: 'text', text: withoutLabels(content.text) }]
      : toContextParts(server, label, [content])
  if (role === 'user') return { role, content: parts }
  return { role, content: parts.filter((part) => part.type === 'text') }
}

/** A block as text, as far as it has any. */
function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytesOf(block.data)} bytes]`
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`
      return `[resource ${resource.uri}, ${resource.mimeType ?? 'binary'}]`
    }
    default:
      return `[content of a kind that is not known]`
  }
}

/** A server's request as messages for the model. `filter` sees every text. */
export function fromSampling(messages: readonly SamplingMessage[], filter: (text: string) => string): ModelMessage[] {
  return messages.flatMap(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content]
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block] : []))
    const answered: ModelMessage[] = results.map((block) => ({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: block.toolUseId,
          toolName: 'tool',
          output: { type: 'text', value: filter(block.content.map(describeBlock).join('\n')) },
        },
      ],
    }))
    const rest = blocks.filter((block) => block.type !== 'tool_result')
    if (rest.length === 0) return answered
    if (role === 'assistant')
      return [...answered, { role, content: rest.flatMap((block) => assistantPart(block, filter)) }]
    return [...answered, { role: 'user', content: rest.flatMap((block) => userPart(block, filter)) }]
  })
}

function assistantPart(block: SamplingBlock, filter: (text: string) => string): (TextPart | ToolCallPart)[] {
  if (block.type === 'text') return [{ type: 'text', text: filter(block.text) }]
  if (block.type === 'tool_use') {
    return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }]
  }
  return []
}

function userPart(block: SamplingBlock, filter: (text: string) => string): (TextPart | FilePart)[] {
  if (block.type === 'text') return [{ type: 'text', text: filter(block.text) }]
  if (block.type === 'image' || block.type === 'audio') {
    return [{ type: 'file', data: block.data, mediaType: block.mimeType }]
  }
  return []
}

interface SampledStep {
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[]
  readonly finish: string
  readonly files?: readonly StepFile[]
}

/** The model's answer as the server expects it. */
export function toSamplingResult(
  model: string,
  text: string,
  { calls, finish, files = [] }: SampledStep,
): CreateMessageResult {
  const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input }))
  const words = text === '' && files.length > 0 ? [] : [{ type: 'text' as const, text }]
  const made = files.flatMap(({ data, mimeType }) => {
    const type = (['image', 'audio'] as const).find((one) => mimeType.startsWith(`${one}/`))
    return type === undefined ? [] : [{ type, data, mimeType }]
  })
  const stopReason = uses.length > 0 ? 'toolUse' : finish === 'length' ? 'maxTokens' : 'endTurn'
  const blocks = [...(uses.length > 0 && text === '' ? [] : words), ...made, ...uses]
  const [only] = blocks
  const content = blocks.length === 1 && uses.length === 0 && only !== undefined ? only : blocks
  return { role: 'assistant', content, model, stopReason }
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_LENGTH) return text
  return `${text.slice(0, MAX_RESULT_LENGTH)}\n[cut: ${text.length - MAX_RESULT_LENGTH} characters more]`
}
