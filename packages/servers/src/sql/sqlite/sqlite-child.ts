/** The process with SQLite in it from outside: requests in turn, each with a deadline at which it is ended and later replaced. */

import type { ChildProcess } from 'node:child_process'
import { ToolError } from '@portico/sdk/server'
import { watchMemory } from '../../machine/memory-watch.ts'
import { startReadyProcess } from '../../machine/source-process.ts'
import { withDeadline } from '../deadline.ts'
import type { ChildReply, ChildRequest, ChildResult } from './sqlite-protocol.ts'

const MAX_HEAP_MB = 256
/** All that it may hold, values on their way included. */
const MAX_MEMORY_BYTES = 1024 ** 3

interface RequestOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export class SqliteChild {
  #child: Promise<ChildProcess> | undefined
  #started = 0
  #closed = false

  /** Has a process, a new one where there is none. Returns which: another number is a process that has nothing open. */
  async start(): Promise<number> {
    await this.#start()
    return this.#started
  }

  /** One request at a time is the caller's duty. */
  async request(request: ChildRequest, options: RequestOptions): Promise<ChildResult> {
    const child = await this.#start()
    const unwatch = watchMemory(child.pid ?? 0, MAX_MEMORY_BYTES, () => this.#kill(child))
    try {
      return await withDeadline(this.#exchange(child, request), { ...options, stop: () => this.#kill(child) })
    } finally {
      unwatch()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const child = await this.#child?.catch(() => undefined)
    if (child === undefined) return
    const ended = child.exitCode !== null || child.signalCode !== null
    const exit = ended ? undefined : new Promise((resolve) => child.once('exit', resolve))
    this.#kill(child)
    // Whoever waits for its end must not be gone before it.
    child.ref()
    await exit
  }

  #start(): Promise<ChildProcess> {
    if (this.#closed) throw new ToolError('The database is closed.')
    if (this.#child !== undefined) return this.#child
    const starting = startReadyProcess(import.meta.url, 'sqlite-process', MAX_HEAP_MB).then(
      (child) => {
        child.once('exit', () => this.#forget(starting))
        return child
      },
      () => {
        this.#forget(starting)
        throw new ToolError('SQLite could not be started.')
      },
    )
    this.#child = starting
    this.#started++
    return starting
  }

  #exchange(child: ChildProcess, request: ChildRequest): Promise<ChildResult> {
    return new Promise((resolve, reject) => {
      const onMessage = (reply: ChildReply): void => {
        if (reply.kind === 'ready') return
        release()
        if (reply.kind === 'done') resolve(reply.result)
        else reject(new ToolError(`SQLite: ${reply.message}`))
      }
      const onEnd = (): void => {
        release()
        reject(new ToolError('SQLite ended unexpectedly, probably for want of memory. Ask for less at once.'))
      }
      const release = (): void => {
        child.off('message', onMessage).off('exit', onEnd)
        child.channel?.unref()
      }
      child.channel?.ref()
      child.on('message', onMessage).on('exit', onEnd)
      if (child.exitCode !== null || child.signalCode !== null) return onEnd()
      child.send(request, (error) => {
        if (error !== null) onEnd()
      })
    })
  }

  /** SQLite rolls back what a killed process was writing, by the journal that it left. */
  #kill(child: ChildProcess): void {
    this.#forget(this.#child)
    child.kill('SIGKILL')
  }

  #forget(which: Promise<ChildProcess> | undefined): void {
    if (this.#child === which) this.#child = undefined
  }
}
