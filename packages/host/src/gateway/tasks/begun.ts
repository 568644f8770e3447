/**
 * What a request comes back to: a call that waits here, a task at a server that another process began, or nothing yet. Rounds of
 * input and tasks are the same in this. What was begun and cannot be found again is never begun a second time: it may have
 * had its effect.
 */

import { randomUUID } from 'node:crypto'
import { taskStandingOf } from '@portico/sdk/internal'
import { type AskingContext, RpcError } from '@portico/sdk/server'
import { HostError } from '../../errors.ts'
import type { Parking } from '../call/parking.ts'
import type { RelayedCall } from '../call/relayed-call.ts'
import { callerOf } from '../views/toolset.ts'
import { keepHere, STEPS, type UpstreamTask } from './noted.ts'

/** What was begun: a call that waits; a task at the server; or nothing. With the name that the call is to have, if it has one. */
export type Begun =
  | { readonly kind: 'call'; readonly call: RelayedCall }
  | { readonly kind: 'task'; readonly task: UpstreamTask; readonly id: string | undefined }
  | { readonly kind: 'nothing'; readonly id: string | undefined }

/** Finds what was begun for this request at a server; throws where it is lost. */
export async function findBegun(ctx: AskingContext, server: string, parking: Parking): Promise<Begun> {
  if (!ctx.resumed && ctx.task === undefined) return NOTHING
  // Only this module and the call itself write under these names.
  const id = stepOf(ctx, STEPS.call) as string | undefined
  const call = id === undefined ? undefined : parking.take(id, callerOf(ctx)?.id)
  if (call !== undefined) {
    keepHere(ctx, parking.replica)
    return { kind: 'call', call }
  }
  const task = stepOf(ctx, STEPS.task) as UpstreamTask | undefined
  // The server may be another one under the same name of a tool.
  if (task !== undefined && task.server === server) return { kind: 'task', task, id }
  if (ctx.task === undefined) {
    if (id !== undefined) throw gone()
    const own = await ctx.step(STEPS.call, (_again) => randomUUID())
    keepHere(ctx, parking.replica)
    return { kind: 'nothing', id: own }
  }
  if (ctx.resumed || stepOf(ctx, STEPS.sent) !== undefined) throw lost(server)
  await ctx.step(STEPS.sent, (_again) => true)
  return NOTHING
}

const NOTHING: Begun = { kind: 'nothing', id: undefined }

function stepOf(ctx: AskingContext, name: string): unknown {
  return taskStandingOf(ctx).run?.known(name)
}

const INVALID_PARAMS = -32602

function gone(): RpcError {
  const reason =
    'belongs to a call that does not wait at this process of the gateway: it is over, waited too long, or waits or ' +
    'waited at another process. What it does may have happened: look first, and send the request anew without requestState and ' +
    'inputResponses only if it has not; where several processes serve the gateway, give them one place for their state'
  return new RpcError(INVALID_PARAMS, `Invalid params: requestState ${reason}`, { parameter: 'requestState', reason })
}

function lost(server: string): HostError {
  const remedy = 'What it does may have happened: look first, and call again only if it has not.'
  const message = `The gateway was started anew while the server "${server}" worked on this, and the answer is lost`
  return new HostError('unavailable', message, { data: { remedy } })
}
