/** The limit for clients: one request, one answer, JSON both ways, over each of the ways that Node has. */

import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { Pool } from 'undici'
import { announceCaller } from '../control.ts'
import { command, SUM, startHttp } from './target.ts'

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
  'mcp-session-id': '00000000-0000-0000-0000-000000000000',
}

let id = 0

function body(): string {
  return JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: SUM })
}

function overNode(url: string): () => Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return () =>
    new Promise((resolve, reject) => {
      const text = body()
      const headers = { ...HEADERS, 'content-length': Buffer.byteLength(text) }
      const req = request(url, { method: 'POST', agent, headers }, (res) => {
        let answer = ''
        res.setEncoding('utf8')
        res.on('data', (chunk: string) => {
          answer += chunk
        })
        res.on('end', () => resolve(JSON.parse(answer)))
      })
      req.on('error', reject)
      req.end(text)
    })
}

function overUndici(url: string): () => Promise<unknown> {
  const { origin } = new URL(url)
  const pool = new Pool(origin, { connections: 32 })
  return async () => {
    const res = await pool.request({ path: '/mcp', method: 'POST', headers: HEADERS, body: body() })
    return JSON.parse(await res.body.text())
  }
}

function overFetch(url: string): () => Promise<unknown> {
  return async () => {
    const res = await fetch(url, { method: 'POST', headers: HEADERS, body: body() })
    return JSON.parse(await res.text())
  }
}

function overPipe(): () => Promise<unknown> {
  const child = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (value: unknown) => void>()
  let rest = ''
  let out = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message: { id: number } = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  const flush = (): void => {
    child.stdin.write(out)
    out = ''
  }
  return () =>
    new Promise((resolve) => {
      const text = body()
      waiting.set(id, resolve)
      if (out === '') queueMicrotask(flush)
      out += `${text}\n`
    })
}

const way = process.argv[2]
if (way === 'stdio') announceCaller(overPipe())
else {
  const url = await startHttp()
  announceCaller(way === 'undici' ? overUndici(url) : way === 'fetch' ? overFetch(url) : overNode(url))
}
