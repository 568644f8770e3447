/** A gateway before the server of this suite, with its tasks in a store. */

import { defineServer } from '@portico/host/config'
import { createGateway, type Gateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import type { Bus, Store } from '@portico/sdk/state'
import { SERVER_NAME } from './kill-server.ts'

/** Longer than that of the server: a busy machine that is late loses what was sent and not yet noted, and says so. */
const LEASE_MS = 4000

interface KillGateway {
  readonly gateway: Gateway
  close(): Promise<void>
}

export async function createKillGateway(store: Store, bus: Bus, url: string, ttlMs?: number): Promise<KillGateway> {
  const upstreams = createUpstreams({ watchdog: false })
  const catalogue = createCatalogue(upstreams, { patienceMs: 30_000 })
  await upstreams.set([defineServer('far', { kind: 'http', url, headers: {} }, { tasksAfterMs: 0 })])
  await catalogue.list()
  const tasks = { store, bus, leaseMs: LEASE_MS, pollIntervalMs: 200, ...(ttlMs !== undefined && { ttlMs }) }
  const gateway = createGateway(
    { upstreams, catalogue },
    { name: SERVER_NAME, allowAnonymous: true, onError: () => {}, tasks },
  )
  return {
    gateway,
    async close() {
      await gateway.close(0)
      catalogue.close()
      await upstreams.close()
    },
  }
}
