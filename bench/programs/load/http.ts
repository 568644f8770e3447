/**
 * Load over HTTP from sockets of our own: each keeps one request in flight and sends the next when the answer is
 * complete. It reads just enough of HTTP/1.1 to know where an answer ends, so that little time goes to the load.
 */

import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import {
  type Call,
  type Era,
  FIRST_ID,
  INITIALIZED,
  initializeText,
  LEGACY_VERSION,
  MODERN_VERSION,
  type Template,
  toTemplate,
  turnsOf,
} from './messages.ts'

export class HttpLoad {
  readonly #ports: readonly number[]
  readonly #era: Era
  readonly #opensAt: number
  readonly #lanes: Lane[] = []
  #session: Session | undefined
  #nextId = FIRST_ID
  #opened = 0

  /** Connections go to each of the ports in turn. */
  constructor(ports: readonly number[], era: Era, opensAt = ports[0] ?? 0) {
    this.#ports = ports
    this.#era = era
    this.#opensAt = opensAt
  }

  /** Opens a session where the era has them. */
  async open(): Promise<void> {
    if (this.#era === 'session') this.#session = await openSession(this.#opensAt)
  }

  /** Brings the connections up; servers close those that were idle while others had their turn, some in this moment. */
  async connect(inFlight: number): Promise<void> {
    const lanes = this.#lanes.splice(0)
    const alive = lanes.filter((lane) => lane.isFresh)
    for (const lane of lanes) if (!lane.isFresh) lane.close()
    while (alive.length < inFlight) alive.push(await Lane.open(this.#ports[this.#opened++ % this.#ports.length] ?? 0))
    this.#lanes.push(...alive)
  }

  /** Keeps `inFlight` calls going for `ms`, then lets the last ones finish; how many were answered, and how soon each. */
  async run(call: Call, inFlight: number, ms: number): Promise<{ calls: number; ms: number; times: number[] }> {
    const lanes = this.#lanes.slice(0, inFlight)
    const turns = turnsOf(call).map((one) => this.#text(one))
    const start = performance.now()
    const end = start + ms
    const times: number[] = []
    let calls = 0
    await Promise.all(
      lanes.map(
        (lane) =>
          new Promise<void>((resolve, reject) => {
            let sent = start
            const next = (at: number): void => {
              sent = at
              const id = this.#nextId++
              // There is a turn for every remainder.
              const { before, after } = turns[id % turns.length] as Template
              lane.send(before + id + after)
            }
            lane.onAnswer = () => {
              calls++
              const now = performance.now()
              times.push(now - sent)
              if (now < end) next(now)
              else resolve()
            }
            lane.onFault = reject
            if (lane.closed) reject(new Error('the server closed a connection'))
            else next(performance.now())
          }),
      ),
    )
    return { calls, ms: performance.now() - start, times }
  }

  close(): void {
    for (const lane of this.#lanes.splice(0)) lane.close()
  }

  /** A whole request, with a hole where the id goes. */
  #text(call: Call): Template {
    const { before, after } = toTemplate(call, this.#era)
    const length = Buffer.byteLength(before + after) + String(FIRST_ID).length
    return { before: this.#head(call, length) + before, after }
  }

  #head({ method, name }: Call, length: number): string {
    const own =
      this.#era === 'session'
        ? `mcp-session-id: ${this.#session?.id}\r\nmcp-protocol-version: ${this.#session?.version}\r\n`
        : `mcp-protocol-version: ${MODERN_VERSION}\r\nmcp-method: ${method}\r\n${name === undefined ? '' : `mcp-name: ${name}\r\n`}`
    return toHead(this.#opensAt, own, length)
  }
}

/** What `initialize` came to; not every server has the newest version that was asked for. */
export interface Session {
  readonly id: string
  readonly version: string
}

export async function openSession(port: number): Promise<Session> {
  const opened = await post(port, {}, initializeText())
  const id = opened.headers['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`no session: ${opened.text.slice(0, 300)}`)
  const version = /"protocolVersion":"([^"]+)"/.exec(opened.text)?.[1] ?? LEGACY_VERSION
  await post(port, { 'mcp-session-id': id, 'mcp-protocol-version': version }, INITIALIZED)
  return { id, version }
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

function post(port: number, own: OutgoingHttpHeaders, body: string) {
  const headers = { 'content-type': 'application/json', accept: ACCEPT, 'content-length': body.length, ...own }
  return new Promise<{ headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers }, (res) => {
      let text = ''
      res.setEncoding('utf8')
      res.on('data', (chunk: string) => {
        text += chunk
      })
      res.on('end', () => resolve({ headers: res.headers, text }))
    })
    req.on('error', reject)
    req.end(body)
  })
}

export const ACCEPT = 'application/json, text/event-stream'

function toHead(port: number, own: string, length: number): string {
  return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: ${ACCEPT}\r\n${own}content-length: ${length}\r\n\r\n`
}

const IDLE_MS = 2_000
const HEAD_END = Buffer.from('\r\n\r\n')

/** One keep-alive connection. */
class Lane {
  onAnswer: () => void = () => {}
  onFault: (error: Error) => void = () => {}
  closed = false
  readonly #socket: Socket
  #usedAt = performance.now()
  #head: Buffer | undefined
  #isFirst = true
  /** Bytes that are left of the body or of the chunk with its line end; undefined while a head is read. */
  #left: number | undefined
  #chunked = false
  /** The size line of a chunk that came in parts. */
  #sizeLine = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('error', (error) => this.onFault(error))
    socket.on('close', () => {
      this.closed = true
      this.onFault(new Error('the server closed a connection'))
    })
  }

  static open(port: number): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Lane(socket)))
      socket.once('error', reject)
    })
  }

  send(text: string): void {
    this.#socket.write(text)
  }

  close(): void {
    this.onFault = () => {}
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#left === undefined) {
        const rest = this.#readHead(at === 0 ? bytes : bytes.subarray(at))
        if (rest === undefined) return
        bytes = rest
        at = 0
        if (!this.#chunked && this.#left === 0) this.#done()
      } else if (this.#chunked && this.#left === 0) {
        at = this.#readSize(bytes, at)
      } else {
        const taken = Math.min(this.#left, bytes.length - at)
        at += taken
        this.#left -= taken
        if (this.#left === 0 && !this.#chunked) this.#done()
        if (this.#left === 0 && this.#chunked && this.#isLast) this.#done()
      }
    }
  }

  #isLast = false

  /** Returns what follows the head, or undefined while it is not complete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const whole = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes])
    const end = whole.indexOf(HEAD_END)
    if (end === -1) {
      this.#head = whole
      return undefined
    }
    this.#head = undefined
    const head = whole.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 200'))
      this.onFault(new Error(`unexpected answer: ${whole.toString().slice(0, 500)}`))
    if (this.#isFirst) this.#check(whole)
    const length = /content-length: *(\d+)/i.exec(head)
    this.#chunked = length === null
    this.#isLast = false
    this.#left = length === null ? 0 : Number(length[1])
    return whole.subarray(end + 4)
  }

  /** Reads a chunk's size line from `at`; returns where its data begins. */
  #readSize(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(10, at)
    this.#sizeLine += bytes.toString('latin1', at, end === -1 ? bytes.length : end)
    if (end === -1) return bytes.length
    const size = Number.parseInt(this.#sizeLine, 16)
    this.#sizeLine = ''
    this.#isLast = size === 0
    // The data, or the nothing after the last chunk, ends with a line end.
    this.#left = size + 2
    return end + 1
  }

  /** Sure to be kept by the server for another moment: Node closes what was idle for five seconds. */
  get isFresh(): boolean {
    return !this.closed && performance.now() - this.#usedAt < IDLE_MS
  }

  #done(): void {
    this.#left = undefined
    this.#usedAt = performance.now()
    this.onAnswer()
  }

  /** The first answer of a connection is looked at: a server that refuses quickly must not win. */
  #check(bytes: Buffer): void {
    this.#isFirst = false
    const text = bytes.toString()
    if (text.includes('"isError":true') || text.includes('"error":{')) {
      this.onFault(new Error(`the server refuses: ${text.slice(0, 500)}`))
    }
  }
}
