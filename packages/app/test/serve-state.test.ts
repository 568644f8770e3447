/** `portico serve` several times with one file: one gateway, by hand and by `--workers`, and `portico status` shows it. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { createFolder, type Running, startCli } from './cli.ts'

const LONG_MS = 90_000
const TOKEN = 'the-token-of-the-caller'
let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.close())

const start = (words: readonly string[]): Running =>
  startCli(words, { cwd: folder.path, env: { ...folder.env, PORTICO_TOKEN: TOKEN } })

async function write(name: string, state: object | undefined): Promise<string> {
  const file = join(folder.path, name)
  const gateway = { auth: { way: 'token' }, limits: { tools: { '*': { callsPerMinute: 4 } } }, ...(state && { state }) }
  await writeFile(file, JSON.stringify({ servers: { time: { module: 'time' } }, gateway }))
  return file
}

interface Status {
  readonly store: { readonly kind: string; readonly available: boolean }
  readonly replicas: readonly {
    readonly pid: number
    readonly state: string
    readonly sessions: number
    readonly address: string
  }[]
}

async function status(file: string): Promise<Status> {
  const { stdout } = await start(['status', file, '--json']).ended
  return JSON.parse(stdout) as Status
}

async function post(url: string, message: object, session?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(session && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
}

async function initialize(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const answer = await post(url, { method: 'initialize', id: 1, params })
  const session = answer.headers.get('mcp-session-id') ?? ''
  await post(url, { method: 'notifications/initialized' }, session)
  return session
}

const headers = { authorization: `Bearer ${TOKEN}` }

describe('the same file, served twice', () => {
  it(
    'is one gateway: a session of one is served by the other, limits are one, and status shows both',
    async () => {
      const file = await write('two.json', { sqlite: 'state.db' })
      const running = [start(['serve', file, '--port', '0']), start(['serve', file, '--port', '0'])]
      const urls = await Promise.all(running.map(async (one) => (await one.until('stdout', /http:\S+/))[0]))
      const client = await connect(urls[0] ?? '', { headers, versions: ['2025-11-25'] })
      expect((await client.listTools()).length).toBeGreaterThan(0)
      const session = await initialize(urls[0] ?? '')
      expect(await post(urls[1] ?? '', { method: 'tools/list', id: 2 }, session)).toMatchObject({ status: 200 })
      const other = await connect(urls[1] ?? '', { headers })
      const tools = await other.listTools()
      const name = tools.find((tool) => tool.name.endsWith('now'))?.name ?? ''
      const results = []
      for (let at = 0; at < 6; at++) results.push(await (at % 2 === 0 ? client : other).callTool(name, {}))
      expect(results.filter(({ isError }) => isError === true)).toHaveLength(2)
      await vi.waitFor(
        async () => {
          const { store, replicas } = await status(file)
          expect(store).toMatchObject({ kind: 'sqlite', available: true })
          expect(replicas.map(({ state }) => state)).toEqual(['ready', 'ready'])
          expect(replicas.map(({ address }) => address).sort()).toEqual([...urls].sort())
          expect(replicas.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(2)
        },
        { timeout: 20_000, interval: 500 },
      )
      await Promise.all([client.close(), other.close()])
      for (const { child } of running) child.kill('SIGTERM')
      expect((await Promise.all(running.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0])
    },
    LONG_MS,
  )
})

describe('portico serve --workers', () => {
  it(
    'serves from several processes on one port, replaces one that is killed, and ends all of them by one signal',
    async () => {
      const file = await write('workers.json', undefined)
      const port = await freePort()
      const running = start(['serve', file, '--port', `${port}`, '--workers', '2'])
      const [url] = await running.until('stdout', /http:\S+/)
      await running.until('stderr', /\[worker 2\] The gateway serves/)
      const client = await connect(url, { headers, versions: ['2025-11-25'] })
      expect((await client.listTools()).length).toBeGreaterThan(0)
      const look = await write('look.json', { sqlite: stateFile() })
      const pid = await vi.waitFor(
        async () => {
          const { stdout } = await start(['status', look, '--json']).ended
          const [first] = (JSON.parse(stdout) as Status).replicas
          if (first === undefined) throw new Error('nobody serves yet')
          return first.pid
        },
        { timeout: 60_000, interval: 200 },
      )
      // 0 would be this process and all that it belongs to.
      expect(pid).toBeGreaterThan(1)
      process.kill(pid, 'SIGKILL')
      await running.until('stderr', /ended: worker [12] \(SIGKILL\); started again in 0.5 s/)
      // Whichever of them had the session: the next takes it up.
      await vi.waitFor(async () => expect((await client.listTools()).length).toBeGreaterThan(0), { timeout: 20_000 })
      await client.close()
      running.child.kill('SIGTERM')
      expect((await running.ended).code).toBe(0)
    },
    LONG_MS,
  )
})

/** Where workers keep what they share unless the file says otherwise. */
function stateFile(): string {
  return join(folder.env.PORTICO_STATE_DIR ?? folder.path, 'workers.db')
}
