/**
 * Lines from the person at the terminal, one question at a time. What is asked in the middle of something goes before the
 * line they are typing, which comes back afterwards as they left it. Between questions the terminal is as the shell had
 * it, so that Ctrl-C is a signal.
 */

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Io } from './io.ts'

interface AskLineOptions {
  /** Takes the question back. */
  readonly signal?: AbortSignal
  /** Stands in the line already, to be edited. */
  readonly initial?: string
  /** Steps aside whenever something else is to be asked. */
  readonly patient?: boolean
  /** Nothing of it is shown while it is typed. */
  readonly secret?: boolean
  /** Earlier lines, newest first, for the arrow keys. */
  readonly history?: readonly string[]
}

export interface Terminal {
  /** The line, or undefined when the person ended the input (Ctrl-D) or the question was taken back. */
  ask(prompt: string, options?: AskLineOptions): Promise<string | undefined>
  /** Runs one dialogue of several questions, without others in between. */
  dialogue<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createTerminal(io: Io): Terminal {
  return new ReadlineTerminal(io)
}

class ReadlineTerminal implements Terminal {
  readonly #io: Io
  #dialogues: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** Ends the patient question that is on the screen; resolves when it has gone. */
  #stepAside: (() => Promise<void>) | undefined

  constructor(io: Io) {
    this.#io = io
  }

  async ask(prompt: string, options: AskLineOptions = {}): Promise<string | undefined> {
    if (options.patient !== true) return (await this.#read(prompt, options)).line
    let { initial } = options
    for (;;) {
      await this.#dialogues
      if (this.#waiting > 0) continue
      const { line, left } = await this.#readPatiently(prompt, { ...options, initial })
      if (left === undefined || options.signal?.aborted === true) return line
      initial = left
    }
  }

  dialogue<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting++
    const done = this.#dialogues.then(async () => {
      await this.#stepAside?.()
      try {
        return await work()
      } finally {
        this.#waiting--
      }
    })
    this.#dialogues = done.catch(() => {})
    return done
  }

  async #readPatiently(prompt: string, options: AskLineOptions): Promise<{ line?: string; left?: string }> {
    const aside = new AbortController()
    const signals = options.signal === undefined ? [aside.signal] : [aside.signal, options.signal]
    const reading = this.#read(prompt, { ...options, signal: AbortSignal.any(signals) })
    this.#stepAside = async () => {
      aside.abort()
      await reading
    }
    const { line, left } = await reading
    this.#stepAside = undefined
    return aside.signal.aborted ? { left } : { line }
  }

  #read(
    prompt: string,
    { signal, initial, history, secret }: AskLineOptions,
  ): Promise<{ readonly line?: string; readonly left: string }> {
    const { stdin, stderr } = this.#io
    if (signal?.aborted === true) return Promise.resolve({ left: initial ?? '' })
    const goOn = this.#io.holdProgress()
    return new Promise((resolve) => {
      const reader = createInterface({
        input: stdin,
        output: secret === true ? createSilence() : stderr,
        terminal: true,
        history: [...(history ?? [])],
        historySize: 200,
      })
      let line: string | undefined
      const close = (): void => {
        stderr.write('\r\u001B[2K')
        reader.close()
      }
      reader.once('line', (text) => {
        line = text
        if (secret === true) stderr.write('\n')
        reader.close()
      })
      reader.on('SIGINT', () => {
        stderr.write('^C\n')
        reader.close()
        this.#io.interrupt()
      })
      reader.once('close', () => {
        signal?.removeEventListener('abort', close)
        goOn()
        resolve({ ...(line !== undefined && { line }), left: reader.line })
      })
      signal?.addEventListener('abort', close, { once: true })
      if (secret === true) stderr.write(prompt)
      reader.setPrompt(prompt)
      reader.prompt()
      if (initial !== undefined) reader.write(initial)
    })
  }
}

function createSilence(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
