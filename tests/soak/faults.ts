/** What is done to the gateway, its servers, its callers and its store while it works: one of these a second. Each ends by itself. */

import { readdirSync, readFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openClient } from './load.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

export interface Fault {
  readonly name: string
  /** Where the host itself was asked for something, gives what became of it as a text. */
  run(world: World, random: Random): unknown
}

const MODERN = '2026-07-28'
const OLDER = '2025-11-25'
const BRIEFLY_MS = 300

export const FAULTS: readonly Fault[] = [
  { name: 'a server on HTTP is killed', run: ({ servers }, random) => signal(random.of(servers).pid, 'SIGKILL') },
  {
    name: 'a server on standard streams is killed',
    run: (world, random) => signal(random.of(pipesOf(world)), 'SIGKILL'),
  },
  {
    name: 'a server stands still',
    async run(world, random) {
      const pid = random.of([...pipesOf(world), ...world.servers.map((server) => server.pid)])
      signal(pid, 'SIGSTOP')
      await pause(BRIEFLY_MS)
      signal(pid, 'SIGCONT')
    },
  },
  {
    name: 'the way to a server is cut',
    async run({ breakers }, random) {
      const breaker = random.of(breakers)
      breaker.cut()
      await pause(BRIEFLY_MS)
      breaker.mend()
    },
  },
  {
    name: 'the way to a server is silent, then cut',
    async run({ breakers }, random) {
      const breaker = random.of(breakers)
      breaker.silence()
      await pause(BRIEFLY_MS)
      breaker.cut()
      breaker.mend()
    },
  },
  { name: 'a server does nothing else for a while', run: (world, random) => callOnce(world, random, 'block') },
  { name: 'a server says that its tools changed', run: (world, random) => callOnce(world, random, 'changed') },
  { name: 'a server is restarted by its operator', run: restart },
  { name: 'a caller hangs up during its call', run: (world, random) => abandon(world, random, MODERN) },
  { name: 'a caller of a session hangs up and does not come back', run: (world) => leaveSession(world) },
  { name: 'a caller cancels', run: cancel },
  { name: 'a caller leaves its question unanswered', run: leaveQuestion },
  { name: 'a caller does not read a large answer', run: stall },
  {
    name: 'somebody sends half a request',
    run: (world) => sendRaw(world, 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n'),
  },
  { name: 'somebody sends no HTTP', run: (world) => sendRaw(world, '\u0000\u0001 not HTTP\r\n\r\n') },
  { name: 'a caller makes a task and forgets it', run: (world) => startTask(world) },
  { name: 'a caller listens and goes', run: listen },
  {
    name: 'a conversation calls a tool',
    run: async ({ ask }, random) => (await ask({ do: 'converse', text: word(random) })).outcome,
  },
  {
    name: 'the host calls a tool',
    run: async ({ ask }, random) => (await ask({ do: 'act', text: word(random) })).outcome,
  },
  { name: 'somebody holds the state file', run: hold },
]

function word(random: Random): string {
  return `s-${Math.floor(random.next() * 1e9)}`
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, name)
  } catch {
    // It has ended since it was chosen.
  }
}

/** The programs on standard streams, which only the process under test has started. */
function pipesOf({ mark }: World): (number | undefined)[] {
  if (process.platform !== 'linux') return [undefined]
  const found = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${mark}\0stdio`)
    } catch {
      return false
    }
  })
  return found.length === 0 ? [undefined] : found.map(Number)
}

async function restart({ ask }: World, random: Random): Promise<string | undefined> {
  return (await ask({ do: 'restart', server: random.of(['pipe', 'newest', 'older']) })).outcome
}

/** A caller of its own makes one call; what becomes of it does not matter. */
async function callOnce({ port }: World, random: Random, tool: string): Promise<void> {
  const client = await openClient(port, word(random), random.of([MODERN, OLDER])).catch(() => undefined)
  const server = random.of(['pipe', 'newest', 'older'])
  await client?.callTool(`${server}_${tool}`, { text: 'x' }, { timeoutMs: 2_000 }).catch(() => {})
  await client?.close()
}

async function cancel({ port }: World, random: Random): Promise<void> {
  const client = await openClient(port, word(random), random.of([MODERN, OLDER])).catch(() => undefined)
  const stop = new AbortController()
  const called = client?.callTool('pipe_slow', { text: 'x' }, { signal: stop.signal }).catch(() => {})
  await pause(20)
  stop.abort()
  await called
  await client?.close()
}

async function listen({ port }: World, random: Random): Promise<void> {
  const client = await openClient(port, word(random), random.of([MODERN, OLDER])).catch(() => undefined)
  const stop = client?.on('change', () => {})
  await pause(BRIEFLY_MS)
  stop?.()
  await client?.close()
}

async function hold({ file }: World): Promise<void> {
  if (file === undefined) return
  const { default: Database } = await import('libsql')
  const db = new Database(file)
  try {
    db.exec('BEGIN IMMEDIATE')
    await pause(BRIEFLY_MS)
    db.exec('COMMIT')
  } catch {
    // Somebody else holds it: as good.
  } finally {
    db.close()
  }
}

async function abandon(world: World, random: Random, version: string): Promise<void> {
  const socket = request(
    world,
    'tools/call',
    { name: `${random.of(['pipe', 'newest'])}_slow`, arguments: { text: 'x' } },
    { version },
  )
  await pause(20)
  socket.resetAndDestroy()
}

async function leaveQuestion(world: World): Promise<void> {
  const socket = request(world, 'tools/call', { name: 'newest_ask', arguments: { text: 'x' } })
  await pause(BRIEFLY_MS)
  socket.destroy()
}

async function stall(world: World): Promise<void> {
  const socket = request(world, 'tools/call', { name: 'newest_big', arguments: { text: 'x' } })
  socket.pause()
  await pause(10 * BRIEFLY_MS)
  socket.destroy()
}

async function startTask(world: World): Promise<void> {
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const socket = request(
    world,
    'tools/call',
    { name: 'newest_slow', arguments: { text: 'x' } },
    { capabilities: { extensions } },
  )
  await pause(BRIEFLY_MS)
  socket.destroy()
}

/** A session that is opened and never closed. */
async function leaveSession(world: World): Promise<void> {
  const params = { protocolVersion: OLDER, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const socket = request(world, 'initialize', params, { version: OLDER })
  await pause(BRIEFLY_MS)
  socket.destroy()
}

async function sendRaw({ port }: World, text: string): Promise<void> {
  const socket = open(port)
  socket.write(text)
  await pause(10 * BRIEFLY_MS)
  socket.destroy()
}

interface Sent {
  readonly version?: string
  readonly capabilities?: object
}

/** A request on a connection of its own, written by hand. */
function request({ port }: World, method: string, params: object, sent: Sent = {}): Socket {
  const { version = MODERN, capabilities = { elicitation: { form: {} } } } = sent
  const _meta =
    version === MODERN
      ? {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        }
      : {}
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  const name = 'name' in params ? `Mcp-Name: ${params.name}\r\n` : ''
  const head = version === MODERN ? `Mcp-Protocol-Version: ${version}\r\nMcp-Method: ${method}\r\n${name}` : ''
  const socket = open(port)
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: stranger\r\nContent-Type: application/json\r\n` +
      `Accept: application/json, text/event-stream\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return socket
}

function open(port: number): Socket {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  return socket
}
