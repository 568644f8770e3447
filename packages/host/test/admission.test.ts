import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import { searchAudit } from '../src/audit/search.ts'
import { defineServer } from '../src/config/define-server.ts'
import { memoryWords } from '../src/consent/memory-words.ts'
import type { Answer, Question } from '../src/consent/question.ts'

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-admission-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function start(options: HostOptions): Promise<Host> {
  const host = await createHost(options)
  cleanups.push(() => host.close())
  return host
}

/** A server program that leaves a file behind as soon as it runs. `extra` makes its command line long. */
function canary(folder: string, extra: readonly string[] = []) {
  const code = `require('fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '')`
  return defineServer('tool', { kind: 'stdio', command: process.execPath, args: ['-e', code, ...extra], env: {} })
}

const settled = (host: Host, server: string, wanted: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (wanted.includes(host.upstreams.view(server)?.state.state ?? '')) resolve()
    }
    host.upstreams.on('state', look)
    look()
  })

describe('a local server (sec-93)', () => {
  it('is shown with its whole command, however long, and does not run before somebody agrees', async () => {
    const folder = await makeFolder()
    const long = Array.from({ length: 1_000 }, (_, at) => `argument-${at}`)
    const asked: Question[] = []
    let answer: (answer: Answer) => void = () => {}
    await start({
      servers: [canary(folder, long)],
      ask: (question) => {
        asked.push(question)
        return new Promise<Answer>((resolve) => {
          answer = resolve
        })
      },
    })
    await expect.poll(() => asked.length).toBe(1)
    const body = asked[0]?.body
    expect(body?.kind === 'approval' && body.effect.kind === 'connect' && body.effect.shown).toContain('argument-999')
    // Code in the arguments is one of the things to look at first (sec-94).
    expect(body?.kind === 'approval' && body.warnings.join(' ')).toMatch(/code/i)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
    answer({ action: 'allow' })
    await expect.poll(() => existsSync(join(folder, 'ran'))).toBe(true)
  })

  it('never runs after a no, and its state says so', async () => {
    const folder = await makeFolder()
    const host = await start({ servers: [canary(folder)], ask: () => ({ action: 'deny' }) })
    await settled(host, 'tool', ['failed'])
    expect(host.upstreams.view('tool')?.state).toMatchObject({ reason: expect.stringContaining('Not allowed') })
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('asks again when the command changes, and not when it is the same', async () => {
    const folder = await makeFolder()
    const stateDir = await makeFolder()
    const shown: string[] = []
    const ask = ({ body }: Question): Answer => {
      if (body.kind === 'approval' && body.effect.kind === 'connect') shown.push(body.effect.shown)
      return { action: 'allow', remember: 'always', breadth: 'server' }
    }
    for (const extra of [[], [], ['--other']]) {
      const host = await start({ stateDir, servers: [canary(folder, extra)], ask })
      await settled(host, 'tool', ['failed'])
      await host.close()
    }
    expect(shown).toHaveLength(2)
    expect(shown[1]).toContain('--other')
  })

  it('is in the record with what came of it, not only with the yes (first hour M5)', async () => {
    const stateDir = await makeFolder()
    const code = 'console.error("Error: no such database"); process.exit(3)'
    const ends = defineServer('ends', { kind: 'stdio', command: process.execPath, args: ['-e', code], env: {} })
    const host = await start({ stateDir, servers: [ends], ask: () => ({ action: 'allow' }) })
    await settled(host, 'ends', ['failed'])
    const ended: unknown[] = []
    for await (const { type, what, outcome, reason } of searchAudit(host.audit?.file ?? '', { server: 'ends' })) {
      if (type === 'outcome') ended.push({ what, outcome, reason })
    }
    expect(ended).toEqual([
      { what: 'connect', outcome: 'error', reason: expect.stringContaining('exited with code 3') },
    ])
  })

  it('waits for a person, and does not call that starting (first hour M6)', async () => {
    const host = await start({ servers: [canary(await makeFolder())] })
    await expect.poll(() => host.inbox.pending().length).toBe(1)
    expect(host.upstreams.view('tool')?.state).toMatchObject({ state: 'starting', awaits: 'permission' })
    host.inbox.answer(host.inbox.pending()[0]?.id ?? '', { action: 'allow' })
    await settled(host, 'tool', ['failed'])
    expect(host.upstreams.view('tool')?.state.awaits).toBeUndefined()
  })

  it('is asked about once for as long as it is not stopped, and the question says so (first hour M2, H1)', async () => {
    const folder = await makeFolder()
    const asked: Question[] = []
    const host = await start({
      servers: [canary(folder)],
      upstreams: { breaker: { firstWaitMs: 1, longestWaitMs: 1 } },
      ask: (question) => {
        asked.push(question)
        return { action: 'allow' }
      },
    })
    await expect.poll(() => existsSync(join(folder, 'ran'))).toBe(true)
    await rm(join(folder, 'ran'))
    // It ended at once, and is started again by itself.
    await expect.poll(() => existsSync(join(folder, 'ran')), { timeout: 10_000 }).toBe(true)
    expect(asked).toHaveLength(1)
    expect(asked[0] && memoryWords(asked[0])).toMatchObject({
      once: 'until it is stopped: if it crashes or is lost, it is connected again without asking',
      always: `in this folder: ${process.cwd()}, for exactly this command`,
    })
    await host.upstreams.restart('tool')
    expect(asked).toHaveLength(2)
  })

  const leaving = {
    removed: (host: Host) => host.upstreams.remove('tool'),
    disabled: (host: Host) => host.upstreams.disable('tool'),
    'no longer configured': (host: Host) => host.upstreams.set([]),
  }
  it.each(Object.entries(leaving))('is no longer asked about once it is %s', async (_how, leave) => {
    const host = await start({ servers: [canary(await makeFolder())] })
    const asked = () => host.inbox.pending({ server: 'tool' }).length
    await expect.poll(asked).toBe(1)
    await leave(host)
    expect(asked()).toBe(0)
  })

  it('newcomer 19: is asked about as it is now, and no longer as it was before it was replaced', async () => {
    const host = await start({ servers: [canary(await makeFolder())] })
    const shown = () =>
      host.inbox
        .pending({ server: 'tool' })
        .map(({ body }) => (body.kind === 'approval' && body.effect.kind === 'connect' ? body.effect.shown : ''))
    await expect.poll(() => shown().length).toBe(1)
    await host.upstreams.set([canary(await makeFolder(), ['another'])])
    await expect.poll(() => shown().length).toBe(1)
    expect(shown()[0]).toContain('another')
  })

  it('is asked about once, however often it is started anew meanwhile', async () => {
    const host = await start({ servers: [canary(await makeFolder())] })
    const ids = () => host.inbox.pending({ server: 'tool' }).map(({ id }) => id)
    await expect.poll(ids).toHaveLength(1)
    const [first] = ids()
    void host.upstreams.restart('tool').catch(() => {})
    await expect.poll(() => ids().some((id) => id !== first)).toBe(true)
    expect(ids()).toHaveLength(1)
  })

  it('is still asked about after a restart of the host', async () => {
    const [folder, stateDir] = [await makeFolder(), await makeFolder()]
    const host = await start({ stateDir, servers: [canary(folder)] })
    await expect.poll(() => host.inbox.pending().length).toBe(1)
    const [before] = host.inbox.pending()
    await host.close()
    const next = await start({ stateDir })
    expect(next.inbox.pending().map(({ id }) => id)).toEqual([before?.id])
  })
})

it('waits for the user to sign in, and opens no page by itself (sec-103, sec-105)', async () => {
  const web = createServer((_request, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end())
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => web.close(resolve)))
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`
  const opened: URL[] = []
  const host = await start({
    servers: [defineServer('protected', { kind: 'http', url, headers: {} })],
    ask: () => ({ action: 'allow' }),
    signIn: {
      openPage: async (page) => {
        opened.push(page)
        return true
      },
    },
  })
  await settled(host, 'protected', ['needs-sign-in', 'failed'])
  expect(host.upstreams.view('protected')?.state.state).toBe('needs-sign-in')
  expect(opened).toEqual([])
})
