/**
 * A client that anybody wrote, as a program: it is started with the server's URL as its last argument (or where `{url}`
 * stands). Each line on its standard input is a call, `{"nonce","tool","arguments","timeoutMs"}`; it answers each with one line
 * on its standard output, `{"nonce","text"}` with the text of the result, or `{"nonce","error"}`, and with `delivery` where it
 * knows whether the call was sent.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** How a client that is a program is started. */
export interface ForeignCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
}

export interface ForeignEnd {
  readonly nonce: string
  readonly text?: string
  readonly error?: string
  readonly delivery?: string
  readonly afterMs: number
}

const MAX_SAID = 8_000
const MAX_END = 500

export class ForeignClient {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<string, (line: Partial<ForeignEnd>) => void>()
  readonly #gone: Promise<undefined>
  /** The end of what it wrote on standard error. */
  #said = ''

  constructor({ command, args, cwd }: ForeignCommand, url: string) {
    const words = args.some((word) => word.includes('{url}'))
      ? args.map((word) => word.replaceAll('{url}', url))
      : [...args, url]
    this.#child = spawn(command, words, { ...(cwd !== undefined && { cwd }), stdio: 'pipe' })
    this.#child.stdin.on('error', () => {})
    this.#gone = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#said = error.message
        resolve(undefined)
      })
      this.#child.once('exit', () => resolve(undefined))
    })
    this.#child.stderr.on('data', (bytes) => {
      this.#said = `${this.#said}${bytes}`.slice(-MAX_SAID)
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line))
  }

  /** Why it did not work, as far as it said: the line that names an error, or the end of what it wrote. */
  get said(): string {
    return whyOf(this.#said)
  }

  /** Sends one call; undefined when no end was told within `limitMs`, or ever. */
  async call(nonce: string, timeoutMs: number, limitMs: number): Promise<ForeignEnd | undefined> {
    const began = performance.now()
    const told = new Promise<Partial<ForeignEnd>>((resolve) => this.#waiting.set(nonce, resolve))
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), limitMs)
    })
    this.#child.stdin.write(`${JSON.stringify({ nonce, tool: 'work', arguments: { nonce, ms: 20 }, timeoutMs })}\n`)
    const line = await Promise.race([told, late, this.#gone])
    clearTimeout(timer)
    this.#waiting.delete(nonce)
    return line && { ...line, nonce, afterMs: performance.now() - began }
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return
    const ended = once(this.#child, 'exit')
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 2_000)
    await ended
    clearTimeout(timer)
  }

  #take(line: string): void {
    try {
      const told: unknown = JSON.parse(line)
      if (typeof told !== 'object' || told === null || !('nonce' in told)) return
      this.#waiting.get(String(told.nonce))?.(told as Partial<ForeignEnd>)
    } catch {
      // A program may write other things, too.
    }
  }
}

/** Programs write where an error came from before or after what it is: the line with its name says that. */
export function whyOf(said: string): string {
  const named = said.split('\n').find((line) => ERROR_LINE.test(line))
  return (named ?? said).trim().slice(-MAX_END)
}

const ERROR_LINE = /^\s*(?:Uncaught )?[\w.]*(?:Error|Exception)\b[^\n]{0,100}: \S/
