/**
 * What stands behind a client: the server and its ledger, for two links a gateway before it, and the proxy between gateway
 * and server where that is what breaks. A site outlives a run whose fault leaves it whole.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FaultProxy } from '@portico/sdk/testing/faults'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/wait.ts'
import type { GatewayPlan, Version } from '../programs/gateway-plan.ts'
import { createTokenIssuer, type TokenIssuer } from '../programs/issuer.ts'
import { programPath } from './bundle.ts'
import { Program } from './program.ts'
import type { Command, Link, RigOptions, Way } from './rig-options.ts'

export interface Shape {
  readonly link: Link
  readonly way: Way
  /** Between the gateway and the server. */
  readonly version: Version
  readonly options: RigOptions
}

export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-faults-'))
  readonly shape: Shape
  /** The servers that listen; none for pipes. */
  readonly servers: Program[] = []
  readonly gateways: Program[] = []
  /** Between the gateway and the server. */
  proxy: FaultProxy | undefined
  /** Who gives the tokens, where some are asked for. */
  issuer: TokenIssuer | undefined
  readonly #ports: number[] = []
  readonly #gatewayPorts: number[] = []

  private constructor(shape: Shape) {
    this.shape = shape
    writeFileSync(this.ledgerFile, '')
  }

  static async open(shape: Shape): Promise<Site> {
    const site = new Site(shape)
    sites.add(site)
    await site.#open()
    return site
  }

  get ledgerFile(): string {
    return join(this.folder, 'ledger')
  }

  /** Those that the fault is about. */
  get peers(): readonly Program[] {
    return this.shape.link === 'L4' ? this.gateways : this.servers
  }

  /** Where a client connects: ports of gateways, or of servers. */
  get ports(): readonly number[] {
    return this.gateways.length > 0 ? this.#gatewayPorts : this.#ports
  }

  /** The command of a server on pipes. */
  get command(): Command {
    const { link, options } = this.shape
    const isBroken = link !== 'L4'
    const command = this.#serverCommand('stdio', 0)
    return isBroken && options.wrap ? options.wrap(command) : command
  }

  async close(): Promise<void> {
    await this.issuer?.close()
    for (const program of [...this.gateways, ...this.servers]) await program.kill()
    await this.proxy?.close()
    sites.delete(this)
  }

  /** Takes every fault of the network back. */
  calm(): void {
    if (this.proxy === undefined) return
    this.proxy.hooks = {}
    this.proxy.pace = undefined
    this.proxy.release()
  }

  /** Starts again what a fault has ended. */
  async heal(): Promise<void> {
    for (const program of [...this.servers, ...this.gateways]) if (!program.runs) await program.start()
  }

  /** Waits for what was started here and still runs; gives what had to be ended. */
  async remove(): Promise<string[]> {
    const left: string[] = []
    await until(() => processesOf(this.folder).length === 0, 'the end of processes').catch(() => {
      for (const pid of processesOf(this.folder)) {
        left.push(`process ${pid}`)
        process.kill(pid, 'SIGKILL')
      }
    })
    rmSync(this.folder, { recursive: true, force: true })
    return left
  }

  async #open(): Promise<void> {
    const { link, way, options } = this.shape
    const { replicas = 1, shell } = options
    const hasGateway = link === 'L4' || link === 'L5'
    if (options.tokens) this.issuer = await createTokenIssuer(this.#tokenFile, () => this.#resource)
    if (way === 'http') {
      const isBroken = link !== 'L4'
      for (let count = 0; count < (isBroken ? replicas : 1); count++) {
        const port = await freePort()
        this.#ports.push(port)
        this.servers.push(new Program(this.#serverCommand('http', port), isBroken ? shell : undefined))
      }
      await Promise.all(this.servers.map((server) => server.start()))
    }
    if (!hasGateway) return
    if (link === 'L5' && (options.proxy || replicas > 1)) {
      this.proxy = await FaultProxy.open(...this.#ports.map((port) => ({ port })))
    }
    for (let count = 0; count < (link === 'L4' ? replicas : 1); count++) {
      const port = await freePort()
      this.#gatewayPorts.push(port)
      this.gateways.push(new Program(this.#gatewayCommand(port), link === 'L4' ? shell : undefined))
    }
    await Promise.all(this.gateways.map((gateway) => gateway.start()))
  }

  get #tokenFile(): string {
    return join(this.folder, 'token')
  }

  /** What a program is told that lets nobody in without a token. */
  get #tokens(): { tokenFile?: string; metadata?: string } {
    if (this.issuer === undefined) return {}
    return { tokenFile: this.#tokenFile, metadata: `${this.issuer.url}/metadata` }
  }

  /** What the tokens are for. */
  get #resource(): string {
    const [port] = this.shape.link === 'L4' ? this.#gatewayPorts : this.#ports
    return `http://127.0.0.1:${port}/mcp`
  }

  #serverCommand(link: Way, port: number): Command {
    const { options, link: broken } = this.shape
    const plan = { link, ledger: this.ledgerFile, port, ...(broken !== 'L4' && this.#tokens), ...options.plan }
    const nodeArgs = broken === 'L4' ? [] : (options.nodeArgs ?? [])
    return { command: process.execPath, args: [...nodeArgs, programPath('server'), JSON.stringify(plan)] }
  }

  #gatewayCommand(port: number): Command {
    const { link, way, version, options } = this.shape
    const near = this.proxy?.port ?? this.#ports[0]
    const target = way === 'http' ? `http://127.0.0.1:${near}/mcp` : this.command
    const tokens = link === 'L4' ? this.#tokens : { signsIn: this.issuer !== undefined }
    // One gateway sees the faults of many runs; that a circuit opens is tried where each has its own (F8, on pipes).
    const failures = way === 'http' ? 1_000 : undefined
    const plan: GatewayPlan = { port, version, target, failures, ...tokens, ...options.gateway }
    const nodeArgs = link === 'L4' ? (options.nodeArgs ?? []) : []
    // The folder is named so that whatever is left of this site can be told by its command line.
    const args = [...nodeArgs, programPath('gateway'), JSON.stringify(plan), this.folder]
    return { command: process.execPath, args }
  }
}

const sites = new Set<Site>()
/** Those that cells share, and those that the runs of the present cell do. */
const shared = new Map<string, Promise<Site>>()
const own = new Map<string, Promise<Site>>()

/** A site that an earlier run has left, whole again, or one that later runs will find; undefined where each needs its own. */
export function holdSite(shape: Shape): Promise<Site> | undefined {
  const { link, way, version, options } = shape
  // A server on pipes is its user's own, and a gateway starts one that keeps dying only so often.
  const isPiped = link === 'L1' || (link === 'L5' && way === 'stdio')
  if (options.fresh || (isPiped && (link === 'L1' || !options.reuse))) return undefined
  const held = options.reuse ? shared : own
  const { plan, gateway, proxy, replicas, tokens } = options
  const key = JSON.stringify([link, way, link === 'L5' ? version : '', plan, gateway, proxy, replicas, tokens])
  const found = held.get(key)
  const site = found === undefined ? Site.open(shape) : healed(found)
  held.set(key, site)
  return site
}

async function healed(found: Promise<Site>): Promise<Site> {
  const site = await found
  await site.heal()
  return site
}

/** After the last run of a cell: ends what its runs have shared. Gives what was left behind. */
export async function closeOwnSites(): Promise<string[]> {
  const left: string[] = []
  for (const opening of own.values()) {
    const site = await opening.catch(() => undefined)
    if (site === undefined) continue
    await site.close()
    left.push(...(await site.remove()))
  }
  own.clear()
  return left
}

/** Ends what cells have shared, and what a failed one has left. */
export async function closeSites(): Promise<void> {
  for (const site of sites) {
    await site.close()
    await site.remove()
  }
}

/** Every process whose command line names a site's folder: servers, gateways, wrappers and what they left. */
function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const alive = !/\) Z /.test(readFileSync(`/proc/${name}/stat`, 'latin1'))
      return alive && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
