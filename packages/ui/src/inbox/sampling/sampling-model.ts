/** A server's request to a model, as something a person can read and change: its words, and what else comes with them. */

import type { Schema } from '../form/form-model.ts'

export interface SamplingMessage {
  readonly role: string
  /** Undefined for what is no text (images, tool results): it stays as it is. */
  readonly text: string | undefined
  /** What it is, where it is no text. */
  readonly what: string
  readonly content: unknown
}

export function messagesOf(request: Schema): readonly SamplingMessage[] {
  return listOf(request.messages).map((one) => {
    const { role, content } = recordOf(one)
    const text = textOf(content)
    return {
      role: typeof role === 'string' ? role : 'unknown',
      text,
      what: text === undefined ? kindsOf(content) : 'text',
      content,
    }
  })
}

/** What comes with the words and has no place of its own on the page: tools, stop words, settings of the model. */
export function restOf(request: Schema): Schema {
  const { messages, systemPrompt, maxTokens, includeContext, ...rest } = request
  return rest
}

/** The request with changed words; everything else is as the server wrote it. */
export function withTexts(request: Schema, texts: readonly (string | undefined)[], system: string | undefined): Schema {
  const messages = listOf(request.messages).map((one, at) => {
    const text = texts[at]
    const message = recordOf(one)
    return text === undefined || text === textOf(message.content)
      ? message
      : { ...message, content: { type: 'text', text } }
  })
  return { messages, ...(system !== undefined && { systemPrompt: system }) } as Schema
}

/** The text of an answer's content, where that is all it holds. */
export function textOf(content: unknown): string | undefined {
  if (Array.isArray(content)) return content.length === 1 ? textOf(content[0]) : undefined
  const { type, text } = recordOf(content)
  return type === 'text' && typeof text === 'string' ? text : undefined
}

function kindsOf(content: unknown): string {
  const kinds = listOf(Array.isArray(content) ? content : [content]).map((one) =>
    String(recordOf(one).type ?? 'something'),
  )
  return kinds.join(', ')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function recordOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown }) : {}
}
