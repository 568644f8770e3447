/**
 * Tasks in the gateway's answers: which calls may become one, how a server's own are carried on, and who may ask about them. The
 * engine is that of every SDK server; a task's work is the call of a tool, as without tasks.
 */

import type { Client, RequestOptions } from '@portico/sdk/client'
import { isObject, type TaskStanding, taskStandingOf } from '@portico/sdk/internal'
import type { AskingContext, CallToolResult, JsonObject, RequestContext } from '@portico/sdk/server'
import type { RelayedCall } from '../call/relayed-call.ts'
import { createdIn, endTask, followTask, taskParam } from './upstream-task.ts'

/** A call of a tool as it goes to a server. */
interface ToolRequest {
  readonly params: { readonly name: string; readonly arguments: JsonObject }
  readonly options: RequestOptions
  /** Whether the server has the tool run as a task (2025-11-25). */
  readonly support: unknown
}

/** Calls a tool of 2025-11-25 that may or must run as a task, as one where that is wanted. */
export async function callWithTask(
  client: Client,
  { params, options, support }: ToolRequest,
  call: RelayedCall,
  ctx: AskingContext,
): Promise<CallToolResult> {
  const task = taskParam(client, support, canBeTask(taskStandingOf(ctx)))
  const answer = await client.request('tools/call', task === undefined ? params : { ...params, task }, options)
  const isTask = answer.resultType === 'task' || (task !== undefined && isObject(answer.task))
  return isTask ? followAnswer(client, answer, options, call) : toResult(answer)
}

/** Follows the task that a server has answered with. */
export async function followAnswer(
  client: Client,
  answer: JsonObject,
  options: RequestOptions,
  call: RelayedCall,
): Promise<CallToolResult> {
  const created = { server: call.server, taskId: createdIn(answer, client) }
  // A server of the newest revision decides by itself that something takes long; an older one was asked for a task.
  await call.accepted(created, client.revision.era === 'modern').catch((error: unknown) => {
    // It was cancelled meanwhile, or taken over by another process that knows nothing of this.
    endTask(client, created)
    throw error
  })
  return followTask(call, client, created, options)
}

/** What the server sent passes on as it came. */
export function toResult(answer: JsonObject): CallToolResult {
  return (Array.isArray(answer.content) ? answer : { ...answer, content: [] }) as unknown as CallToolResult
}

function canBeTask({ detached, leave }: TaskStanding): boolean {
  return detached !== undefined || leave !== undefined
}

/** What a task is asked about for: to end it is never refused, whatever the rules say by now. */
export function endsTask({ method }: RequestContext): boolean {
  return method === 'tasks/cancel'
}
