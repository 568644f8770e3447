/** Replicas as processes that are asked what they used. */

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withLimit } from '../../support/wait.ts'
import type { ReplicaPlan, Used } from './replica.ts'

const PROGRAM = fileURLToPath(new URL('replica.ts', import.meta.url))
const START_MS = 120_000
const ANSWER_MS = 60_000

export interface Member {
  readonly child: ChildProcess
  readonly port: number
}

export class Fleet {
  readonly #plan: ReplicaPlan
  readonly #started = new Set<ChildProcess>()
  members: readonly Member[] = []
  /** Gives each so much of a core from now on, or as much as it likes; nothing where that cannot be had. */
  limit: (cores: 'measured' | 'free') => void = () => undefined

  constructor(plan: ReplicaPlan) {
    this.#plan = plan
    process.once('exit', () => this.#kill())
  }

  async start(count: number): Promise<void> {
    this.members = await Promise.all(Array.from({ length: count }, () => this.#start()))
  }

  get ports(): readonly number[] {
    return this.members.map(({ port }) => port)
  }

  /** Whether nobody has ended. */
  get whole(): boolean {
    return this.members.every(({ child }) => child.exitCode === null && child.signalCode === null)
  }

  /** What each has used so far; `memory` collects what is no longer needed first, which takes its time. */
  used(what: 'used' | 'memory' = 'used'): Promise<readonly Used[]> {
    return Promise.all(this.members.map(({ child }) => ask(child, what)))
  }

  /** Lets one announce a change. */
  async change(at: number): Promise<void> {
    const child = this.members[at]?.child
    if (child !== undefined) await ask(child, 'change')
  }

  async close(): Promise<void> {
    const ended = [...this.#started].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    this.#kill()
    await withLimit(Promise.all(ended), START_MS, 'the replicas end')
  }

  #kill(): void {
    for (const child of this.#started) child.kill('SIGKILL')
  }

  async #start(): Promise<Member> {
    const execArgv = [...process.execArgv, '--expose-gc']
    const child = fork(PROGRAM, [JSON.stringify(this.#plan)], { execArgv })
    this.#started.add(child)
    child.once('exit', () => this.#started.delete(child))
    const told = new Promise<number>((resolve, reject) => {
      child.once('message', (port: number) => resolve(port))
      child.once('exit', () => reject(new Error('a replica ended before it listened')))
    })
    return { child, port: await withLimit(told, START_MS, 'a replica starts') }
  }
}

function ask(child: ChildProcess, what: 'used' | 'memory' | 'change'): Promise<Used> {
  const answer = new Promise<Used>((resolve) => child.once('message', (used: Used) => resolve(used)))
  child.send(what)
  return withLimit(answer, ANSWER_MS, 'a replica answers')
}
