/**
 * Which resources somebody subscribed to, on every revision: a server that watches something only while it is wanted
 * hears here when that begins and ends. A subscription of the newest revision ends with its `subscriptions/listen`
 * request; one of an older session when the client says so, or with the session.
 */

import type { RequestContext, Server } from '@portico/sdk/server'

type Session = NonNullable<RequestContext['session']>

export interface SubscriptionWatcher {
  /** Called before the client is told that its subscription stands; a throw refuses it. */
  hold(uri: string): void | Promise<void>
  release(uri: string): void
}

export function onSubscriptions(server: Server, watcher: SubscriptionWatcher): void {
  const sessions = new WeakMap<Session, Set<string>>()
  const ofSession = (session: Session): Set<string> => {
    const known = sessions.get(session)
    if (known !== undefined) return known
    const own = new Set<string>()
    sessions.set(session, own)
    session.onClose(() => {
      for (const uri of own) watcher.release(uri)
      own.clear()
    })
    return own
  }
  // `use` is typed for the methods whose results authors alter; these results pass through untouched.
  server.use('resources/subscribe' as 'resources/read', async ({ params, ctx }, next) => {
    const result = await next()
    const own = ctx.session && ofSession(ctx.session)
    if (own === undefined || typeof params.uri !== 'string' || own.has(params.uri)) return result
    own.add(params.uri)
    try {
      await watcher.hold(params.uri)
    } catch (error) {
      own.delete(params.uri)
      throw error
    }
    return result
  })
  server.use('resources/unsubscribe' as 'resources/read', async ({ params, ctx }, next) => {
    const result = await next()
    const { uri } = params
    if (typeof uri === 'string' && ctx.session && ofSession(ctx.session).delete(uri)) watcher.release(uri)
    return result
  })
  server.use('subscriptions/listen' as 'resources/read', async ({ params, ctx }, next) => {
    const held = await holdAll(watcher, listened(params.notifications))
    try {
      ctx.signal.throwIfAborted()
      return await next()
    } finally {
      for (const uri of held) watcher.release(uri)
    }
  })
}

async function holdAll(watcher: SubscriptionWatcher, uris: readonly unknown[]): Promise<string[]> {
  const held: string[] = []
  try {
    for (const uri of uris) {
      if (typeof uri !== 'string') continue
      await watcher.hold(uri)
      held.push(uri)
    }
    return held
  } catch (error) {
    for (const uri of held) watcher.release(uri)
    throw error
  }
}

function listened(notifications: unknown): unknown[] {
  if (typeof notifications !== 'object' || notifications === null || !('resourceSubscriptions' in notifications))
    return []
  const uris = notifications.resourceSubscriptions
  return Array.isArray(uris) ? uris : []
}
