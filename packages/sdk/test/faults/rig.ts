/**
 * One link under test: a server process with its ledger, a client on it, and where there is a network in between, the
 * proxy that breaks it. Whatever a rig has started is gone once it is closed, and it says so if not.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { freePort } from '../../../../tests/support/free-port.ts'
import type { Client } from '../../src/client/client.ts'
import { connect } from '../../src/connect/connect.ts'
import type { CommandTarget, ConnectOptions } from '../../src/connect/options.ts'
import { Ledger } from './ledger.ts'
import { FaultProxy } from './proxy.ts'
import type { ServerPlan } from './server-plan.ts'

/** L1, L2 and L3 of the matrix; pipes are used with both eras in turn. */
export type LinkKind = 'stdio' | HttpKind
export type HttpKind = 'modern' | 'session'

export interface RigOptions {
  readonly plan?: Partial<ServerPlan>
  readonly client?: ConnectOptions | ((url: string) => ConnectOptions)
  readonly proxy?: boolean
  /** The fault leaves the server as it was: one that an earlier run has started will do. */
  readonly reuse?: boolean
  /** For pipes: the era, where the fault does not care. */
  readonly era?: 'modern' | 'legacy'
  /** Arguments for Node, before the program. */
  readonly nodeArgs?: readonly string[]
  /** For pipes: what stands between the client and the server. */
  readonly wrap?: (target: { command: string; args: readonly string[] }) => CommandTarget
  /** For HTTP: a shell command that runs before the server does, such as `ulimit`. */
  readonly shell?: string
}

/** A server process and its ledger. */
interface Site {
  readonly folder: string
  readonly port: number
  server: ChildProcess | undefined
}

export class Rig {
  readonly proxy: FaultProxy | undefined
  readonly #kind: LinkKind
  readonly #options: RigOptions
  readonly #site: Site
  #client: Client | undefined

  private constructor(kind: LinkKind, options: RigOptions, proxy: FaultProxy | undefined, site: Site) {
    this.#kind = kind
    this.#options = options
    this.proxy = proxy
    this.#site = site
  }

  static async open(kind: LinkKind, options: RigOptions = {}): Promise<Rig> {
    const known = options.reuse ? kept : undefined
    const site = known ?? (await createSite(kind))
    const rig = new Rig(kind, options, options.proxy ? await FaultProxy.open(site.port) : undefined, site)
    await bundled
    if (kind !== 'stdio' && site.server === undefined) await rig.start()
    if (options.reuse) kept = site
    const { client = {} } = options
    const chosen = typeof client === 'function' ? client(rig.url) : client
    rig.#client = await connect(rig.#target(), { negotiations: false, versions: rig.#version(), ...chosen })
    return rig
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error('The rig is not open')
    return this.#client
  }

  get folder(): string {
    return this.#site.folder
  }

  get ledgerFile(): string {
    return join(this.folder, 'ledger')
  }

  get url(): string {
    return `http://127.0.0.1:${this.proxy?.port ?? this.#site.port}/mcp`
  }

  /** The process that serves; for pipes behind a wrapper, what the ledger names. */
  get pid(): number {
    return new Ledger(this.ledgerFile).lives.at(-1) ?? 0
  }

  /** Starts the HTTP server, again on the same port. */
  async start(): Promise<void> {
    const { nodeArgs = [], shell } = this.#options
    const command = [...nodeArgs, PROGRAM, this.#plan()]
    const child =
      shell === undefined
        ? spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] })
        : spawn('/bin/sh', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...command], {
            stdio: ['ignore', 'pipe', 'ignore'],
          })
    this.#site.server = child
    await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error('The server did not start'))),
    ])
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal)
  }

  /** Resolves when the HTTP server is gone. */
  async gone(): Promise<void> {
    const child = this.#site.server
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  /** Closes everything; gives what was executed, and what was left behind. */
  async close(): Promise<{ ledger: Ledger; left: string[] }> {
    const left: string[] = []
    await this.#client?.close()
    if (this.proxy !== undefined) {
      await until(() => this.proxy?.open === 0).catch(() => left.push(`${this.proxy?.open} connections`))
      await this.proxy.close()
    }
    if (this.#options.reuse) {
      // What was given up as not sent would show up within this time, if that was not true.
      await new Promise((resolve) => setTimeout(resolve, 30))
      return { ledger: new Ledger(this.ledgerFile), left }
    }
    if (this.#site.server !== undefined) {
      this.#site.server.kill('SIGKILL')
      await this.gone()
    }
    const ledger = new Ledger(this.ledgerFile)
    await until(() => processesOf(this.folder).length === 0).catch(() => {
      for (const pid of processesOf(this.folder)) {
        left.push(`process ${pid}`)
        process.kill(pid, 'SIGKILL')
      }
    })
    rmSync(this.folder, { recursive: true, force: true })
    sites.delete(this.#site)
    return { ledger, left }
  }

  #target(): string | CommandTarget {
    if (this.#kind !== 'stdio') return this.url
    const target = { command: process.execPath, args: [...(this.#options.nodeArgs ?? []), PROGRAM, this.#plan()] }
    return this.#options.wrap?.(target) ?? target
  }

  #plan(): string {
    const link = this.#kind === 'stdio' ? 'stdio' : 'http'
    return JSON.stringify({ link, ledger: this.ledgerFile, port: this.#site.port, ...this.#options.plan })
  }

  #version(): '2026-07-28' | '2025-11-25' {
    if (this.#kind === 'stdio') return this.#options.era === 'legacy' ? '2025-11-25' : '2026-07-28'
    return this.#kind === 'modern' ? '2026-07-28' : '2025-11-25'
  }
}

/** Ends the server that runs have shared, and removes the program. */
export async function endShared(): Promise<void> {
  rmSync(dirname(PROGRAM), { recursive: true, force: true })
  kept = undefined
  // A test that failed may have left one as well.
  for (const { server, folder } of sites) {
    if (server?.exitCode === null && server.signalCode === null && server.kill('SIGKILL')) await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  sites.clear()
}

/** Looks until something is so; for facts that nobody announces. */
export async function until(condition: () => boolean, ms = 8_000): Promise<void> {
  const deadline = performance.now() + ms
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not so within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const PROGRAM = join(mkdtempSync(join(tmpdir(), 'portico-fault-server-')), 'server.mjs')
const bundled = build({
  entryPoints: [fileURLToPath(new URL('./server.ts', import.meta.url))],
  outfile: PROGRAM,
  bundle: true,
  platform: 'node',
  format: 'esm',
  conditions: ['portico-source'],
  external: ['ws'],
  logLevel: 'warning',
}).finally(stop)

let kept: Site | undefined
const sites = new Set<Site>()

/** A server on a port of the suite's choice, so that it can be started again where it was. */
async function createSite(kind: LinkKind): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-faults-'))
  writeFileSync(join(folder, 'ledger'), '')
  const site: Site = { folder, port: kind === 'stdio' ? 0 : await freePort(), server: undefined }
  sites.add(site)
  return site
}

/** Every process whose command line names the rig's folder: servers, wrappers and what they left. */
function processesOf(folder: string): number[] {
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
