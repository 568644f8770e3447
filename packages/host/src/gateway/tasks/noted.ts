/** What a later run of a call, in this process or another, knows an earlier one by. */

import { taskStandingOf } from '@portico/sdk/internal'
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

/** The next round has to come to this process, where there are several: its name goes along with the state. */
export function keepHere(ctx: AskingContext, replica: string | undefined): void {
  const { run } = taskStandingOf(ctx)
  if (run !== undefined && replica !== undefined) run.process = replica
}

/** Notes the call that waits here, and that it does so here. */
export async function noteCall(ctx: AskingContext, id: string, replica: string | undefined): Promise<void> {
  await ctx.step(STEPS.call, (_again) => id)
  keepHere(ctx, replica)
}
