/**
 * What a conversation may do in the world, as the host gives it: the tools on offer, and a way to call one that passes
 * the guard. The loop knows servers only by the names it is told here.
 */

import type { CallToolResult, JsonObject, Progress } from '@portico/sdk/client'
import type { OfferedTool } from './step.ts'

/** A tool call that a conversation wants to be made. */
export interface ModelToolCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  /** Told when a person is being asked, and when no longer: their time is not the turn's. */
  readonly onWaiting: (question: string | undefined) => void
}

/** What came of a tool call: the result, and what was sent to which server. */
export interface ModelToolResult {
  readonly result: CallToolResult
  /** The server that answered; its data is in the context from now on. Undefined where the host itself did. */
  readonly server: string | undefined
  /** The arguments that were sent, where a person edited them. */
  readonly arguments: JsonObject
  /** Why it was let through. */
  readonly reason: string
  /** The call became a task, whose result comes later: `result` is empty. */
  readonly task?: {
    readonly label: string
    /** What the server wants the model to be told meanwhile. */
    readonly told?: string
  }
}

/** What a task has come to that began as a call of the model. */
export interface ArrivedResult {
  readonly label: string
  readonly server: string
  readonly tool: string
  readonly result?: CallToolResult
  /** Why there is no result. */
  readonly problem?: string
  /** The problem is told in the words of the server. */
  readonly foreign?: boolean
}

/** What gives a conversation its tools: it offers them, and makes the calls that the model wants. */
export interface ModelTools {
  /** Awaited before a turn begins: servers that are just starting get a moment, those that are dead do not get more. */
  ready?(signal: AbortSignal): Promise<void>
  /** As they are now; asked before every step, so that what comes later is there in the next. */
  tools(): readonly OfferedTool[]
  /** The server behind a call, for display before it is made; undefined where the host answers itself. */
  serverOf(name: string, args: JsonObject): string | undefined
  /** Rejects with `denied` and the like; what the model is told of it is the error's message. */
  call(call: ModelToolCall): Promise<ModelToolResult>
  /** What connected servers say about how to use them, by server. */
  instructions(): readonly { readonly server: string; readonly text: string }[]
}
