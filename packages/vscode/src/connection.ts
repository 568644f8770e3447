/** JSON-RPC with `portico host`, one message on each line of its standard streams. Knows no editor. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { EditorEvents, EditorMethods, HostEvents, HostMethods } from 'portico/editor-protocol'
import { THIS_MACHINE, toProgram } from './command.ts'

/** What a request was refused with. */
class HostRefusal extends Error {
  readonly code: string

  constructor(message: string, code = 'failed') {
    super(message)
    this.name = 'HostRefusal'
    this.code = code
  }
}

interface ConnectionHandlers {
  /** What the host asks of the editor. */
  answer<Name extends keyof EditorMethods>(method: Name, params: EditorMethods[Name]['params']): Promise<object>
  event<Name extends keyof HostEvents>(event: Name, params: HostEvents[Name]): void
  closed(code: number | null, lastWords: string): void
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: object
  readonly result?: unknown
  readonly error?: { readonly message?: unknown; readonly data?: { readonly code?: unknown } }
}

const MAX_LINE = 32 * 1024 * 1024
const MAX_WORDS = 2_000

export class Connection {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #handlers: ConnectionHandlers
  readonly #waiting = new Map<number, Waiting>()
  #rest = ''
  #words = ''
  #lastId = 0
  #isClosed = false

  /** `command` is a list: no shell reads it. */
  constructor(command: readonly string[], folder: string, env: NodeJS.ProcessEnv, handlers: ConnectionHandlers) {
    const [program, ...words] = toProgram(command, THIS_MACHINE)
    this.#handlers = handlers
    this.#child = spawn(program, words, { cwd: folder, env, windowsHide: true })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text))
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#words = (this.#words + text).slice(-MAX_WORDS)
    })
    this.#child.stdin.on('error', () => {})
    this.#child.once('error', (error) => this.#end(null, error.message))
    this.#child.once('close', (code) => this.#end(code, this.#words))
  }

  request<Name extends keyof HostMethods>(
    method: Name,
    params: HostMethods[Name]['params'],
    begun: (id: number) => void = () => {},
  ): Promise<HostMethods[Name]['result']> {
    if (this.#isClosed) return Promise.reject(new HostRefusal('The host is not running', 'closed'))
    const id = ++this.#lastId
    begun(id)
    return new Promise((resolve, reject) => {
      // The host answers with what the protocol promises for the method.
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      this.#send({ id, method, params })
    })
  }

  notify<Name extends keyof EditorEvents>(event: Name, params: EditorEvents[Name]): void {
    if (!this.#isClosed) this.#send({ method: event, params })
  }

  /** It ends by itself when its input does, and takes its servers along. */
  close(): void {
    this.#child.stdin.end()
  }

  #send(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MAX_LINE) this.close()
    for (const line of lines) {
      const message = readMessage(line)
      if (message !== undefined) this.#handle(message)
    }
  }

  #handle({ id, method, params = {}, result, error }: Message): void {
    if (method !== undefined) {
      // The names and shapes are those of the protocol; what is unknown is refused by whoever answers.
      if (id === undefined) this.#handlers.event(method as keyof HostEvents, params as never)
      else void this.#answer(id, method as keyof EditorMethods, params)
      return
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    if (waiting === undefined) return
    this.#waiting.delete(id as number)
    if (error === undefined) waiting.resolve(result ?? {})
    else waiting.reject(new HostRefusal(String(error.message ?? 'It failed'), String(error.data?.code ?? 'failed')))
  }

  async #answer(id: number | string, method: keyof EditorMethods, params: object): Promise<void> {
    try {
      this.#send({ id, result: await this.#handlers.answer(method, params as never) })
    } catch {
      this.#send({
        id,
        error: { code: -32000, message: 'The editor does not have this' } as Message['error'],
      } as Message)
    }
  }

  #end(code: number | null, words: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(new HostRefusal('The host has ended', 'closed'))
    this.#waiting.clear()
    this.#handlers.closed(code, words.trim().split('\n').at(-1) ?? '')
  }
}

function readMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Message) : undefined
  } catch {
    return undefined
  }
}
