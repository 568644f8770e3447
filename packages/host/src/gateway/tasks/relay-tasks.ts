/**
 * Tasks in the gateway's answers: which calls may become one, how a server's own are carried on, and who may ask about them. The
 * engine is that of every SDK server; a task's work is the call of a tool, as without tasks.
 */

import type { Client, RequestOptions } from '@portico/sdk/client'
import { type TaskStanding, taskStandingOf } from '@portico/sdk/internal'
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

/** Calls a tool at its server, and follows the task that it may answer with. */
export async function callUpstream(
  client: Client,
  { params, options, support }: ToolRequest,
  call: RelayedCall,
  ctx: AskingContext,
): Promise<CallToolResult> {
  const task = support === undefined ? undefined : taskParam(client, support, canBeTask(taskStandingOf(ctx)))
  const answer = await client.request('tools/call', task === undefined ? params : { ...params, task }, options)
  if (answer.resultType === 'task' || task !== undefined) {
    const taskId = createdIn(answer, client, task !== undefined)
    if (taskId !== undefined) {
      const created = { server: call.server, taskId }
      // A server of the newest revision decides by itself that something takes long; an older one was asked for a task.
      await call.accepted(created, task === undefined).catch((error: unknown) => {
        // It was cancelled meanwhile, or taken over by another process that knows nothing of this.
        endTask(client, created)
        throw error
      })
      return followTask(call, client, created, options)
    }
  }
  // What the server sent passes on as it came.
  return (Array.isArray(answer.content) ? answer : { ...answer, content: [] }) as unknown as CallToolResult
}

function canBeTask({ detached, leave }: TaskStanding): boolean {
  return detached !== undefined || leave !== undefined
}

/** What a task is asked about for: to end it is never refused, whatever the rules say by now. */
export function endsTask({ method }: RequestContext): boolean {
  return method === 'tasks/cancel'
}
