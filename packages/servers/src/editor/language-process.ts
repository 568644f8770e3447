/**
 * One language server as a process: requests with their answers, notices, and its own requests, which are answered without
 * giving it anything it could change. It ends with its last user, or by its limits.
 */

import type { ChildProcess } from 'node:child_process'
import { ToolError } from '@portico/sdk/server'
import { endTree, startChild } from '../machine/kept-child.ts'
import { watchMemory } from '../machine/memory-watch.ts'
import { plainEnvironment } from '../machine/program.ts'
import { toExcerpt } from '../text/cut.ts'
import { spellHidden } from '../text/plain-text.ts'
import { toObject, toText } from '../vendor/values.ts'
import { MessageReader, writeMessage } from './message-stream.ts'

export interface ProcessOptions {
  /** The program with its arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  readonly maxMessageBytes: number
  readonly maxMemoryBytes: number
  onNotice(method: string, params: unknown): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const MAX_STDERR = 2_000
const END_MS = 2_000

export class LanguageProcess {
  readonly #options: ProcessOptions
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #unwatch: () => void
  #ids = 0
  #stderr = ''
  #over: ToolError | undefined

  constructor(options: ProcessOptions) {
    this.#options = options
    const [program = '', ...args] = options.command
    this.#child = startChild(program, args, { cwd: options.cwd, env: this.#environment(), stdio: 'pipe' })
    const { pid } = this.#child
    const tooLarge = () =>
      this.end(`it took more than ${options.maxMemoryBytes} bytes of memory (option maxMemoryBytes)`)
    this.#unwatch = pid === undefined ? () => {} : watchMemory(pid, options.maxMemoryBytes, tooLarge)
    this.#read()
  }

  get ended(): boolean {
    return this.#over !== undefined
  }

  /** Asks; rejects with what to tell a model. */
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#over !== undefined) return Promise.reject(this.#over)
    if (signal?.aborted) return Promise.reject(cancelled())
    const id = ++this.#ids
    return new Promise((resolve, reject) => {
      const { timeoutMs } = this.#options
      const giveUp = (error: ToolError): void => {
        this.#waiting.delete(id)
        this.notify('$/cancelRequest', { id })
        settled()
        reject(error)
      }
      const timer = setTimeout(
        () => giveUp(new ToolError(`The language server did not answer within ${timeoutMs} ms (option timeoutMs).`)),
        timeoutMs,
      )
      const onAbort = (): void => giveUp(cancelled())
      const settled = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.set(id, {
        resolve: (value) => {
          settled()
          resolve(value)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      })
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params: object): void {
    if (this.#over === undefined) this.#send({ method, params })
  }

  /** Asks it to end, and ends it if it does not. */
  async close(): Promise<void> {
    if (this.#over !== undefined) return
    const gone = new Promise<void>((resolve) => this.#child.once('close', () => resolve()))
    // One time for both steps: a server that hangs answers neither.
    const timer = setTimeout(() => endTree(this.#child), END_MS)
    await this.request('shutdown', {}).catch(() => {})
    this.notify('exit', {})
    await gone
    clearTimeout(timer)
  }

  #environment(): { [name: string]: string } {
    const { HOME, USERPROFILE, APPDATA } = process.env
    // Some look for their own settings and caches there; nothing else of the user's environment is handed on.
    return {
      ...plainEnvironment(),
      ...(HOME && { HOME }),
      ...(USERPROFILE && { USERPROFILE }),
      ...(APPDATA && { APPDATA }),
    }
  }

  #read(): void {
    const reader = new MessageReader(this.#options.maxMessageBytes)
    const { stdout, stderr } = this.#child
    stderr?.setEncoding('utf8').on('data', (part: string) => {
      this.#stderr = (this.#stderr + part).slice(-MAX_STDERR)
    })
    stdout?.on('data', (chunk: Buffer) => {
      try {
        for (const message of reader.push(chunk)) this.#receive(toObject(message))
      } catch (error) {
        this.end(error instanceof Error ? error.message : 'it wrote something else than messages')
      }
    })
    this.#child.on('error', (error) =>
      this.end(`"${this.#options.command[0]}" could not be started (${'code' in error ? error.code : error.message})`),
    )
    this.#child.once('close', (code) =>
      this.end(`it ended with code ${code}. ${spellHidden(toExcerpt(this.#stderr.trim(), 400))}`),
    )
  }

  #receive({ id, method, params, result, error }: ReturnType<typeof toObject>): void {
    if (typeof method === 'string') {
      if (id === undefined) this.#options.onNotice(method, params)
      else this.#send({ id, ...answerTo(method, params) })
      return
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    if (waiting === undefined) return
    this.#waiting.delete(id as number)
    if (error === undefined) waiting.resolve(result)
    else
      waiting.reject(
        new ToolError(`The language server refused: ${spellHidden(toExcerpt(toText(toObject(error).message), 400))}`),
      )
  }

  #send(message: object): void {
    this.#child.stdin?.write(writeMessage(message))
  }

  /** Ends it at once, and says why to whoever waits. */
  end(reason: string): void {
    if (this.#over !== undefined) return
    this.#over = new ToolError(`The language server is gone: ${reason}`)
    this.#unwatch()
    endTree(this.#child)
    for (const { reject } of this.#waiting.values()) reject(this.#over)
    this.#waiting.clear()
  }
}

export function cancelled(): ToolError {
  return new ToolError('The request was cancelled.')
}

/** What a language server may ask: settings, which it gets none of, and edits, which are never made for it. */
function answerTo(method: string, params: unknown): { readonly result: unknown } {
  switch (method) {
    case 'workspace/configuration': {
      const { items } = toObject(params)
      return { result: Array.isArray(items) ? items.map(() => null) : [] }
    }
    case 'workspace/applyEdit':
      return { result: { applied: false, failureReason: 'Edits are shown and asked about first' } }
    case 'workspace/workspaceFolders':
      return { result: null }
    default:
      return { result: null }
  }
}
