/** Who asks, for shares and turns: the user where one is known, else the session. */

import type { RequestContext } from '@portico/sdk/server'

const names = new WeakMap<object, string>()
let count = 0

/** Undefined where there is nobody that the caller would have to be kept apart from. */
export function callerOf(ctx: Pick<RequestContext, 'principal' | 'session' | 'head'>): string | undefined {
  const { principal, session, head } = ctx
  if (principal !== undefined) return `user ${principal.id}`
  if (session === undefined) return head === undefined ? undefined : 'anybody'
  const name = names.get(session) ?? `session ${++count}`
  names.set(session, name)
  return name
}

/** For whom something is done: until when, and in whose turn. */
export interface Asker {
  readonly signal: AbortSignal
  readonly caller: string | undefined
}

export function askerOf(ctx: Pick<RequestContext, 'signal' | 'principal' | 'session' | 'head'>): Asker {
  return { signal: ctx.signal, caller: callerOf(ctx) }
}
