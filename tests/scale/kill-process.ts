/**
 * A process that is ended at a point of a task's life: one that calls a tool of its own and follows the task, a server, or a gateway.
 * The last two say where they listen, and end with whoever started them.
 */

import { serveGateway } from '@portico/host/gateway'
import { openState } from '@portico/host/state'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import type { ProtocolVersion } from '@portico/sdk/server'
import { callAndFollow } from './kill-caller.ts'
import { createKillGateway } from './kill-gateway.ts'
import { type Point, type Role, withKill } from './kill-points.ts'
import { ANSWERS, createKillServer, Ledger, SHORT_LIFE_MS } from './kill-server.ts'

/** What such a process is told, as JSON in its first argument. */
export interface KillOrder {
  readonly role: Role
  readonly setting: object
  /** The file of its ledger. */
  readonly path: string
  readonly point: Point
  /** The server behind a gateway. */
  readonly far?: string
  /** The revision on which an embedded caller talks. */
  readonly version: ProtocolVersion
}

// Written by this suite.
const order = JSON.parse(process.argv[2] ?? '{}') as KillOrder
const { role, path, point, version } = order
const setting = order.setting as { redis: string }
const opened = await openState('redis' in setting ? { ...setting, library: () => import('redis') } : setting)
const ledger = new Ledger(path)
const life = point.expires ? { ttlMs: SHORT_LIFE_MS } : {}
const store = withKill(opened.store, point)
const begin: { readonly [role in Role]: () => Promise<void> } = {
  worker: callHere,
  server: serveHere,
  gateway: relayHere,
}
await begin[role]()

async function callHere(): Promise<void> {
  const { server } = createKillServer(store, opened.bus, ledger, life)
  const followed = callAndFollow(await connect(server, { ...ANSWERS, versions: version }), 'work', point, ledger)
  // A caller may give a task up whose time has come before it is cleared away.
  await followed.catch((error: unknown) => {
    if (!point.expires) throw error
  })
  // Whoever comes here was not ended in time; a release may come after the result was read, and clearing away later still.
  setTimeout(() => process.exit(3), 60_000)
}

async function serveHere(): Promise<void> {
  const { server } = createKillServer(store, opened.bus, ledger, life)
  listen(await serveHttp(server, { port: 0 }))
}

async function relayHere(): Promise<void> {
  const { gateway } = await createKillGateway(store, opened.bus, order.far ?? '', life.ttlMs)
  listen(await serveGateway(gateway, { port: 0 }))
}

function listen({ url }: { readonly url: string }): void {
  console.log(url)
  process.stdin.once('end', () => process.exit()).resume()
}
