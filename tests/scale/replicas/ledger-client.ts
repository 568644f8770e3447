/** A client that notes words without end, on one session or on none, and keeps account of what it was told. */

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'ledger', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const CALL_MS = 30_000

/** What became of each word. */
export interface Account {
  readonly done: string[]
  /** Nothing was done, it says. */
  readonly notSent: string[]
  /** It may have been done, it says. */
  readonly unknown: string[]
  /** Anything else: no answer that tells. */
  readonly wrong: string[]
  /** Sessions that were not known any more. */
  lost: number
}

export function newAccount(): Account {
  return { done: [], notSent: [], unknown: [], wrong: [], lost: 0 }
}

export class LedgerClient {
  readonly #url: string
  readonly #name: string
  readonly #version: string
  #headers: { [name: string]: string } = {}
  #count = 0

  constructor(url: string, name: string, version: string) {
    this.#url = url
    this.#name = name
    this.#version = version
  }

  get isModern(): boolean {
    return this.#version === '2026-07-28'
  }

  async open(): Promise<void> {
    if (this.isModern) {
      this.#headers = { 'mcp-protocol-version': this.#version, 'mcp-method': 'tools/call', 'mcp-name': 'note' }
      return
    }
    const params = { protocolVersion: this.#version, capabilities: {}, clientInfo: { name: 'ledger', version: '1' } }
    const answer = await this.#post({ id: 'open', method: 'initialize', params })
    await answer.text()
    const id = answer.headers.get('mcp-session-id')
    if (id === null) throw new Error(`initialize: ${answer.status}`)
    // The revisions before 2025-06-18 have no such header.
    const told = this.#version >= '2025-06-18' && { 'mcp-protocol-version': this.#version }
    this.#headers = { 'mcp-session-id': id, ...told }
    await (await this.#post({ method: 'notifications/initialized' })).text()
    const subscribed = await this.#post({
      id: 'subscribe',
      method: 'resources/subscribe',
      params: { uri: 'note:///one' },
    })
    const text = await subscribed.text()
    if (!subscribed.ok || text.includes('"error"')) throw new Error(`subscribe: ${text}`)
  }

  /** Notes one more word. Every fifth is told of its progress, on a stream. */
  async note(account: Account, change = false): Promise<void> {
    const word = `${this.#name}-${++this.#count}`
    const slowly = this.#count % 5 === 0
    const meta = { ...(this.isModern && META), ...(slowly && { progressToken: word }) }
    const params = { name: 'note', arguments: { word, slowly, change }, _meta: meta }
    try {
      const answer = await this.#post({ id: word, method: 'tools/call', params })
      judge(word, answer.status, await answer.text(), account)
    } catch {
      // The connection broke off, which says nothing.
      account.unknown.push(word)
    }
  }

  /** Waits on the session's stream until it is told that the resource changed. */
  async hearsOf(change: () => Promise<void>): Promise<boolean> {
    const signal = AbortSignal.timeout(CALL_MS)
    const headers = { ...this.#headers, accept: 'text/event-stream' }
    const stream = await fetch(this.#url, { headers, signal })
    if (!stream.ok || stream.body === null) return false
    void change()
    let text = ''
    for await (const chunk of stream.body) {
      text += Buffer.from(chunk).toString('utf8')
      if (text.includes('note:///one')) return true
    }
    return false
  }

  #post(message: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    const signal = AbortSignal.timeout(CALL_MS)
    return fetch(this.#url, { method: 'POST', headers: { ...JSON_HEADERS, ...this.#headers }, body, signal })
  }
}

function judge(word: string, status: number, text: string, account: Account): void {
  if (status === 404) account.lost++
  const answer = text.split('\n').findLast((line) => line.includes('"result"') || line.includes('"error"')) ?? ''
  const isDone = status === 200 && /"result"(?!.*"isError":true)/.test(answer) && answer.includes(word)
  if (isDone) account.done.push(word)
  else if (answer.includes('"delivery":"not-sent"') || (status === 503 && answer !== '')) account.notSent.push(word)
  else if (answer.includes('"delivery":"unknown"') || status === 502) account.unknown.push(word)
  // A stream that broke off before its answer: the client knows that it does not know.
  else if (status === 200 && answer === '') account.unknown.push(word)
  else account.wrong.push(`${word}: ${status} ${text.slice(0, 200)}`)
}
