/** A served program as a client sees it: a real process, its streams and its exit. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const PROGRAM = (source: string) => `
  import { tool } from ${JSON.stringify(join(source, 'server/items/definition.ts'))}
  import { createServer } from ${JSON.stringify(join(source, 'server/server.ts'))}
  import { serveStdio } from ${JSON.stringify(join(source, 'serve/stdio.ts'))}
  const { log } = console
  const server = createServer({
    name: 'program',
    version: '1',
    tools: {
      print: tool({}, () => {
        console.log('stray: console')
        log('stray: captured console')
        process.stdout.write('stray: write\\n')
        return 'printed'
      }),
      slow: tool({}, async ({ ms, size = 4 }) => {
        await new Promise((resolve) => setTimeout(resolve, ms))
        return 'x'.repeat(size)
      }),
    },
  })
  setInterval(() => {}, 1000)
  serveStdio(server, { graceMs: Number(process.argv[2]) })
`

let folder = ''
let file = ''
const running: ChildProcessWithoutNullStreams[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stdio-'))
  file = join(folder, 'program.mts')
  await writeFile(file, PROGRAM(join(import.meta.dirname, '..')))
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rm(folder, { recursive: true }))

function start(graceMs = 5000) {
  const child = spawn(process.execPath, [`--import=${import.meta.resolve('tsx')}`, file, String(graceMs)])
  running.push(child)
  child.stdin.on('error', () => {})
  let [out, err] = ['', '']
  let wake = (): void => {}
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
    wake()
  })
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  const ended = new Promise<{ code: number | null; signal: string | null; lines: unknown[]; err: string }>(
    (resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, err, lines: lines() }))
    },
  )
  // Throws on a line that is not JSON, which is the point of the tests on stray output.
  const lines = (): unknown[] =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      wake = () => lines().length >= count && resolve()
      wake()
    })
  return { child, ended, until, say: (...messages: unknown[]) => child.stdin.write(toLines(messages)) }
}

const toLines = (messages: unknown[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('')

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const call = (id: number, name: string, args = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: META },
})
const listen = {
  jsonrpc: '2.0',
  id: 'l',
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true }, _meta: META },
}

it('keeps everything but messages off stdout (sec-39)', async () => {
  const { child, ended, say } = start()
  say(call(1, 'print'))
  child.stdin.end()
  const { lines, err } = await ended
  expect(lines).toMatchObject([{ id: 1, result: { content: [{ text: 'printed' }] } }])
  for (const stray of ['console', 'captured console', 'write']) expect(err).toContain(`stray: ${stray}\n`)
  expect(err.match(/stdout carries protocol messages/g)).toHaveLength(1)
})

describe('exits with code 0', () => {
  it('at the end of input, after the answers to what is under way (sec-44)', async () => {
    const { child, ended } = start()
    child.stdin.end(toLines([call(1, 'slow', { ms: 50 }), listen, call(2, 'slow', { ms: 1 })]))
    const { code, lines } = await ended
    expect(code).toBe(0)
    const ids = lines.flatMap((line) => (line as { id?: unknown }).id ?? [])
    expect(ids.sort()).toEqual([1, 2, 'l'])
  })

  it('at the end of input although a call does not end, when the grace is over', async () => {
    const { child, ended } = start(50)
    child.stdin.end(toLines([call(1, 'slow', { ms: 600_000 })]))
    expect(await ended).toMatchObject({ code: 0, lines: [] })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('on %s, after the answers to what is under way (fault 6)', async (signal) => {
    const { child, ended, say, until } = start()
    say(call(1, 'slow', { ms: 100 }), call(2, 'print'))
    await until(1)
    child.kill(signal)
    const { code, lines } = await ended
    expect(code).toBe(0)
    expect(lines).toMatchObject([{ id: 2 }, { id: 1 }])
  })

  it('when nobody reads its answers any more (EPIPE)', async () => {
    const { child, ended, say, until } = start()
    say(call(1, 'print'))
    await until(1)
    child.stdout.destroy()
    // A process that another test starts at this very moment may hold the closed end for an instant, so a single
    // answer may still find a reader: calls are made until one does not.
    const asking = setInterval(() => say(call(2, 'print')), 100)
    const end = await ended
    clearInterval(asking)
    expect(end).toMatchObject({ code: 0 })
  })
})

it('exits at once on a second signal', async () => {
  const { child, ended, say, until } = start(60_000)
  say(call(1, 'slow', { ms: 600_000 }), call(2, 'print'))
  await until(1)
  child.stderr.once('data', () => {})
  child.kill('SIGTERM')
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 1 })
})

it('gives megabytes of answers to a slow reader before it exits', async () => {
  const { child, ended } = start()
  child.stdout.pause()
  child.stdin.end(toLines(Array.from({ length: 2000 }, (_, id) => call(id, 'slow', { ms: 0, size: 5000 }))))
  await new Promise((resolve) => child.stdin.once('finish', resolve))
  child.stdout.resume()
  const { code, lines } = await ended
  expect([code, lines.length]).toEqual([0, 2000])
  expect(lines.every((line) => 'result' in (line as object))).toBe(true)
})
