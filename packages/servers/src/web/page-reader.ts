/**
 * The near side of `page-process.ts`: one page at a time, with a deadline and a bound on memory. A process that misses them is
 * ended, and the page comes as bare text.
 */

import type { ChildProcess } from 'node:child_process'
import { startReadyProcess } from '../machine/source-process.ts'
import { type Extract, toBareExtract } from './extract.ts'
import { shapeOf } from './html-text.ts'

export interface PageJob {
  readonly id: number
  readonly html: string
  readonly url: string
  /** All of the page rather than its main content. */
  readonly whole: boolean
}

type Reply = { readonly ready: true } | { readonly id: number; readonly extract: Extract }

export class PageReader {
  readonly #deadlineMs: number
  #child: ChildProcess | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #lastId = 0
  #closed = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  /** Never fails for what a page contains: at worst, its bare text comes back. */
  read(html: string, url: string, whole: boolean): Promise<Extract> {
    const result = this.#turn.then(() => this.#run({ id: ++this.#lastId, html, url, whole }))
    this.#turn = result.catch(() => {})
    return result
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#end()
    await this.#turn
  }

  async #run(job: PageJob): Promise<Extract> {
    const { depth, tags } = shapeOf(job.html)
    if (this.#closed || depth > MAX_DEPTH || tags > MAX_TAGS) return toBareExtract(job.html)
    try {
      this.#child ??= await startReadyProcess(import.meta.url, 'page-process', MEMORY_MB)
      return await ask(this.#child, job, this.#deadlineMs)
    } catch {
      this.#end()
      return toBareExtract(job.html)
    }
  }

  #end(): void {
    // A page may keep it too busy to hear of anything milder.
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

/** What is deeper or longer than any page that is meant to be read would only use up its deadline. */
const MAX_DEPTH = 400
const MAX_TAGS = 200_000
const MEMORY_MB = 512

function ask(child: ChildProcess, job: PageJob, deadlineMs: number): Promise<Extract> {
  return new Promise((done, failed) => {
    // The process must not outlive this one while it is at work; at rest, it ends by itself.
    const kill = () => void child.kill('SIGKILL')
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      process.off('exit', kill)
      child.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
      finish()
    }
    const onMessage = (reply: Reply) => {
      if ('id' in reply && reply.id === job.id) settle(() => done(reply.extract))
    }
    const onEnd = () => settle(() => failed(new Error('The page ended its process')))
    const timer = setTimeout(onEnd, deadlineMs)
    process.once('exit', kill)
    child.on('message', onMessage).on('error', onEnd).on('exit', onEnd)
    if (!child.connected) return onEnd()
    // Errors of sending come as events.
    child.send(job, () => {})
  })
}
