/**
 * All servers of a host: one supervised server for each entry of the configuration, side by side. Those above ask it for
 * clients and look at its views; the catalogue (`catalogue.ts`) reads what the servers offer through it.
 */

import type { Client, ConnectOptions, LogLevel } from '@portico/sdk/client'
import type { ServerConfig } from '../config/server-config.ts'
import { HostError } from '../errors.ts'
import { bounded, neutralise } from './catalogue/text.ts'
import { type LostRequests, toWireMessage, type WireMessage } from './connection/link-tap.ts'
import { Listeners } from './connection/listeners.ts'
import { createWatchdog, type Watchdog } from './connection/watchdog.ts'
import type { Degradation, DegradationWords } from './server-status.ts'
import { SupervisedServer } from './supervised-server.ts'
import type { LogSource, SupervisionOptions } from './supervision.ts'
import type { ConnectionRequest, UpstreamSource, UpstreamState, UpstreamView } from './upstream.ts'

/**
 * Options of `createUpstreams`: how entries become connections, what is asked before one is made, and how failures are
 * handled.
 */
export interface UpstreamsOptions extends SupervisionOptions {
  /** A process of its own that ends the servers' programs if this one is killed. On unless false. */
  readonly watchdog?: boolean
}

/** One line that a server has logged; `at` is in milliseconds since 1970. */
export interface UpstreamLog {
  readonly server: string
  readonly connection: string
  readonly at: number
  readonly source: LogSource
  readonly level?: LogLevel
  /** Made safe to show. */
  readonly text: string
}

/** What `upstreams.on` tells of, by the name of the event. */
export interface UpstreamEvents {
  /** A server's state, whenever it changes. */
  state: { readonly server: string; readonly state: UpstreamState }
  /** A list of a server changed, or may have while it was away. */
  change: { readonly server: string; readonly kind: 'tools' | 'resources' | 'prompts' }
  /** Servers were added, removed or configured anew. */
  servers: { readonly names: readonly string[] }
  log: UpstreamLog
  message: WireMessage
  /** Requests among those messages that get no answer any more. */
  lost: LostRequests
}

/** The servers that a host is connected to: to add, remove, restart and watch. */
export interface Upstreams extends UpstreamSource {
  /** Makes the servers these: what is new is started, what is gone ended, only what changed reconnects. */
  set(configs: readonly ServerConfig[]): Promise<void>
  add(config: ServerConfig): Promise<void>
  remove(server: string): Promise<void>
  enable(server: string): void
  disable(server: string): Promise<void>
  /** Ends its connections, forgets its failures and connects anew. */
  restart(server: string): Promise<void>
  view(server: string): UpstreamView | undefined
  /** The state alone, for those who look often. */
  state(server: string): UpstreamState | undefined
  /** Its entry of the configuration alone, for those who look at every call. */
  config(server: string): ServerConfig | undefined
  /** Notes that something is wrong with a server that is connected; undefined takes it back. */
  degrade(server: string, degradation: Degradation, words: DegradationWords | undefined): void
  on<E extends keyof UpstreamEvents>(event: E, listener: (value: UpstreamEvents[E]) => void): () => void
  close(): Promise<void>
}

/**
 * Keeps connections to any number of servers: starts them, notices when one is lost, connects it again, and ends them
 * all on `close`. It begins without servers; `set` or `add` gives it some.
 *
 * @example
 * ```ts
 * import { createUpstreams } from '@portico/host/upstream'
 * import { defineServer } from '@portico/host/config'
 *
 * const upstreams = createUpstreams()
 * await upstreams.set([defineServer('notes', { kind: 'stdio', command: 'node', args: ['notes.js'], env: {} })])
 * const client = await upstreams.client('notes')
 * await upstreams.close()
 * ```
 */
export function createUpstreams(options: UpstreamsOptions = {}): Upstreams {
  return new UpstreamSet(options)
}

class UpstreamSet implements Upstreams {
  readonly #options: UpstreamsOptions
  readonly #servers = new Map<string, SupervisedServer>()
  readonly #logs = new Map<string, LogRate>()
  readonly #listeners = new Listeners<UpstreamEvents>({
    state: true,
    change: true,
    servers: true,
    log: true,
    message: true,
    lost: true,
  })
  readonly #watchdog: Watchdog | undefined
  /** What was found out about each server's revision, so that reconnecting does not probe again. */
  readonly #negotiations: NonNullable<ConnectOptions['negotiations']> = new Map()
  #closed = false

  constructor(options: UpstreamsOptions) {
    this.#options = options
    if (options.watchdog === false) return
    this.#watchdog = createWatchdog((reason) => {
      const text = `Programs would outlive a host that is killed: ${reason}`
      this.#listeners.emit('log', { server: '', connection: '', at: Date.now(), source: 'warning', text })
    })
  }

  async client(server: string, request: ConnectionRequest = {}): Promise<Client> {
    return this.#server(server).client(request)
  }

  standing(server: string, request: ConnectionRequest): Client | undefined {
    return this.#servers.get(server)?.standing(request)
  }

  async release(server: string, request: Pick<ConnectionRequest, 'principal' | 'session'>): Promise<void> {
    await this.#servers.get(server)?.release(request)
  }

  views(): readonly UpstreamView[] {
    return [...this.#servers.values()].map((supervised) => supervised.view())
  }

  view(server: string): UpstreamView | undefined {
    return this.#servers.get(server)?.view()
  }

  state(server: string): UpstreamState | undefined {
    return this.#servers.get(server)?.state
  }

  config(server: string): ServerConfig | undefined {
    return this.#servers.get(server)?.config
  }

  async set(configs: readonly ServerConfig[]): Promise<void> {
    const wanted = new Set(configs.map(({ name }) => name))
    const gone = [...this.#servers.keys()].filter((name) => !wanted.has(name))
    const ended = gone.map((name) => this.#end(name))
    const taken = configs.map((config) => this.#take(config))
    this.#listeners.emit('servers', { names: [...this.#servers.keys()] })
    await Promise.all([...ended, ...taken])
  }

  async add(config: ServerConfig): Promise<void> {
    const taken = this.#take(config)
    this.#listeners.emit('servers', { names: [...this.#servers.keys()] })
    await taken
  }

  async remove(server: string): Promise<void> {
    const ended = this.#end(server)
    this.#listeners.emit('servers', { names: [...this.#servers.keys()] })
    await ended
  }

  enable(server: string): void {
    this.#server(server).enable()
  }

  async disable(server: string): Promise<void> {
    await this.#server(server).disable()
  }

  async restart(server: string): Promise<void> {
    await this.#server(server).restart()
  }

  degrade(server: string, degradation: Degradation, words: DegradationWords | undefined): void {
    this.#servers.get(server)?.degrade(degradation, words)
  }

  on<E extends keyof UpstreamEvents>(event: E, listener: (value: UpstreamEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all([...this.#servers.keys()].map((name) => this.#end(name)))
    this.#watchdog?.close()
  }

  #server(server: string): SupervisedServer {
    if (this.#closed) throw new HostError('closed', 'The host is closed')
    const supervised = this.#servers.get(server)
    if (supervised !== undefined) return supervised
    throw new HostError('unknown-server', `No server "${server}" is configured`, { data: { server } })
  }

  /** Puts an entry in place of the one of that name; resolves when what it replaces has ended. */
  async #take(config: ServerConfig): Promise<void> {
    if (this.#closed) throw new HostError('closed', 'The host is closed')
    const before = this.#servers.get(config.name)
    if (before?.config.fingerprint === config.fingerprint) {
      before.reconfigure(config)
      return
    }
    const ended = before === undefined ? undefined : this.#end(config.name)
    this.#servers.set(config.name, this.#createServer(config))
    // The old and the new one of a server may share a port or a file: the old one ends first.
    await ended
    this.#servers.get(config.name)?.start()
  }

  /** The text without the secrets that servers were given. */
  hide(text: string): string {
    return this.#options.hide?.(text) ?? text
  }

  #end(name: string): Promise<void> | undefined {
    const supervised = this.#servers.get(name)
    this.#servers.delete(name)
    this.#logs.delete(name)
    return supervised?.close()
  }

  #createServer(config: ServerConfig): SupervisedServer {
    const server = config.name
    const listeners = this.#listeners
    const supervised: SupervisedServer = new SupervisedServer(config, this.#options, this.#negotiations, {
      state: (state) => this.#servers.get(server) === supervised && listeners.emit('state', { server, state }),
      changed: (kind) => this.#servers.get(server) === supervised && listeners.emit('change', { server, kind }),
      log: (connection, source, text, level) => this.#log({ server, connection, source, level }, text),
      started: (process) => this.#watchdog?.watch(process),
      isTapped: () => listeners.has('message'),
      tap: (connection, direction, message) =>
        listeners.emit('message', toWireMessage(server, connection, direction, message)),
      lost: (connection, id, reason, cancelled = false) =>
        listeners.emit('lost', {
          server,
          connection,
          at: Date.now(),
          ...(id !== undefined && { id }),
          // It may quote what a server wrote.
          reason: neutralise(bounded(reason, MAX_REASON)).text,
          cancelled,
        }),
    })
    return supervised
  }

  #log({ server, connection, source, level }: Omit<UpstreamLog, 'at' | 'text'>, text: string): void {
    if (!this.#listeners.has('log')) return
    const rate = this.#logs.get(server) ?? new LogRate()
    this.#logs.set(server, rate)
    const dropped = rate.admit()
    if (dropped === undefined) return
    const entry = { server, connection, at: Date.now(), source, ...(level !== undefined && { level }) }
    if (dropped > 0)
      this.#listeners.emit('log', { ...entry, source: 'warning', text: `${dropped} lines were left out` })
    this.#listeners.emit('log', { ...entry, text: this.hide(neutralise(bounded(text, MAX_LINE)).text) })
  }
}

const MAX_LINE = 4_096
const MAX_REASON = 500
const LINES_PER_SECOND = 200

/** Lets so many lines through in a second; the rest is counted. */
class LogRate {
  #second = 0
  #lines = 0
  #dropped = 0

  /** Undefined when the line is one too many; otherwise how many were before it. */
  admit(): number | undefined {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#lines = 0
    }
    if (++this.#lines > LINES_PER_SECOND) {
      this.#dropped++
      return undefined
    }
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}
