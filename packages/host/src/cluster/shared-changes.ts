/** Changes that one replica of a server announces reach the listeners and sessions of all others. */

import { changesOf, type ServerChange } from '@portico/sdk/internal'
import type { Server } from '@portico/sdk/server'
import type { Bus } from '@portico/sdk/state'
import type { Seal } from './seal.ts'

interface SharedChangesOptions {
  readonly bus: Bus
  readonly seal: Seal
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
  const { bus, seal, topic, name, onError } = options
  const hub = changesOf(server)
  const stop = await bus.subscribe(topic, (text) => {
    // What opens, a replica has sealed; anybody else who can publish there is not heard.
    const told = text === undefined ? undefined : (seal.openText(text, topic) as Told | undefined)
    if (told !== undefined && told.from !== name) hub.hear(told.change, told.principal)
  })
  hub.share = (change, principal) => {
    const told: Told = { from: name, change, ...(principal !== undefined && { principal }) }
    bus.publish(topic, seal.sealText(told, topic)).catch(onError)
  }
  return () => {
    stop()
    hub.share = undefined
  }
}
