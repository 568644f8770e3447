/** The sessions of a gateway on all ports that serve it in this process, for those who run it. */

import type { HttpServer, OpenSession } from '@portico/sdk/http'
import type { Gateway } from '../gateway.ts'

type Sessions = Pick<HttpServer, 'sessions' | 'endSession'>

const served = new WeakMap<Gateway, Set<Sessions>>()

/** From now on the sessions of this port count, until the function that it gives is called. */
export function addServed(gateway: Gateway, sessions: Sessions): () => void {
  const all = served.get(gateway) ?? new Set()
  served.set(gateway, all.add(sessions))
  return () => all.delete(sessions)
}

export function sessionsOf(gateway: Gateway): readonly OpenSession[] {
  return [...(served.get(gateway) ?? [])].flatMap((one) => one.sessions())
}

/** False where none has that name. */
export async function endSessionOf(gateway: Gateway, name: string): Promise<boolean> {
  for (const one of served.get(gateway) ?? []) if (await one.endSession(name)) return true
  return false
}
