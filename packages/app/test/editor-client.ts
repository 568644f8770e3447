/** A raw client of `portico host`: writes lines, keeps what comes, and waits for what it is told to wait for. */

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { cliArguments } from './cli.ts'

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: a raw client looks at whatever came
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code: string } }
}

const DEADLINE_MS = 60_000

export class EditorClient {
  readonly messages: Message[] = []
  readonly child
  stderr = ''
  readonly ended: Promise<number | null>
  readonly #watchers = new Set<() => void>()
  #lastId = 0
  #from = 0
  /** Answers what the host asks of the editor. */
  answers: { [method: string]: (params: Message['params']) => object } = {}

  constructor(cwd: string, env: { readonly [name: string]: string }) {
    const words = [...cliArguments(), 'host']
    this.child = spawn(process.execPath, words, { cwd, env: { PATH: process.env.PATH, NO_COLOR: '1', ...env } })
    this.child.stdin.on('error', () => {})
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.ended = new Promise((resolve) => this.child.once('close', resolve))
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#take(JSON.parse(line)))
  }

  raw(text: string | Uint8Array): void {
    this.child.stdin.write(text)
  }

  send(message: object): void {
    this.raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** The id of the request, for those who cancel it. */
  begin(method: string, params: object = {}): number {
    const id = ++this.#lastId
    this.send({ id, method, params })
    return id
  }

  async answerTo(id: number): Promise<Message> {
    return this.until((message) => message.id === id && message.method === undefined)
  }

  request(method: string, params: object = {}): Promise<Message> {
    return this.answerTo(this.begin(method, params))
  }

  async result(method: string, params: object = {}): Promise<Message['result']> {
    const { result, error } = await this.request(method, params)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  initialize(offers: readonly string[] = []): Promise<Message['result']> {
    return this.result('initialize', { protocol: 1, editor: { name: 'raw', version: '1' }, offers })
  }

  async event(method: string, fits: (params: Message['params']) => boolean = () => true): Promise<Message['params']> {
    return (await this.until((message) => message.method === method && fits(message.params))).params
  }

  /** What came so far is not looked at any more. */
  mark(): void {
    this.#from = this.messages.length
  }

  until(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#watchers.delete(look)
        reject(new Error(`nothing came: ${JSON.stringify(this.messages.slice(-5))} ${this.stderr.slice(-500)}`))
      }, DEADLINE_MS)
      const look = (): void => {
        const found = this.messages.slice(this.#from).find(fits)
        if (found === undefined) return
        clearTimeout(late)
        this.#watchers.delete(look)
        resolve(found)
      }
      this.#watchers.add(look)
      look()
    })
  }

  async close(): Promise<number | null> {
    this.child.stdin.end()
    return this.ended
  }

  #take(message: Message): void {
    this.messages.push(message)
    const answer = message.method === undefined ? undefined : this.answers[message.method]
    if (message.id !== undefined && answer !== undefined) this.send({ id: message.id, result: answer(message.params) })
    for (const watcher of [...this.#watchers]) watcher()
  }
}
