/**
 * Runs an example as a client would, as a child process that speaks JSON lines, with nothing of the SDK on this side:
 * the tests beside it see the wire as it is.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Whatever was parsed: tests reach into it freely, and fail where it is not what they expect. */
export type Json = { [key: string]: ReturnType<typeof JSON.parse> }

export const MODERN = '2026-07-28'

export const examplesFolder = fileURLToPath(new URL('..', import.meta.url))

/** A resolved address, since Node would look for a bare name from the working directory. */
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** The `_meta` that every request of the newest revision carries. */
export function envelope(capabilities: Json = {}, more: Json = {}): Json {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  }
}

/** Node's arguments for running an example from source. */
export function exampleArguments(file: string, args: string[] = []): string[] {
  return ['--conditions=portico-source', '--import', TSX, join(examplesFolder, file), ...args]
}

export function spawnExample(file: string, args: string[] = [], env: { [name: string]: string } = {}): ChildProcess {
  return spawn(process.execPath, exampleArguments(file, args), { env: { ...process.env, ...env } })
}

export class StdioExample {
  /** Notifications in order of arrival. */
  readonly notices: Json[] = []
  /** Answers the server's own requests, by method. */
  readonly answers: { [method: string]: (params: Json) => Json } = {}
  stderr = ''
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, { resolve(message: Json): void; reject(error: Error): void }>()
  readonly #watchers = new Set<() => void>()
  #lastId = 0

  constructor(file: string, args: string[] = []) {
    this.#child = spawnExample(file, args)
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#receive(JSON.parse(line)))
    this.#child.once('exit', (code) => {
      const error = new Error(`the example exited with ${code}: ${this.stderr}`)
      for (const { reject } of this.#waiting.values()) reject(error)
    })
    this.#child.stderr!.on('data', (chunk) => {
      this.stderr += chunk
      for (const watch of this.#watchers) watch()
    })
  }

  /** Sends a request and resolves with the whole response. */
  request(method: string, params: Json = {}): Promise<Json> & { readonly id: number } {
    const id = ++this.#lastId
    const response = new Promise<Json>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    // Some requests are never answered, by design; whoever waits for the response still hears of the failure.
    response.catch(() => {})
    this.send({ jsonrpc: '2.0', id, method, params })
    return Object.assign(response, { id })
  }

  /** A request of the newest revision. */
  modern(
    method: string,
    params: Json = {},
    capabilities: Json = {},
    meta: Json = {},
  ): Promise<Json> & { readonly id: number } {
    return this.request(method, { ...params, _meta: envelope(capabilities, meta) })
  }

  async initialize(protocolVersion: string, capabilities: Json = {}): Promise<Json> {
    const clientInfo = { name: 'test', version: '1' }
    const { result } = await this.request('initialize', { protocolVersion, capabilities, clientInfo })
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return result
  }

  send(message: Json): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  /** Resolves when `found` finds something, looking again at every message and every word on stderr. */
  until<T>(found: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const watch = (): void => {
        const value = found()
        if (value === undefined || value === false) return
        this.#watchers.delete(watch)
        resolve(value)
      }
      this.#watchers.add(watch)
      watch()
    })
  }

  notice(method: string): Promise<Json> {
    return this.until(() => this.notices.find((notice) => notice.method === method))
  }

  /** Ends the input; resolves with the exit code. */
  end(): Promise<number | null> {
    const exited = new Promise<number | null>((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin!.end()
    return this.#child.exitCode === null ? exited : Promise.resolve(this.#child.exitCode)
  }

  #settle(message: Json): void {
    this.#waiting.get(message.id)?.resolve(message)
    this.#waiting.delete(message.id)
  }

  #receive(message: Json): void {
    if (message.method === undefined) this.#settle(message)
    else if (message.id === undefined) this.notices.push(message)
    else this.send({ jsonrpc: '2.0', id: message.id, result: this.answers[message.method]?.(message.params) })
    for (const watch of this.#watchers) watch()
  }
}
