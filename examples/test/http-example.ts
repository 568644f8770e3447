/** Runs an example that serves over HTTP, and posts messages to it without any help of the SDK. */

import type { ChildProcess } from 'node:child_process'
import { envelope, type Json, MODERN, spawnExample } from './stdio-example.ts'

export class HttpExample {
  readonly child: ChildProcess
  stdout = ''

  constructor(file: string, env: { [name: string]: string }, args: string[] = []) {
    this.child = spawnExample(file, args, env)
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk
    })
  }

  /** Resolves with the match as soon as the program has printed one. */
  printed(pattern: RegExp): Promise<RegExpMatchArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = this.stdout.match(pattern)
        if (match !== null) resolve(match)
      }
      this.child.stdout?.on('data', look)
      this.child.once('exit', (code) => reject(new Error(`exited with ${code} before printing ${pattern}`)))
      look()
    })
  }

  /** Sends the signal; resolves with the exit code. */
  stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<number | null> {
    return new Promise((resolve) => {
      this.child.once('exit', resolve)
      this.child.kill(signal)
    })
  }
}

/** A request of the newest revision, with the headers it needs. */
export function modernRequest(url: string, method: string, params: Json = {}): Request {
  const name = params.name ?? params.uri
  return new Request(url, {
    method: 'POST',
    headers: {
      ...HEADERS,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope() } }),
  })
}

/** A request of an older revision. */
export function legacyRequest(url: string, message: Json, headers: { [name: string]: string } = {}): Request {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return new Request(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body })
}

/** The response in an answer, whether it came as JSON or as the last event of a stream. */
export async function responseOf(answer: Response): Promise<Json> {
  const text = await answer.text()
  if (answer.headers.get('content-type')?.startsWith('application/json')) return JSON.parse(text)
  const data = text.split('\n').filter((line) => line.startsWith('data: {'))
  return JSON.parse(data.at(-1)?.slice('data: '.length) ?? 'null')
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
