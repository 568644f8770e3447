/** Load over one WebSocket: so many requests in flight, each answer making room for the next. */

import { WebSocket } from 'ws'
import { type Call, type Era, FIRST_ID, INITIALIZED, initializeText, toTemplate } from './messages.ts'

export class WebSocketLoad {
  readonly #url: string
  readonly #era: Era
  #socket: WebSocket | undefined
  #nextId = FIRST_ID
  #onAnswer: (text: string) => void = () => {}
  #onFault: (error: Error) => void = () => {}

  constructor(port: number, era: Era) {
    this.#url = `ws://127.0.0.1:${port}/mcp`
    this.#era = era
  }

  async open(): Promise<void> {
    const socket = new WebSocket(this.#url, 'mcp')
    this.#socket = socket
    socket.on('message', (data) => this.#onAnswer(String(data)))
    socket.on('close', () => this.#onFault(new Error('the server closed the connection')))
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
    })
    if (this.#era === 'modern') return
    await new Promise<void>((resolve) => {
      this.#onAnswer = () => resolve()
      socket.send(initializeText())
    })
    socket.send(INITIALIZED)
  }

  async connect(): Promise<void> {}

  run(call: Call, inFlight: number, ms: number): Promise<{ calls: number; ms: number }> {
    const { before, after } = toTemplate(call, this.#era)
    const send = (): void => this.#socket?.send(`${before}${this.#nextId++}${after}`)
    const start = performance.now()
    let calls = 0
    let open = inFlight
    return new Promise((resolve, reject) => {
      this.#onFault = reject
      this.#onAnswer = (text) => {
        if (calls++ === 0 && text.includes('"error":{')) reject(new Error(`the server refuses: ${text}`))
        if (performance.now() - start < ms) send()
        else if (--open === 0) resolve({ calls, ms: performance.now() - start })
      }
      for (let sent = 0; sent < inFlight; sent++) send()
    })
  }
}
