/**
 * One link under test: what stands behind it (`site.ts`), a client on it, and where there is a network in between, the
 * proxy that breaks it. Whatever a rig has started is gone once it is closed, and it says so if not.
 */

import { readFileSync } from 'node:fs'
import { clientCredentials } from '@portico/sdk/auth'
import { type Client, connect } from '@portico/sdk/client'
import { FaultProxy } from '@portico/sdk/testing/faults'
import { until } from '../../support/wait.ts'
import type { Version } from '../programs/gateway-plan.ts'
import { Ledger } from './ledger.ts'
import type { Link, RigOptions, Way } from './rig-options.ts'
import { holdSite, Site } from './site.ts'

export interface Closed {
  readonly ledger: Ledger
  readonly left: string[]
}

const CREDENTIALS = { clientId: 'x', clientSecret: 'y' }

export class Rig {
  readonly link: Link
  readonly way: Way
  readonly client: Client
  /** Stands on the link that is broken. */
  readonly proxy: FaultProxy | undefined
  readonly #site: Site
  readonly #isHeld: boolean

  private constructor(site: Site, client: Client, proxy: FaultProxy | undefined, isHeld: boolean) {
    this.#site = site
    this.link = site.shape.link
    this.way = site.shape.way
    this.client = client
    this.proxy = proxy
    this.#isHeld = isHeld
  }

  /** `seed` decides what neither link nor options do: the revision, and how a gateway reaches its server. */
  static async open(link: Link, options: RigOptions, seed: number): Promise<Rig> {
    const way = options.way ?? wayOf(link, seed)
    const version = options.version ?? versionOf(link, seed)
    const isGateway = link === 'L4' || link === 'L5'
    const shape = { link, way, version: link === 'L4' ? ('2026-07-28' as const) : version, options }
    const held = holdSite(shape)
    const site = await (held ?? Site.open(shape))
    const replicated = (options.replicas ?? 1) > 1
    const inFront = link !== 'L5' && (options.proxy || replicated)
    const proxy = inFront ? await FaultProxy.open(...site.ports.map((port) => ({ port }))) : site.proxy
    const port = inFront ? proxy?.port : site.ports[0]
    const url = `http://127.0.0.1:${port}/mcp`
    const { client = {} } = options
    const chosen = typeof client === 'function' ? client(url) : client
    const target = link === 'L1' ? site.command : url
    const versions = link === 'L5' ? '2026-07-28' : version
    const auth = options.tokens && link !== 'L5' ? { auth: { grant: clientCredentials(CREDENTIALS) } } : {}
    const opened = await connect(target, { negotiations: false, versions, ...auth, ...chosen })
    // What a gateway says of its tools is asked for once, and not in the middle of a fault.
    if (isGateway) await opened.listTools()
    return new Rig(site, opened, proxy, held !== undefined)
  }

  /** The tool that does the work. */
  get tool(): string {
    return this.link === 'L4' || this.link === 'L5' ? 'far_work' : 'work'
  }

  /** Whether the client itself sees the fault; else a gateway tells it. */
  get isNear(): boolean {
    return this.link !== 'L5'
  }

  /** Whether the far end is a program that listens, not one that is started by whoever uses it. */
  get listens(): boolean {
    return this.#site.peers.length > 0
  }

  get ledgerFile(): string {
    return this.#site.ledgerFile
  }

  get folder(): string {
    return this.#site.folder
  }

  /** The process at the far end of the link; for pipes, what the ledger names. */
  get pid(): number {
    return this.#site.peers[0]?.pid ?? this.server
  }

  /** The process of the server, wherever on the way to it the fault is. */
  get server(): number {
    return new Ledger(this.ledgerFile).lives.at(-1) ?? 0
  }

  /** What started the server, where that is behind pipes. */
  get wrapper(): number {
    return Number(statOf(this.server)[1])
  }

  /** Who gives the tokens, where some are asked for. */
  get issuer(): Site['issuer'] {
    return this.#site.issuer
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal)
  }

  /** Stops the process at the far end; resolves when it stands still. */
  async stop(): Promise<void> {
    const { pid } = this
    process.kill(pid, 'SIGSTOP')
    if (process.platform === 'linux') await until(() => statOf(pid)[0] === 'T', 'the process stands still')
  }

  /** Makes the gateway misbehave. */
  tell(line: string): void {
    this.#site.gateways[0]?.tell(line)
  }

  /** Resolves when the process at the far end is gone. */
  async gone(): Promise<void> {
    const [peer] = this.#site.peers
    if (peer !== undefined) await peer.gone()
  }

  /** Starts it again on the same port. Those behind pipes are started by whoever uses them. */
  async start(): Promise<void> {
    await this.#site.peers[0]?.start()
  }

  /** Once it is gone, starts it again. */
  async back(): Promise<void> {
    await this.gone()
    await this.start()
  }

  /** Ends each replica in turn, by its word, and starts it again before the next. */
  async roll(): Promise<void> {
    for (const peer of this.#site.peers) {
      process.kill(peer.pid, 'SIGTERM')
      await peer.gone()
      await peer.start()
    }
  }

  /** Closes everything; gives what was executed, and what was left behind. */
  async close(): Promise<Closed> {
    const left: string[] = []
    await this.client.close()
    const own = this.proxy === this.#site.proxy ? undefined : this.proxy
    await until(() => own === undefined || own.open === 0, 'connections').catch(() =>
      left.push(`${own?.open} connections`),
    )
    await own?.close()
    if (this.#isHeld) {
      this.#site.calm()
      // What was given up as not sent would show up within this time, if that was not true.
      await new Promise((resolve) => setTimeout(resolve, 30))
      return { ledger: new Ledger(this.ledgerFile), left }
    }
    await this.#site.close()
    const ledger = new Ledger(this.ledgerFile)
    left.push(...(await this.#site.remove()))
    return { ledger, left }
  }
}

/** Gateways reach their server by pipes in every other run, or in every third where it is their own end that breaks. */
function wayOf(link: Link, seed: number): Way {
  const isPiped = link === 'L1' || (link === 'L4' && seed % 3 === 0) || (link === 'L5' && seed % 2 === 0)
  return isPiped ? 'stdio' : 'http'
}

function versionOf(link: Link, seed: number): Version {
  if (link === 'L2') return '2026-07-28'
  if (link === 'L3') return '2025-11-25'
  // L5 changes its way with every run, so that the revision changes with every other.
  const turn = link === 'L5' ? seed >> 1 : seed
  return turn % 2 === 0 ? '2025-11-25' : '2026-07-28'
}

/** What Linux knows of a process, after its name: its state, then its parent. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
