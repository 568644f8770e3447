/**
 * The near side of `page-process.ts`: one page at a time, with a deadline and a bound on memory. A process that misses them is
 * ended, and the page comes as bare text.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
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
      this.#child ??= await startChild()
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
const START_MS = 30_000

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

/** Resolves once the process has loaded what it needs, so that this does not count against a page. */
function startChild(): Promise<ChildProcess> {
  return new Promise((done, failed) => {
    const isSource = import.meta.url.endsWith('.ts')
    const child = fork(fileURLToPath(new URL(`./page-process.${isSource ? 'ts' : 'js'}`, import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${MEMORY_MB}`, ...(isSource ? sourceLoader() : [])],
      // Nothing of the operator's is its business; Windows starts no program without this one.
      env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
      serialization: 'advanced',
      // Standard output may be the protocol's own wire: what a library prints there must not reach it.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // A process that waits for work must not keep this one.
    child.unref()
    child.channel?.unref()
    const give = (error: unknown) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      failed(error)
    }
    const timer = setTimeout(give, START_MS, new Error('The process for pages did not start'))
    child.once('error', give).once('exit', give)
    child.once('message', () => {
      clearTimeout(timer)
      child.off('error', give).off('exit', give)
      // Should it end while nothing is asked of it, the next page finds it gone.
      child.on('error', () => {})
      done(child)
    })
  })
}

function sourceLoader(): string[] {
  try {
    return ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href]
  } catch {
    // A newer Node reads TypeScript by itself.
    return []
  }
}
