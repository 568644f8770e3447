/** Replicas as processes behind a round robin: started, killed, and restarted one after the other. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { StateSetting } from '@portico/host/state'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'
import { withLimit } from '../support/wait.ts'

interface Running {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: Promise<void>
}

const START_MS = 60_000
const PROGRAM = fileURLToPath(new URL('replica-server.ts', import.meta.url))

export class ReplicaProcesses {
  readonly #setting: StateSetting
  readonly #folder = mkdtempSync(join(tmpdir(), 'portico-replicas-'))
  readonly #ledger = join(this.#folder, 'ledger')
  #running: Running[] = []
  /** All that were started, those that never listened too. */
  readonly #children = new Set<ChildProcess>()
  #proxy: RoundRobin | undefined

  constructor(setting: StateSetting) {
    this.#setting = setting
    process.once('exit', () => [...this.#children].map((child) => child.kill('SIGKILL')))
    writeFileSync(this.#ledger, '')
  }

  async start(count: number): Promise<void> {
    this.#proxy = await startRoundRobin('/mcp', true)
    for (const one of await Promise.all(Array.from({ length: count }, () => this.#spawn()))) this.#running.push(one)
    this.#tell()
  }

  get url(): string {
    return this.#proxy?.url ?? ''
  }

  /** How often each word was noted. */
  ledger(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const word of readFileSync(this.#ledger, 'utf8').split('\n')) counts.set(word, (counts.get(word) ?? 0) + 1)
    return counts
  }

  /** Kills one with SIGKILL, then starts another in its place. */
  async kill(at: number): Promise<void> {
    const one = this.#running[at % this.#running.length]
    one?.child.kill('SIGKILL')
    await one?.ended
    await this.#replace(one)
  }

  /** Starts another for each, then lets the old one go. */
  async restartAll(): Promise<void> {
    for (const one of [...this.#running]) {
      await this.#replace(one)
      one.child.kill('SIGTERM')
      await withLimit(one.ended, START_MS, 'a replica goes down')
    }
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#running) {
      child.kill('SIGKILL')
      await ended
    }
    await this.#proxy?.close()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async #replace(one: Running | undefined): Promise<void> {
    const next = await this.#spawn()
    this.#running = this.#running.map((other) => (other === one ? next : other))
    this.#tell()
  }

  /** The one that goes gets no more from here once it says that it is not ready. */
  #tell(): void {
    if (this.#proxy !== undefined) this.#proxy.targets = this.#running.map(({ url }) => url)
  }

  async #spawn(): Promise<Running> {
    const words = [...process.execArgv, PROGRAM, JSON.stringify(this.#setting), this.#ledger]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#children.add(child)
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        this.#children.delete(child)
        resolve()
      })
    })
    const told = new Promise<string>((resolve, reject) => {
      if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve)
      child.once('exit', () => reject(new Error('a replica ended before it listened')))
    })
    return { child, ended, url: await withLimit(told, START_MS, 'a replica starts') }
  }
}
