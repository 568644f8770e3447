/** Starts the server under load as a process of its own and talks to it. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Order, Report, Setting } from './server.ts'

export interface Memory {
  readonly rss: number
  readonly peak: number
}

export class Subject {
  readonly httpPort: number
  readonly socketPort: number
  readonly #child: ChildProcess

  constructor(child: ChildProcess, { httpPort = 0, socketPort = 0 }: Report) {
    this.#child = child
    this.httpPort = httpPort
    this.socketPort = socketPort
  }

  /** What is in use now, and the most there was since `reset`. */
  async memory(order: 'measure' | 'reset' = 'measure'): Promise<Memory> {
    const { rss = Number.NaN, peak = Number.NaN } = await this.#ask({ do: order })
    return { rss, peak }
  }

  /** Has it tell its listeners: of a changed list for 0, otherwise of so many bytes of changed resources. */
  async change(bytes: number): Promise<void> {
    await this.#ask({ do: 'change', bytes })
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  async #ask(order: Order): Promise<Report> {
    const answer = once(this.#child, 'message')
    this.#child.send(order)
    const [report] = await answer
    return report as Report
  }
}

export async function startSubject(setting: Setting = {}): Promise<Subject> {
  // The child runs from source under the same loader as this process.
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [JSON.stringify(setting)])
  const [report] = await once(child, 'message')
  return new Subject(child, report as Report)
}
