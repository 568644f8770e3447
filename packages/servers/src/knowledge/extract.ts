/**
 * From a file's bytes to text in lines. Markdown and plain text are what they are; HTML and PDF are taken apart in a thread
 * with a deadline and a bound on memory, since such a file can be made to take for ever.
 */

import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { PorticoError } from '@portico/sdk/server'
import { startWorker } from '../source-worker.ts'
import type { ExtractedText, ExtractReply, ExtractRequest } from './extract-protocol.ts'
import { MAX_EXTRACT_BYTES } from './limits.ts'

export interface ExtractOptions {
  readonly timeoutMs: number
  /** Characters of text; what is more is left out. */
  readonly maxLength: number
}

const WATCH_MS = 50
/** To load a library takes a moment, and on a busy machine several. */
const LOAD_MS = 60_000

export class Extractor {
  readonly #options: ExtractOptions
  #worker: Worker | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: ExtractOptions) {
    this.#options = options
  }

  /** Throws why there is no text. */
  async extract(path: string, bytes: Uint8Array): Promise<ExtractedText> {
    const kind = KINDS[extname(path).toLowerCase()]
    if (kind === undefined) return { text: decodeText(bytes) }
    const result = this.#turn.then(() => this.#ask({ kind, bytes, maxLength: this.#options.maxLength }))
    this.#turn = result.catch(() => {})
    return result
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #ask(request: ExtractRequest): Promise<ExtractedText> {
    const worker = this.#start()
    const before = process.memoryUsage.rss()
    const { timeoutMs } = this.#options
    return new Promise<ExtractedText>((resolve, reject) => {
      const fail = (reason: string): void => {
        release()
        if (this.#worker === worker) this.#worker = undefined
        void worker.terminate()
        reject(new PorticoError('limit-exceeded', reason))
      }
      let timer = setTimeout(() => fail('the library that reads it did not load'), LOAD_MS)
      const watch = setInterval(() => {
        if (process.memoryUsage.rss() - before > MAX_EXTRACT_BYTES) fail('its text takes too much memory')
      }, WATCH_MS)
      const onReply = (reply: ExtractReply): void => {
        if (reply.kind === 'began') {
          clearTimeout(timer)
          const reason = `its text took longer than ${timeoutMs} ms (option "extractTimeoutMs")`
          timer = setTimeout(() => fail(reason), timeoutMs)
          return
        }
        release()
        if (reply.kind === 'failed') reject(new PorticoError('invalid-arguments', reply.reason))
        else resolve(reply.result)
      }
      const onEnd = (): void => fail('its text takes too much memory')
      const release = (): void => {
        clearTimeout(timer)
        clearInterval(watch)
        worker.off('message', onReply)
        worker.off('exit', onEnd)
        worker.unref()
      }
      worker.ref()
      worker.on('message', onReply)
      worker.on('exit', onEnd)
      worker.postMessage(request)
    })
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = startWorker(import.meta.url, 'extract-worker', { resourceLimits: { maxOldGenerationSizeMb: 256 } })
    worker.on('error', () => {})
    worker.unref()
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#worker = worker
    return worker
  }
}

const KINDS: { readonly [extension: string]: ExtractRequest['kind'] } = {
  '.html': 'html',
  '.htm': 'html',
  '.pdf': 'pdf',
}

/** UTF-8, or UTF-16 where a mark says so. Throws for what is no text. */
function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, 8192).includes(0)) throw new PorticoError('invalid-arguments', 'it is not text')
  return new TextDecoder().decode(bytes)
}
