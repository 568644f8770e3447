/** Replicas as processes behind a round robin: started, killed, and restarted one after the other. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type RoundRobin, startRoundRobin } from '../../support/round-robin.ts'
import { withLimit } from '../../support/wait.ts'

/** A program that says its address on its first line. */
export interface ReplicaProgram {
  /** The file, and what it is told. */
  readonly words: readonly string[]
  readonly env?: { readonly [name: string]: string }
}

interface Running {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: Promise<void>
}

/** A busy machine is no failure: what never starts is no matter of minutes. */
const START_MS = 5 * 60_000
/** So much of what it says is kept, for when it ends. */
const SAID = 2_000

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export class ReplicaProcesses {
  readonly #program: ReplicaProgram
  #running: Running[] = []
  #proxy: RoundRobin | undefined
  /** The longest that one took from its start to its first line. */
  slowestStartMs = 0

  constructor(program: ReplicaProgram) {
    this.#program = program
  }

  async start(count: number, path = '/mcp'): Promise<void> {
    this.#proxy = await startRoundRobin(path, true)
    this.#running = await Promise.all(Array.from({ length: count }, () => this.#spawn()))
    this.#tell()
  }

  /** Of the round robin. */
  get url(): string {
    return this.#proxy?.url ?? ''
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
      await end(one)
    }
  }

  /** Lets all go, who finish what is under way. */
  async end(): Promise<void> {
    await Promise.all(this.#running.map(end))
    this.#running = []
    await this.close()
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#running) {
      child.kill('SIGKILL')
      await ended
    }
    this.#running = []
    await this.#proxy?.close()
    this.#proxy = undefined
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
    const began = performance.now()
    const one = await startProgram(this.#program)
    this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - began)
    return one
  }
}

/** Starts one, and waits for its address. */
export async function startProgram({ words, env }: ReplicaProgram): Promise<Running> {
  const child = spawn(process.execPath, [...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  children.add(child)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      children.delete(child)
      resolve()
    })
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SAID)
  })
  const told = new Promise<string>((resolve, reject) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve)
    child.once('exit', () => reject(new Error(`a replica ended before it listened: ${said}`)))
  })
  return { child, ended, url: await withLimit(told, START_MS, 'a replica starts') }
}

async function end({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  await withLimit(ended, START_MS, 'a replica goes down')
}
