import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { packageOf } from './package-reference.ts'
import { resolvePackage } from './resolve-package.ts'
import { createVersionLedger } from './version-ledger.ts'

let server: Server
let registry: string
let asked: string[]
const answers = new Map<string, unknown>([
  ['/npm/@scope%2Fserver/latest', { name: '@scope/server', version: '1.4.0', dist: { integrity: 'sha512-abc' } }],
  ['/npm/server/1.0.0', { name: 'server', version: '1.0.0', dist: { shasum: 'abc' } }],
  ['/npm/liar/latest', { name: 'other', version: '1.0.0', dist: { integrity: 'x' } }],
  ['/npm/empty/latest', null],
  ['/npm/huge/latest', 'x'.repeat(2_000_000)],
])

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers.get(request.url ?? '')
    if (request.url === '/npm/moved/latest') response.setHeader('location', '/npm/server/1.0.0')
    response.statusCode = request.url === '/npm/moved/latest' ? 302 : answer === undefined ? 404 : 200
    response.end(JSON.stringify(answer ?? null))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Listening on a port, so that the address is not a path.
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`
})
afterAll(() => server.close())
beforeEach(() => {
  asked = []
})

const reference = (...args: string[]) => packageOf({ kind: 'stdio', command: 'npx', args, env: {} })!

describe('which version a registry would give', () => {
  it('is asked with its integrity', async () => {
    const found = await resolvePackage(reference('-y', '@scope/server'), { registry: `${registry}/` })
    expect(found).toEqual({ name: '@scope/server', version: '1.4.0', integrity: 'sha512-abc' })
    expect(await resolvePackage(reference('server@1.0.0'), { registry })).toMatchObject({ integrity: 'sha1-abc' })
  })

  it.each(['absent', 'liar', 'empty', 'huge'])('is not believed: %s', async (name) => {
    await expect(resolvePackage(reference(name), { registry })).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('is not asked of whoever the registry names, nor of what is no address of the web (sec-283)', async () => {
    await expect(resolvePackage(reference('moved'), { registry })).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toEqual(['/npm/moved/latest'])
    const sent: unknown[] = []
    const send: typeof fetch = async (url) => Response.json(sent.push(url))
    const data = resolvePackage(reference('server'), { registry: 'ftp://a.example/', fetch: send })
    await expect(data).rejects.toMatchObject({ code: 'unavailable' })
    expect(sent).toEqual([])
  })

  it.each(['github:a/b', '../../etc', 'a@../x', 'a@http://x.example'])('is not asked for %s', async (spec) => {
    expect(await resolvePackage(reference(spec), { registry })).toBeUndefined()
    expect(asked).toEqual([])
  })

  it('gives up in time', async () => {
    const hang: typeof fetch = (_, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const waiting = resolvePackage(reference('server'), { registry, fetch: hang, timeoutMs: 10 })
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('the ledger of versions', () => {
  const first = { name: 'server', version: '1.0.0', integrity: 'sha512-a' }
  it.each([
    ['the same', first, 'same', undefined],
    ['another version', { ...first, version: '1.1.0' }, 'changed', 'server is now 1.1.0; it was 1.0.0'],
    [
      'another content',
      { ...first, integrity: 'sha512-b' },
      'changed',
      'server 1.0.0 has another content than before under the same version',
    ],
    ['another package', { ...first, name: 'servr' }, 'changed', 'The package is servr 1.0.0; it was server 1.0.0'],
  ])('%s', async (_, next, kind, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'ledger-'))
    const file = join(folder, 'versions.json')
    const ledger = createVersionLedger({ file, now: () => 7 })
    expect(await ledger.check('s', first)).toEqual({ kind: 'first' })
    await ledger.record('s', first)
    const found = await createVersionLedger({ file }).check('s', next)
    expect(found).toMatchObject(message === undefined ? { kind } : { kind, message, before: { since: 7 } })
    // Not agreed to yet: it is reported again.
    expect((await ledger.check('s', next)).kind).toBe(kind)
    await ledger.record('s', next)
    expect((await ledger.check('s', next)).kind).toBe('same')
    await ledger.forget('s')
    expect(await ledger.list()).toEqual([])
    await writeFile(file, 'nonsense')
    const warnings: string[] = []
    const later = createVersionLedger({ file, onWarning: (text) => warnings.push(text) })
    expect((await later.check('s', first)).kind).toBe('first')
    expect(warnings).toHaveLength(1)
    await rm(folder, { recursive: true })
  })
})
