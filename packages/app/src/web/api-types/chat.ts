/** `chat.*`: conversations, the models that answer in them, and what goes along with a message. */

import type { CallToolResult, GetPromptResult, JsonObject } from '@portico/sdk/client'
import type { Method } from './method.ts'

export interface ChatApi {
  'chat.models': Method<{}, { readonly models: readonly ModelChoice[]; readonly hint: string }>
  'chat.addModel': Method<{
    readonly id: string
    readonly url: string
    readonly model: string
    readonly keyVariable?: string
  }>
  'chat.list': Method<{}, { readonly chats: readonly ChatSummary[] }>
  'chat.open': Method<{ readonly id: string }, Chat>
  'chat.create': Method<{ readonly model?: string; readonly tour?: boolean; readonly project?: string }, Chat>
  /** Named sets of servers, resources, instructions and rules, as configured. */
  'chat.projects': Method<{}, { readonly projects: readonly ProjectView[] }>
  /** A resource goes along with every message from now on, or no longer. */
  'chat.pin': Method<
    { readonly id: string; readonly pin: Pin; readonly on: boolean },
    { readonly pins: readonly Pin[] }
  >
  'chat.send': Method<{
    readonly id: string
    readonly text: string
    readonly attachments?: readonly Attachment[]
    readonly model?: string
  }>
  'chat.cancel': Method<{ readonly id: string }>
  'chat.delete': Method<{ readonly id: string }>
}

export interface ModelChoice {
  readonly id: string
  readonly label: string
  readonly provider: string
  /** Why it is in the list: a key in the environment, a local Ollama, configured. */
  readonly source: string
  readonly usable: boolean
  readonly remedy?: string
}

export interface Attachment {
  readonly kind: 'resource' | 'prompt'
  readonly server: string
  readonly name: string
  readonly arguments?: { readonly [name: string]: string }
  /** A prompt's messages as the person has seen them: what is still the same is said with its roles. */
  readonly seen?: GetPromptResult['messages']
}

/** A resource that goes along with every message of a conversation, as it is then. */
export interface Pin {
  readonly server: string
  /** As its server calls it. */
  readonly uri: string
}

export interface ProjectView {
  readonly name: string
  /** All unless given. */
  readonly servers?: readonly string[]
  readonly attached: readonly Pin[]
  readonly instructions?: string
  /** How many rules of its own it has. */
  readonly rules: number
}

export interface ChatSummary {
  readonly id: string
  readonly title: string
  readonly model?: string
  readonly at: number
  /** Played from a script through the real loop. */
  readonly tour: boolean
  readonly project?: string
}

export interface Chat extends ChatSummary {
  readonly parts: readonly ChatPart[]
  readonly usage: ChatUsage
  readonly busy: boolean
  readonly pins: readonly Pin[]
}

export type ChatPart =
  | { readonly id: string; readonly kind: 'user'; readonly text: string; readonly attachments: readonly AttachedView[] }
  | { readonly id: string; readonly kind: 'assistant'; readonly text: string; readonly streaming: boolean }
  | {
      readonly id: string
      readonly kind: 'tool'
      readonly name: string
      readonly server: string
      readonly arguments: JsonObject
      readonly status: 'waiting' | 'running' | 'ok' | 'error' | 'denied' | 'cancelled' | 'task'
      /** Why it was asked, or let through. */
      readonly reason?: string
      /** The question in the inbox that it waits for. */
      readonly question?: string
      /** The task that it became; its result comes later. */
      readonly task?: string
      readonly result?: CallToolResult
      readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
      readonly durationMs?: number
    }
  | {
      readonly id: string
      readonly kind: 'notice'
      readonly level: 'info' | 'warning' | 'error'
      readonly text: string
      readonly remedy?: string
    }

export interface AttachedView {
  readonly label: string
  readonly server: string
  readonly bytes: number
}

export interface ChatUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly steps: number
  /** In US dollars, where the model's price is known. */
  readonly cost?: number
  readonly budget?: { readonly steps?: number; readonly tokens?: number; readonly cost?: number }
}

/** A part that is new or changed as a whole; `delta` is text to append to an assistant part. */
export type ChatEvent =
  | { readonly type: 'part'; readonly part: ChatPart }
  | { readonly type: 'delta'; readonly part: string; readonly text: string }
  | { readonly type: 'usage'; readonly usage: ChatUsage }
  | { readonly type: 'busy'; readonly busy: boolean }
  | { readonly type: 'title'; readonly title: string }
