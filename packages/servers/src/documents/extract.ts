/**
 * From a file's bytes to text in lines. Markdown and plain text are what they are; HTML, PDF and Word are taken apart in a process
 * with a deadline and a bound on memory, since such a file can be made to take for ever or to fill what there is.
 */

import type { ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import { FairTurns } from '../machine/fair-turns.ts'
import { watchMemory } from '../machine/memory-watch.ts'
import { startReadyProcess } from '../machine/source-process.ts'
import type { ExtractedText, ExtractReply, ExtractRequest } from './extract-protocol.ts'

interface ExtractOptions {
  readonly timeoutMs: number
  /** Characters of text; what is more is left out. */
  readonly maxLength: number
  /** The option that moves `timeoutMs`, for whoever is told that it was too short. */
  readonly timeoutOption?: string
}

/** To load a library takes a moment, and on a busy machine several. */
const LOAD_MS = 60_000
const HEAP_MB = 256
/** Documents of one source that wait for their turn. */
const MAX_WAITING = 1_000
/** Memory of the process in which a file becomes text. */
const MAX_EXTRACT_BYTES = 512 * 1024 * 1024

export class Extractor {
  readonly #options: ExtractOptions
  #child: ChildProcess | undefined
  /** One document at a time. */
  readonly #turns = new FairTurns({
    slots: 1,
    maxWaiting: MAX_WAITING,
    refusal: () => new PorticoError('limit-exceeded', `${MAX_WAITING} documents of the same source wait to be read`),
  })
  #closed = false

  constructor(options: ExtractOptions) {
    this.#options = options
  }

  /** Throws why there is no text. Sources take turns. */
  async extract(path: string, bytes: Uint8Array, source = ''): Promise<ExtractedText> {
    const kind = KINDS[extname(path).toLowerCase()]
    if (kind === undefined) return { text: decodeText(bytes) }
    return this.#turns.run(source, () => this.#run({ kind, bytes, maxLength: this.#options.maxLength }))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#end()
    await this.#turns.idle()
  }

  async #run(request: ExtractRequest): Promise<ExtractedText> {
    if (this.#closed) throw new PorticoError('limit-exceeded', 'the server is closing')
    if (this.#child?.connected !== true) {
      const child = await startReadyProcess(import.meta.url, 'extract-process', HEAP_MB)
      this.#child = child
      // While it was started, nobody could end it.
      if (this.#closed) this.#end()
    }
    try {
      return await this.#ask(this.#child, request)
    } catch (error) {
      // A document that it could not read leaves the process as good as before.
      if (!(error instanceof PorticoError) || error.code !== 'invalid-arguments') this.#end()
      throw error
    }
  }

  #ask(child: ChildProcess | undefined, request: ExtractRequest): Promise<ExtractedText> {
    const { timeoutMs, timeoutOption } = this.#options
    return new Promise<ExtractedText>((resolve, reject) => {
      const fail = (reason: string): void => settle(() => reject(new PorticoError('limit-exceeded', reason)))
      const onFull = (): void => fail('its text takes too much memory')
      if (child?.pid === undefined || !child.connected)
        return reject(new PorticoError('limit-exceeded', 'it was ended'))
      // The process must not outlive this one while it is at work; at rest, it ends by itself.
      const kill = (): void => void child.kill('SIGKILL')
      const unwatch = watchMemory(child.pid, MAX_EXTRACT_BYTES, onFull)
      let timer = setTimeout(() => fail('the library that reads it did not load'), LOAD_MS)
      const settle = (finish: () => void): void => {
        clearTimeout(timer)
        unwatch()
        process.off('exit', kill)
        child.off('message', onReply).off('exit', onFull)
        finish()
      }
      const onReply = (reply: ExtractReply): void => {
        if (reply.kind === 'began') {
          clearTimeout(timer)
          const option = timeoutOption === undefined ? '' : ` (option "${timeoutOption}")`
          const reason = `its text took longer than ${timeoutMs} ms${option}`
          timer = setTimeout(() => fail(reason), timeoutMs)
        } else if (reply.kind === 'failed') settle(() => reject(new PorticoError('invalid-arguments', reply.reason)))
        else if (reply.kind === 'done') settle(() => resolve(reply.result))
      }
      process.once('exit', kill)
      child.on('message', onReply).on('exit', onFull)
      // Errors of sending come as events.
      child.send(request, () => {})
    })
  }

  #end(): void {
    // A document may keep it too busy to hear of anything milder.
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

const KINDS: { readonly [extension: string]: ExtractRequest['kind'] } = {
  '.html': 'html',
  '.htm': 'html',
  '.pdf': 'pdf',
  '.docx': 'docx',
}

/** UTF-8, or UTF-16 where a mark says so. Throws for what is no text. */
function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, 8192).includes(0)) throw new PorticoError('invalid-arguments', 'it is not text')
  return new TextDecoder().decode(bytes)
}
