/** Tasks as a host shows them, and what it hands over when one is over. */

import type { CallToolResult, JsonObject } from '@portico/sdk/client'
import type { KeptTask, TaskState, TaskStep } from './task-book.ts'

/** A task that a host began: a call that its server works on by itself. */
export interface HostTask {
  /** Names it for people, models and `host.tasks`. The id that its server gave it stays in the host. */
  readonly label: string
  readonly server: string
  readonly tool: string
  /** `core` is a task of 2025-11-25, `extension` one of 2026-07-28. */
  readonly generation: 'core' | 'extension'
  readonly status: TaskState
  /** What the server says about it, made safe to show. */
  readonly message?: string
  /** The conversation or command that it is part of. */
  readonly session?: string
  readonly arguments?: JsonObject
  /** Milliseconds since 1970, like the other times. */
  readonly startedAt: number
  readonly updatedAt: number
  /** From then on its server may have forgotten it. */
  readonly expiresAt?: number
  /** How it stood before, the oldest first; the last of them where there were many. */
  readonly history: readonly TaskStep[]
  /** The question in the inbox that it waits for. */
  readonly question?: string
  /** This host follows it now. */
  readonly followed: boolean
  /** Its result has reached the conversation. */
  readonly delivered: boolean
}

/** What has come of a task, for the conversation that it belongs to. */
export interface TaskArrival {
  readonly task: HostTask
  readonly result?: CallToolResult
  /** Why there is no result. */
  readonly problem?: string
  /** The problem is told in the words of the server. */
  readonly foreign?: boolean
}

export function toHostTask(kept: KeptTask, now: Pick<HostTask, 'followed' | 'question'>): HostTask {
  const { label, server, tool, generation, status, message, startedAt, updatedAt, expiresAt, call } = kept
  return {
    label,
    server,
    tool,
    generation,
    status,
    ...(message !== undefined && { message }),
    ...(call !== undefined && { session: call.session, arguments: call.arguments }),
    startedAt,
    updatedAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(now.question !== undefined && { question: now.question }),
    history: kept.history ?? [],
    followed: now.followed,
    delivered: kept.delivered === true,
  }
}
