/**
 * Several processes that serve one server together: any of them takes any request, behind whatever divides requests among
 * them. `createCluster` makes one process a replica; `sharing` of `serveHttp` and `serveGateway` puts its sessions in common.
 */

import { randomBytes } from 'node:crypto'
import {
  createFaultPrinter,
  type SessionSharing,
  type SharedEndpoint,
  type SharedSessions,
} from '@portico/sdk/internal'
import { PorticoError, type RoundStore, type Server } from '@portico/sdk/server'
import type { Bus, Store } from '@portico/sdk/state'
import { callListener } from '../config/call-listener.ts'
import { type Door, type DoorOptions, openDoor } from './door.ts'
import { Forwarder } from './forward.ts'
import { HeldSessions } from './held-sessions.ts'
import { KeptEvents } from './kept-events.ts'
import { createProofMemory } from './proof-memory.ts'
import { ReplicaRows, type ReplicaView } from './replica-rows.ts'
import { Routes } from './routes.ts'
import { deriveKey, Seal } from './seal.ts'
import { SessionBook } from './session-book.ts'
import { shareServerChanges } from './shared-changes.ts'
import { createSharedRounds } from './shared-rounds.ts'

/** What the replicas of a cluster share, and where this one is reached by the others. */
export interface ClusterOptions {
  /** Where sessions are kept: the same place for all replicas. See `openState`. */
  readonly store: Store
  /** How replicas wake each other: on the same place. */
  readonly bus: Bus
  /** Tells clusters in one place apart; `portico` unless given. Small letters, digits and dashes. */
  readonly name?: string
  /**
   * 32-byte keys that all replicas have, newest first: they seal what is kept and what replicas send each other. Without
   * them one is made and kept in the store itself, where whoever reads the store reads it too.
   */
  readonly keys?: readonly Uint8Array[]
  /** Where the other replicas reach this one. Only those of this machine reach the default, a free port of 127.0.0.1. */
  readonly door?: DoorOptions
  /** How long after its last sign of life a replica is taken to be gone; 10 seconds unless given. */
  readonly leaseMs?: number
  /** How long a replica that goes down serves on while whoever divides requests takes notice; 1 second unless given. */
  readonly drainMs?: number
  /** Hears what went wrong in the background: the store is away, a row was altered. */
  readonly onError?: (error: unknown) => void
}

/** This process as one replica of several. */
export interface Cluster {
  /** The name of this replica, another one with every start. */
  readonly replica: string
  /** For `serveHttp(server, { sharing })` and `serveGateway(gateway, { sharing })`, once: legacy sessions in common. */
  readonly sharing: SessionSharing
  /** For `createServer` (and `createGateway`'s `server`): rounds of input that run once over all replicas, sealed alike. */
  readonly server: { readonly roundStore: RoundStore; readonly stateKeys: readonly Uint8Array[] }
  /** For `requireBearer({ dpop: { ...cluster.dpop } })`: a proof that one replica has seen is refused by all. */
  readonly dpop: { readonly nonceKey: Uint8Array; readonly isNew: (proof: string, keepMs: number) => Promise<boolean> }
  /** Whether this replica knows that its sessions are its own; false while the store is away for longer than the lease. */
  ready(): boolean
  /** All replicas that are there at present. */
  replicas(): Promise<readonly ReplicaView[]>
  /**
   * Lets what this server announces (`changed`, `notify`) reach the listeners and sessions of all replicas, until the
   * function that it gives is called. Not for a gateway, where each replica hears its servers itself.
   */
  shareChanges(server: Server): Promise<() => void>
  /** Ends this replica's part. Close the server first, which hands its sessions over; store and bus stay open. */
  close(): Promise<void>
}

/**
 * Makes this process a replica: any number of them, behind anything that divides requests among them, look like one server
 * on every revision. A request for a session that another replica has is passed to it; the sessions of a replica that ended
 * are taken up by whoever is asked for them.
 *
 * @example
 * ```ts
 * import { createCluster } from '@portico/host/cluster'
 * import { openState } from '@portico/host/state'
 * import { serveHttp } from '@portico/sdk/http'
 * import { createServer } from '@portico/sdk/server'
 *
 * const { store, bus, close } = await openState({ redis: 'redis://127.0.0.1:6379' })
 * const cluster = await createCluster({ store, bus, door: { host: '10.0.3.7', port: 4100 } })
 * const server = createServer({ name: 'weather', version: '1.0.0', ...cluster.server })
 * await cluster.shareChanges(server)
 * const http = await serveHttp(server, { port: 3000, sharing: cluster.sharing })
 * process.once('SIGTERM', async () => {
 *   await http.close()
 *   await cluster.close()
 *   await close()
 * })
 * ```
 */
export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { name = 'portico' } = options
  if (!/^[a-z0-9-]{1,40}$/.test(name)) {
    throw new PorticoError(
      'invalid-definition',
      'The name of a cluster has small letters, digits and dashes, 40 at most',
    )
  }
  const prefix = `cluster/${name}/`
  const keys = options.keys ?? [await sharedKey(options.store, `${prefix}key`)]
  if (keys.length === 0 || keys.some(({ length }) => length !== KEY_BYTES)) {
    throw new PorticoError('invalid-definition', `keys of a cluster have exactly ${KEY_BYTES} bytes, one at least`)
  }
  const replica = new Replica(options, prefix, keys)
  await replica.start()
  return replica
}

const KEY_BYTES = 32
const LEASE_MS = 10_000
const DRAIN_MS = 1_000
/** A row outlives its session a little, so that it can be written again in time. */
const ROW_FACTOR = 1.5
const AGAIN_SHARE = 4

/** The first replica makes the key, all others find it. */
async function sharedKey(store: Store, key: string): Promise<Uint8Array> {
  const own = randomBytes(KEY_BYTES)
  if ((await store.write([{ key, value: own.toString('base64url'), ifVersion: 0 }])) !== undefined) return own
  const kept = await store.get(key)
  return Buffer.from(kept?.value ?? '', 'base64url')
}

class Replica implements Cluster {
  readonly replica = randomBytes(8).toString('hex')
  readonly sharing: SessionSharing
  readonly server: Cluster['server']
  readonly dpop: Cluster['dpop']
  readonly #options: ClusterOptions
  readonly #print = toStandardError()
  readonly #prefix: string
  readonly #rows: Seal
  readonly #hops: Seal
  readonly #replicas: ReplicaRows
  readonly #events: KeptEvents
  readonly #forwarder: Forwarder
  #routes: Routes | undefined
  #held: HeldSessions | undefined
  #door: Door | undefined
  #unsubscribe: (() => void) | undefined

  constructor(options: ClusterOptions, prefix: string, keys: readonly Uint8Array[]) {
    const { store, bus, leaseMs = LEASE_MS } = options
    const onError = (error: unknown): void => this.#report(error)
    const seal = new Seal(keys, 'rows')
    const name = this.replica
    this.#options = options
    this.#prefix = prefix
    this.#rows = seal
    this.#hops = new Seal(keys, 'hops')
    this.#forwarder = new Forwarder(this.#hops)
    this.#events = new KeptEvents({ store, seal, prefix, onError })
    const sessions = (): number => this.#held?.size ?? 0
    const regained = (): void => this.#held?.confirmAll()
    this.#replicas = new ReplicaRows({ store, seal, prefix, name, leaseMs, sessions, regained, onError })
    this.server = { roundStore: createSharedRounds({ store, bus, seal, prefix, onError }), stateKeys: keys }
    const [newest = new Uint8Array()] = keys
    this.dpop = { nonceKey: deriveKey(newest, '', 'nonces'), isNew: createProofMemory(store, prefix) }
    this.sharing = {
      events: (limits) => this.#events.factory(limits),
      attach: (endpoint) => this.#attach(endpoint),
    }
  }

  async start(): Promise<void> {
    const { bus, door } = this.#options
    const topic = this.#topic(this.replica)
    const options = { ...door, name: this.replica }
    this.#door = await openDoor(options, this.#hops, (request, hop) => {
      if (this.#routes === undefined) request.moved()
      else this.#routes.receive(request, hop)
    })
    await this.#replicas.start(this.#door.url)
    bus
      .subscribe(topic, (text) => {
        const id = text === undefined ? undefined : this.#rows.openText(text, topic)
        if (typeof id === 'string') this.#routes?.taken(id)
      })
      .then(
        (stop) => {
          this.#unsubscribe = stop
        },
        (error: unknown) => this.#report(error),
      )
  }

  ready(): boolean {
    return this.#replicas.valid && !this.#replicas.leaving
  }

  replicas(): Promise<readonly ReplicaView[]> {
    return this.#replicas.all()
  }

  shareChanges(server: Server): Promise<() => void> {
    const { bus } = this.#options
    const topic = `${this.#prefix}changes`
    const onError = (error: unknown): void => this.#report(error)
    return shareServerChanges(server, { bus, seal: this.#rows, topic, name: this.replica, onError })
  }

  async close(): Promise<void> {
    this.#unsubscribe?.()
    await this.#routes?.left()
    if (this.#routes === undefined) await this.#replicas.close().catch((error: unknown) => this.#report(error))
    this.#forwarder.close()
    await this.#door?.close()
  }

  #attach(shared: SharedEndpoint): SharedSessions {
    if (this.#routes !== undefined) throw new PorticoError('invalid-definition', 'A cluster shares one server')
    const { store, bus, drainMs = DRAIN_MS, leaseMs = LEASE_MS } = this.#options
    const ttlMs = Math.ceil(shared.settings.limits.sessionIdleMs * ROW_FACTOR)
    const book = new SessionBook(store, this.#rows, this.#prefix, ttlMs)
    const parts = { name: this.replica, shared, replicas: this.#replicas, book }
    const held = new HeldSessions({ ...parts, againMs: Math.ceil(ttlMs / AGAIN_SHARE), lookMs: leaseMs / 2 })
    this.#held = held
    const tellTaken = (replica: string, id: string): void => {
      const topic = this.#topic(replica)
      bus.publish(topic, this.#rows.sealText(id, topic)).catch((error: unknown) => this.#report(error))
    }
    this.#routes = new Routes({ ...parts, held, events: this.#events, forwarder: this.#forwarder, drainMs, tellTaken })
    return this.#routes
  }

  #topic(replica: string): string {
    return `${this.#prefix}taken/${replica}`
  }

  #report(error: unknown): void {
    callListener(this.#options.onError ?? this.#print, error)
  }
}

function toStandardError(): (error: unknown) => void {
  const print = createFaultPrinter()
  return (error) => print('[portico cluster]', error)
}
