/** Changes that one replica of a server announces reach the listeners and sessions of all others. */

import { changesOf, type ServerChange } from '@portico/sdk/internal'
import type { Server } from '@portico/sdk/server'
import type { Bus } from '@portico/sdk/state'

interface SharedChangesOptions {
  readonly bus: Bus
  readonly topic: string
  readonly name: string
  readonly onError: (error: unknown) => void
}

interface Told {
  readonly from: string
  readonly change: ServerChange
  readonly principal?: string
}

/** Shares what a server announces from now on, until the function that it gives is called. */
export async function shareServerChanges(server: Server, options: SharedChangesOptions): Promise<() => void> {
  const { bus, topic, name, onError } = options
  const hub = changesOf(server)
  const stop = await bus.subscribe(topic, (text) => {
    if (text === undefined) return
    // Only replicas publish here.
    const { from, change, principal } = JSON.parse(text) as Told
    if (from !== name) hub.hear(change, principal)
  })
  hub.share = (change, principal) => {
    const told: Told = { from: name, change, ...(principal !== undefined && { principal }) }
    bus.publish(topic, JSON.stringify(told)).catch(onError)
  }
  return () => {
    stop()
    hub.share = undefined
  }
}
