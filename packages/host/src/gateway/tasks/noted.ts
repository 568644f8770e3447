/** What a later run of a call, in this process or another, knows an earlier one by. */

import type { AskingContext } from '@portico/sdk/server'

/** The names of the steps: the call that waits here, that it was sent at all, and the task that the server made of it. */
export const STEPS = { call: 'relayed', sent: 'sent', task: 'upstream' } as const

/** A task at a server, as it is noted. Nobody outside learns its id. */
export interface UpstreamTask {
  readonly server: string
  readonly taskId: string
}

/** Notes the server's task where a later run can find it, if there can be one. */
export async function noteTask(ctx: AskingContext, task: UpstreamTask): Promise<void> {
  if (ctx.session === undefined || ctx.task !== undefined) await ctx.step(STEPS.task, (_again) => task)
}
