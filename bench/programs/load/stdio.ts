/** Load over a pipe: keeps so many requests in flight, all answers of one read making room for as many requests. */

import type { Readable, Writable } from 'node:stream'
import { type Call, type Era, FIRST_ID, INITIALIZED, initializeText, toTemplate } from './messages.ts'

export class StdioLoad {
  readonly #stdin: Writable
  readonly #era: Era
  #nextId = FIRST_ID
  #rest: Buffer | undefined
  #isFirst = true
  #onAnswers: (count: number) => void = () => {}
  #onFault: (error: Error) => void = () => {}

  constructor(stdin: Writable, stdout: Readable, era: Era) {
    this.#stdin = stdin
    this.#era = era
    stdout.on('data', (bytes: Buffer) => this.#read(bytes))
    stdout.on('close', () => this.#onFault(new Error('the server has ended')))
  }

  async open(): Promise<void> {
    if (this.#era === 'modern') return
    await new Promise<void>((resolve, reject) => {
      this.#onAnswers = () => resolve()
      this.#onFault = reject
      this.#stdin.write(`${initializeText()}\n`)
    })
    this.#stdin.write(`${INITIALIZED}\n`)
  }

  async connect(): Promise<void> {}

  run(call: Call, inFlight: number, ms: number): Promise<{ calls: number; ms: number }> {
    const { before, after } = toTemplate(call, this.#era)
    const send = (count: number): void => {
      let text = ''
      for (let sent = 0; sent < count; sent++) text += `${before}${this.#nextId++}${after}\n`
      this.#stdin.write(text)
    }
    const start = performance.now()
    let calls = 0
    let open = inFlight
    return new Promise((resolve, reject) => {
      this.#onFault = reject
      this.#onAnswers = (count) => {
        calls += count
        if (performance.now() - start < ms) send(count)
        else {
          open -= count
          if (open === 0) resolve({ calls, ms: performance.now() - start })
        }
      }
      send(inFlight)
    })
  }

  #read(bytes: Buffer): void {
    let count = 0
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      if (this.#isAnswer(bytes, start, end)) count++
      start = end + 1
      this.#rest = undefined
    }
    if (start < bytes.length) {
      // Only the beginning is needed to tell an answer from a notification.
      const tail = bytes.subarray(start)
      this.#rest =
        this.#rest === undefined ? tail.subarray(0, PEEK) : Buffer.concat([this.#rest, tail]).subarray(0, PEEK)
    }
    if (count > 0) this.#onAnswers(count)
  }

  #isAnswer(bytes: Buffer, start: number, end: number): boolean {
    const line = bytes.subarray(start, Math.min(end, start + PEEK))
    const text = (this.#rest === undefined ? line : Buffer.concat([this.#rest, line])).toString('latin1')
    if (text.includes('"method"')) return false
    if (this.#isFirst && text.includes('"result"')) this.#isFirst = false
    if (text.includes('"error":{')) this.#onFault(new Error(`the server refuses: ${text}`))
    return true
  }
}

/** Enough to see `method` or `result` in, whatever the order of members; some libraries write the id last. */
const PEEK = 200
