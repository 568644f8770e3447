/** The host's own log: what must not be in it, and that its end cannot be cut off unnoticed. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyHostAudit } from '../src/assembly/audit-file.ts'
import { createHost } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import { defineServer } from '../src/config/define-server.ts'

let stateDir: string
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'portico-host-audit-'))
})
afterEach(() => rm(stateDir, { recursive: true, force: true }))

const CANARY = 'canary-0f6b2c-value'

/** A program that quotes its secret wherever it can: on standard error, and in the error of a call. */
const LEAKY = `
  let rest = ''
  process.stdin.on('data', (chunk) => {
    rest += chunk
    const lines = rest.split('\\n')
    rest = lines.pop()
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line)
      if (id === undefined) continue
      const send = (more) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...more }) + '\\n')
      if (method === 'initialize') send({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'l', version: '1' } } })
      else if (method === 'tools/list') send({ result: { tools: [{ name: 'leak', inputSchema: { type: 'object' } }] } })
      else {
        process.stderr.write('with ' + process.env.K + '\\n')
        send({ error: { code: -32000, message: 'refused for ' + process.env.K } })
      }
    }
  })`

const leaky = defineServer('leaky', {
  kind: 'stdio',
  command: process.execPath,
  args: ['-e', LEAKY],
  env: { K: `\${secret:k}` },
})

describe('a secret that was handed to a server (host 15, sec-206)', () => {
  it('is in no record, no error and no log line', async () => {
    const lines: string[] = []
    const host = await createHost({
      stateDir,
      servers: [leaky],
      secrets: { get: async () => CANARY },
      ask: () => ({ action: 'allow' }),
    })
    try {
      host.upstreams.on('log', ({ text }) => lines.push(text))
      await expect.poll(() => host.catalogue.find('leaky_leak'), { timeout: 30_000 }).toBeDefined()
      const error = await host.call('leaky_leak').then(
        () => undefined,
        (caught: unknown) => caught,
      )
      expect(String(error)).toContain('refused for [redacted]')
      expect(JSON.stringify(host.upstreams.view('leaky')?.state)).not.toContain(CANARY)
      await expect.poll(() => lines.join()).toContain('with [redacted]')
      expect(lines.join()).not.toContain(CANARY)
    } finally {
      await host.close()
    }
    expect(await readFile(join(stateDir, 'audit', 'audit.jsonl'), 'utf8')).not.toContain(CANARY)
  })
})

/** Decides something by hand, so that there are records. */
async function run(options: HostOptions = {}): Promise<void> {
  const inProcess = new Map([
    [
      'a',
      async () => ({
        server: createServer({
          name: 'a',
          version: '1',
          tools: { say: tool({ input: { type: 'object' } }, () => 'ok') },
        }),
      }),
    ],
  ])
  const servers = [defineServer('a', { kind: 'in-process', module: 'a', options: {} })]
  const host = await createHost({ stateDir, inProcess, servers, ask: () => ({ action: 'allow' }), ...options })
  await host.catalogue.gather()
  for (let round = 0; round < 3; round++) await host.call('a_say')
  await host.close()
}

describe('the log of a host', () => {
  const file = () => join(stateDir, 'audit', 'audit.jsonl')

  it('is found cut although its head was made to fit and the host has run since (host 8, sec-205)', async () => {
    await run()
    const head = await readFile(`${file()}.head`, 'utf8')
    const before = await readFile(file(), 'utf8')
    await run()
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([true])
    await writeFile(file(), before)
    await writeFile(`${file()}.head`, head)
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
    await run()
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
  })

  it('is missed when its whole folder is gone', async () => {
    await run()
    await rm(join(stateDir, 'audit'), { recursive: true })
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
  })

  it.each<[string, () => Promise<void>]>([
    ['deleted', () => rm(join(stateDir, 'audit-heads'))],
    ['without its key', () => rm(join(stateDir, 'audit-heads.key'))],
    ['overwritten', () => writeFile(join(stateDir, 'audit-heads'), 'garbage')],
  ])('is not whole when it was put back and the copy of its head is %s (attack B5, sec-255)', async (_, harm) => {
    await run()
    await cp(join(stateDir, 'audit'), join(stateDir, 'audit-before'), { recursive: true })
    await run()
    await rm(join(stateDir, 'audit'), { recursive: true })
    await cp(join(stateDir, 'audit-before'), join(stateDir, 'audit'), { recursive: true })
    await harm()
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
    await run()
    await run()
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
  })

  it('is missed when it and the copy are gone, but not what a host kept besides (attack B5, sec-255)', async () => {
    await run()
    for (const name of ['audit', 'audit-heads', 'audit-heads.key']) {
      await rm(join(stateDir, name), { recursive: true })
    }
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
    await run()
    const [report] = await verifyHostAudit(stateDir)
    expect([report?.ok, report?.problems[0]?.kind]).toEqual([false, 'head-lost'])
    expect(await readFile(file(), 'utf8')).toContain('audit-log-lost')
  })

  it('takes a key and words to redact (host 15)', async () => {
    const key = new Uint8Array(32).fill(3)
    await run({ audit: { key, redact: { values: () => ['a person allowed it', 'A person allowed it'] } } })
    const text = await readFile(file(), 'utf8')
    expect(text).toContain('hmac-sha256:')
    expect(text).toContain('[redacted]')
    expect((await verifyHostAudit(stateDir, { key })).map(({ ok }) => ok)).toEqual([true])
    expect((await verifyHostAudit(stateDir)).map(({ ok }) => ok)).toEqual([false])
  })
})
