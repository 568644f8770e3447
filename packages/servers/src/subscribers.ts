/**
 * Which resources somebody subscribed to, on every revision: a server that watches something only while it is wanted
 * hears here when that begins and ends. A subscription of the newest revision ends with its `subscriptions/listen`
 * request; one of an older session ends when it says so, or with the server.
 */

import type { Server } from '@portico/sdk/server'

export interface Holder {
  /** Called before the client is told that its subscription stands; a throw refuses it. */
  hold(uri: string): void | Promise<void>
  release(uri: string): void
}

export function onSubscriptions(server: Server, holder: Holder): void {
  // The object in which a session keeps what its client declared stands for the session: it is made once for each.
  const sessions = new WeakMap<object, Set<string>>()
  // `use` is typed for the methods whose results authors alter; these results pass through untouched.
  server.use('resources/subscribe' as 'resources/read', async ({ params, ctx }, next) => {
    const result = await next()
    const own = sessions.get(ctx.client.capabilities) ?? new Set()
    sessions.set(ctx.client.capabilities, own)
    if (typeof params.uri !== 'string' || own.has(params.uri)) return result
    own.add(params.uri)
    try {
      await holder.hold(params.uri)
    } catch (error) {
      own.delete(params.uri)
      throw error
    }
    return result
  })
  server.use('resources/unsubscribe' as 'resources/read', async ({ params, ctx }, next) => {
    const result = await next()
    const { uri } = params
    if (typeof uri === 'string' && sessions.get(ctx.client.capabilities)?.delete(uri)) holder.release(uri)
    return result
  })
  server.use('subscriptions/listen' as 'resources/read', async ({ params, ctx }, next) => {
    const held = await holdAll(holder, listened(params.notifications))
    try {
      ctx.signal.throwIfAborted()
      return await next()
    } finally {
      for (const uri of held) holder.release(uri)
    }
  })
}

async function holdAll(holder: Holder, uris: readonly unknown[]): Promise<string[]> {
  const held: string[] = []
  try {
    for (const uri of uris) {
      if (typeof uri !== 'string') continue
      await holder.hold(uri)
      held.push(uri)
    }
    return held
  } catch (error) {
    for (const uri of held) holder.release(uri)
    throw error
  }
}

function listened(notifications: unknown): unknown[] {
  if (typeof notifications !== 'object' || notifications === null || !('resourceSubscriptions' in notifications))
    return []
  const uris = notifications.resourceSubscriptions
  return Array.isArray(uris) ? uris : []
}
