/** The SQLite worker from outside: requests in turn, each with a deadline at which the thread is ended and later replaced. */

import type { Worker } from 'node:worker_threads'
import { ToolError } from '@portico/sdk/server'
import { startWorker } from '../machine/source-worker.ts'
import { withDeadline } from './deadline.ts'
import type { WorkerReply, WorkerRequest, WorkerResult, WorkerStart } from './sqlite-protocol.ts'

const MAX_MEMORY_BYTES = 256 * 1024 * 1024

export interface ThreadOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called after the thread was ended in the middle; `locked` when it held the file's lock. */
  readonly onKilled?: (locked: boolean) => Promise<void>
}

export class SqliteThread {
  #worker: Worker | undefined
  #ready: Promise<void> | undefined
  #fresh = true

  /** True until a worker took a request: what it had open is gone with it. */
  get isFresh(): boolean {
    return this.#fresh
  }

  /** One request at a time is the caller's duty. */
  async request(request: WorkerRequest, { timeoutMs, signal, onKilled }: ThreadOptions): Promise<WorkerResult> {
    const worker = this.#start()
    this.#fresh = false
    await this.#ready
    if (this.#worker !== worker) throw new ToolError('SQLite could not be started.')
    let locked = false
    let killed: Promise<unknown> | undefined
    const work = this.#exchange(worker, request, () => {
      locked = true
    })
    const stop = (): void => {
      killed = this.#kill(worker)
    }
    try {
      return await withDeadline(work, { timeoutMs, signal, stop })
    } finally {
      if (killed !== undefined) {
        await killed
        await onKilled?.(locked)
      }
    }
  }

  async close(): Promise<void> {
    if (this.#worker !== undefined) await this.#kill(this.#worker)
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const start: WorkerStart = { maxMemoryBytes: MAX_MEMORY_BYTES }
    const worker = startWorker(import.meta.url, 'sqlite-worker', {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    this.#worker = worker
    // Its first message says that it is loaded; or it ends before that.
    this.#ready = new Promise((resolve) => {
      worker.once('message', () => resolve())
      worker.once('exit', () => resolve())
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#forget()
    })
    // Without a listener the error of a worker ends the process; `exchange` hears of it by itself.
    worker.on('error', () => {})
    return worker
  }

  #exchange(worker: Worker, request: WorkerRequest, onLocked: () => void): Promise<WorkerResult> {
    return new Promise((resolve, reject) => {
      const onMessage = (reply: WorkerReply): void => {
        if (reply.kind === 'ready') return
        if (reply.kind === 'locked') {
          onLocked()
          return
        }
        release()
        if (reply.kind === 'done') resolve(reply.result)
        else reject(new ToolError(`SQLite: ${reply.message}`))
      }
      const onEnd = (): void => {
        release()
        reject(new ToolError('SQLite ended unexpectedly, probably for want of memory. Ask for less at once.'))
      }
      const release = (): void => {
        worker.off('message', onMessage)
        worker.off('exit', onEnd)
        worker.unref()
      }
      worker.ref()
      worker.on('message', onMessage)
      worker.on('exit', onEnd)
      worker.postMessage(request)
    })
  }

  #kill(worker: Worker): Promise<unknown> {
    if (this.#worker === worker) this.#forget()
    return worker.terminate()
  }

  #forget(): void {
    this.#worker = undefined
    this.#fresh = true
  }
}
