/** A client of either era that says what became of each call; sessions may be opened at one replica and used at another. */

import { type Agent, type IncomingMessage, request } from 'node:http'

export type Era = '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28'

/** `refused` is a 503 with `Retry-After`: nothing was done, it says. `wrong` is all that no client could make sense of. */
export type Ending = 'done' | 'refused' | 'unknown' | 'wrong'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const MODERN = '2026-07-28'
const INFO = { name: 'measured', version: '1' }
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const ACCEPT = 'application/json, text/event-stream'
const CALL_MS = 60_000

export class Caller {
  readonly era: Era
  readonly #agent: Agent
  readonly #name: string
  #headers: { [name: string]: string }
  #count = 0

  constructor(era: Era, name: string, agent: Agent) {
    this.era = era
    this.#name = name
    this.#agent = agent
    const own = { 'mcp-method': 'tools/call', 'mcp-name': 'note' }
    this.#headers = { 'mcp-protocol-version': era, ...(era === MODERN && own) }
  }

  /** Opens the session where there are any. */
  async open(port: number): Promise<Answer | undefined> {
    if (this.era === MODERN) return undefined
    const params = { protocolVersion: this.era, capabilities: {}, clientInfo: INFO }
    const answer = await this.#post(port, { id: 'open', method: 'initialize', params })
    const id = answer.headers['mcp-session-id']
    if (typeof id !== 'string') return answer
    this.#headers = { ...this.#headers, 'mcp-session-id': id }
    return this.#post(port, { method: 'notifications/initialized' })
  }

  /** Notes one more word, and says which and what became of it. */
  async note(port: number): Promise<{ readonly word: string; readonly ending: Ending; readonly why: string }> {
    const word = `${this.#name}-${++this.#count}`
    const params = { name: 'note', arguments: { word }, ...(this.era === MODERN && { _meta: META }) }
    try {
      const answer = await this.#post(port, { id: word, method: 'tools/call', params })
      return { word, ending: judge(answer, word), why: `${answer.status} ${answer.text.slice(0, 200)}` }
    } catch (error) {
      // A connection that broke off says nothing.
      return { word, ending: 'unknown', why: String(error) }
    }
  }

  /** Opens a stream of messages and leaves it open; gives the bytes that came on it so far. */
  async listen(port: number): Promise<() => number> {
    const isModern = this.era === MODERN
    const notifications = { resourceSubscriptions: ['note:///one'] }
    const params = { notifications, _meta: META }
    const body = isModern ? toBody({ id: 'listen', method: 'subscriptions/listen', params }) : undefined
    const method = isModern ? 'POST' : 'GET'
    const headers = { ...this.#headers, 'mcp-method': 'subscriptions/listen', 'mcp-name': '' }
    const { 'mcp-name': _name, ...named } = headers
    const answer = await this.#send(port, { method, headers: isModern ? named : this.#headers, body })
    let bytes = 0
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    if (answer.statusCode !== 200) throw new Error(`a stream was refused: ${answer.statusCode}`)
    return () => bytes
  }

  async #post(port: number, message: object): Promise<Answer> {
    const answer = await this.#send(port, { method: 'POST', headers: this.#headers, body: toBody(message) })
    let text = ''
    answer.setEncoding('utf8')
    for await (const chunk of answer) text += chunk
    return { status: answer.statusCode ?? 0, headers: answer.headers, text }
  }

  #send(
    port: number,
    { method, headers, body }: { method: string; headers: { [name: string]: string }; body: string | undefined },
  ): Promise<IncomingMessage> {
    const own = { ...headers, accept: ACCEPT, ...(body !== undefined && { 'content-type': 'application/json' }) }
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: '/mcp', method, agent: this.#agent, headers: own }, resolve)
      sent.setTimeout(CALL_MS, () => sent.destroy(new Error('no answer')))
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

function toBody(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message })
}

function judge({ status, headers, text }: Answer, word: string): Ending {
  const last = text.split('\n').findLast((line) => line.includes('"result"') || line.includes('"error"')) ?? ''
  if (status === 200 && last.includes('"result"') && last.includes(word) && !last.includes('"isError":true'))
    return 'done'
  if (status === 503) return headers['retry-after'] === undefined || last === '' ? 'wrong' : 'refused'
  return last.includes('"delivery":"unknown"') ? 'unknown' : 'wrong'
}
