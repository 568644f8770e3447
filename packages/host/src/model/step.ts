/**
 * One request to a model, streamed: text as it comes, the tool calls it ends with, what it cost. Conversations and
 * sampling are both made of these; who executes the calls is decided above.
 */

import type { JsonObject } from '@portico/sdk/server'
import type { LanguageModel, ModelMessage, ToolSet } from 'ai'
import { callListener } from '../config/call-listener.ts'
import { modelFailed } from './model-failure.ts'

/** A tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonObject
}

interface StepOptions {
  readonly model: LanguageModel
  readonly system?: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly OfferedTool[]
  readonly toolChoice?: 'auto' | 'none' | 'required'
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  /** Goes along to the provider, which may keep it with the request. */
  readonly metadata?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
  /** How often a failed request is made again. */
  readonly retries?: number
  readonly onText?: (delta: string) => void
}

export interface StepCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  /** What is wrong with the call, where the model made it wrongly. */
  readonly problem?: string
}

export interface StepFile {
  /** In base64. */
  readonly data: string
  readonly mimeType: string
}

interface StepResult {
  readonly text: string
  readonly calls: readonly StepCall[]
  /** Pictures and sounds that the model made. */
  readonly files: readonly StepFile[]
  readonly finish: string
  readonly tokens: { readonly input: number; readonly output: number }
  /** What the model said, as messages for the next step. */
  readonly messages: readonly ModelMessage[]
}

const MAX_CALLS = 64
const MAX_FILES = 16

/** Rejects with `model-failed`, or with the signal's reason when it was cancelled. */
export async function runStep(options: StepOptions): Promise<StepResult> {
  const { streamText } = await import('ai')
  const { model, system, messages, signal, retries = 2 } = options
  let failure: unknown
  const stream = streamText({
    model,
    system,
    messages: [...messages],
    tools: await toToolSet(options.tools),
    toolChoice: options.tools.length === 0 ? undefined : (options.toolChoice ?? 'auto'),
    maxOutputTokens: options.maxOutputTokens,
    temperature: options.temperature,
    stopSequences: options.stopSequences === undefined ? undefined : [...options.stopSequences],
    providerOptions: toProviderOptions(model, options.metadata),
    abortSignal: signal,
    maxRetries: retries,
    // Errors come through the stream below; the library would print them as well.
    onError: () => {},
  })
  let text = ''
  const calls: StepCall[] = []
  const files: StepFile[] = []
  for await (const part of stream.fullStream) {
    if (part.type === 'text-delta') {
      text += part.text
      callListener(options.onText, part.text)
    } else if (part.type === 'tool-call') {
      if (calls.length < MAX_CALLS) calls.push(readCall(part))
    } else if (part.type === 'file') {
      if (files.length < MAX_FILES) files.push({ data: part.file.base64, mimeType: part.file.mediaType })
    } else if (part.type === 'error') failure ??= part.error
  }
  signal?.throwIfAborted()
  if (failure !== undefined) throw modelFailed(failure)
  const usage = await stream.totalUsage
  const response = await stream.response
  return {
    text,
    calls,
    files,
    finish: await stream.finishReason,
    tokens: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 },
    // Results of calls are written by whoever makes the calls.
    messages: response.messages.filter(({ role }) => role === 'assistant'),
  }
}

/** Under the name that the provider reads its own options by, and as metadata alone: nothing else can be set this way. */
function toProviderOptions(model: LanguageModel, metadata: StepOptions['metadata']) {
  if (metadata === undefined || typeof model === 'string') return undefined
  const [name = ''] = model.provider.split('.')
  return { [name]: { metadata: { ...metadata } } }
}

async function toToolSet(tools: readonly OfferedTool[]): Promise<ToolSet | undefined> {
  if (tools.length === 0) return undefined
  const { jsonSchema, tool } = await import('ai')
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  )
}

function readCall(part: {
  toolCallId: string
  toolName: string
  input: unknown
  invalid?: boolean
  error?: unknown
}): StepCall {
  const { toolCallId: id, toolName: name, input } = part
  if (part.invalid === true) {
    return { id, name, input: {}, problem: part.error instanceof Error ? part.error.message : 'The call is not valid' }
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { id, name, input: {}, problem: 'The arguments are not an object' }
  }
  // An object that is no array is what a JSON object is.
  return { id, name, input: input as JsonObject }
}
