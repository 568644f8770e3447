/** A notice that outlived its workbench, and whoever listens there now (sec-289). */

import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toFailure } from './http/failure.ts'
import { serveWeb } from './http/http.ts'
import { announceRunning, createLinkKey, requestLink } from './running-workbench.ts'

let stateDir: string
let cleanups: (() => unknown)[] = []
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'portico-running-'))
})
afterEach(async () => {
  for (const cleanup of cleanups) await cleanup()
  cleanups = []
  await rm(stateDir, { recursive: true, force: true })
})

const KEY = createLinkKey()
const EVIL = 'http://evil.example/\u001B]0;owned\u0007?token='
const notices = () => readdir(join(stateDir, 'running'))

/** Says the same to every request, and remembers what it was told. */
async function stranger(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(JSON.stringify([request.url, request.rawHeaders]))
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const { port } = server.address() as AddressInfo
  cleanups.push(close)
  return { origin: `http://127.0.0.1:${port}`, heard, close }
}

async function notice(origin: string, pid = process.pid): Promise<void> {
  await mkdir(join(stateDir, 'running'), { recursive: true })
  await writeFile(join(stateDir, 'running', `${pid}-1.json`), JSON.stringify({ origin, key: KEY, pid }))
}

const json = (value: object) => (_: IncomingMessage, response: ServerResponse) => response.end(JSON.stringify(value))

it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
  ['a link of its own', json({ link: `${EVIL}x` })],
  ['a token without a proof', json({ token: 'x'.repeat(43) })],
  ['a proof that it made up', json({ nonce: 'n'.repeat(43), proof: 'p'.repeat(43), token: 'x'.repeat(43) })],
  ['control characters for all', json({ nonce: '\u001B[2J', proof: '\u0007', token: EVIL })],
  ['what is no JSON', (_, response) => response.end('<html>')],
  ['much more than an answer has', (_, response) => response.end('x'.repeat(1_000_000))],
  ['another address', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  [
    'the headers that it got',
    ({ headers }, response) =>
      response.end(JSON.stringify({ nonce: headers['x-portico-nonce'], proof: headers['x-portico-nonce'] })),
  ],
])('sec-289: whoever answers with %s is told no key and gives no link; the notice goes', async (_, answer) => {
  const { origin, heard } = await stranger(answer)
  await notice(origin)
  expect(await requestLink(stateDir)).toBeUndefined()
  expect(heard).toHaveLength(1)
  expect(heard.join()).not.toContain(KEY)
  expect(await notices()).toEqual([])
})

it('sec-289: nobody is asked where the workbench that wrote the notice has ended', async () => {
  const { origin, heard } = await stranger(json({ link: `${EVIL}x` }))
  await notice(origin, spawnSync(process.execPath, ['--version']).pid)
  expect(await requestLink(stateDir)).toBeUndefined()
  expect([heard, await notices()]).toEqual([[], []])
})

it.each([
  ['another protocol', 'https://127.0.0.1:1'],
  ['more than an address', 'http://127.0.0.1:1/\u001B[2J'],
])('sec-289: a notice with %s goes', async (_, origin) => {
  await notice(origin)
  expect([await requestLink(stateDir), await notices()]).toEqual([undefined, []])
})

it('sec-289: a notice of a place where nobody listens goes', async () => {
  const { origin, close } = await stranger(json({}))
  await close()
  await notice(origin)
  expect([await requestLink(stateDir), await notices()]).toEqual([undefined, []])
})

it('sec-289: a workbench is found behind a stranger, and the link is to where it said it is', async () => {
  const { origin } = await stranger(json({ link: `${EVIL}x` }))
  await notice(origin)
  const answer = async () => ({})
  const web = await serveWeb({ files: new Map(), answer, toFailure, linkKey: KEY })
  cleanups.push(() => web.close())
  await announceRunning(stateDir, web.origin, KEY)
  const link = await requestLink(stateDir)
  expect(link).toMatch(new RegExp(`^${web.origin}/\\?token=[\\w-]{43}$`))
  expect((await fetch(link ?? '', { redirect: 'manual' })).status).toBe(303)
})
