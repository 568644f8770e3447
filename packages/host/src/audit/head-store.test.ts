/** Whoever cuts a log must not find that opening it once more mends it. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditHead } from './chain.ts'
import type { HeadStore } from './head-store.ts'
import { type AuditLogOptions, openAuditLog } from './log.ts'
import { verifyAuditLog } from './verify.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-heads-'))
  file = join(folder, 'audit.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function createHeadStore(): HeadStore & { head: AuditHead | undefined } {
  return {
    head: undefined,
    async load() {
      return this.head
    },
    async save(head) {
      this.head = head
    },
  }
}

async function write(count: number, options: Omit<AuditLogOptions, 'file'> = {}): Promise<void> {
  const log = await openAuditLog({ file, ...options })
  for (let at = 0; at < count; at++) await log.append({ at: 1, type: 'event', what: `e${at}` })
  await log.close()
}

async function cut(count: number): Promise<void> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  await writeFile(
    file,
    lines
      .slice(0, -count)
      .map((line) => `${line}\n`)
      .join(''),
  )
}

const KEY = new Uint8Array(32).fill(7)

describe('a cut end stays found after the next start (host 8, sec-205)', () => {
  it.each([
    ['without a key', undefined],
    ['with a key', KEY],
  ])('%s: the head was removed, too', async (_, key) => {
    await write(10, { key })
    await cut(3)
    await rm(`${file}.head`)
    expect((await verifyAuditLog(file, { key })).ok).toBe(false)
    await write(0, { key })
    await write(2, { key })
    const { ok, problems } = await verifyAuditLog(file, { key })
    expect([ok, problems[0]?.kind]).toEqual([false, 'head-lost'])
  })

  it('the head was written anew to fit: the copy elsewhere tells', async () => {
    const headStore = createHeadStore()
    await write(7, { headStore })
    const head = await readFile(`${file}.head`, 'utf8')
    await write(3, { headStore })
    await cut(3)
    await writeFile(`${file}.head`, head)
    expect((await verifyAuditLog(file)).ok).toBe(true)
    expect((await verifyAuditLog(file, { headStore })).problems).toMatchObject([{ kind: 'truncated', sequence: 10 }])
    await write(1, { headStore })
    // From now on the log itself says so, whoever looks.
    const { problems } = await verifyAuditLog(file)
    expect(problems.map(({ kind }) => kind)).toEqual(['missing'])
  })

  it('the whole log was removed', async () => {
    const headStore = createHeadStore()
    await write(3, { headStore })
    await rm(file)
    await rm(`${file}.head`)
    await write(1, { headStore })
    expect((await verifyAuditLog(file, { headStore })).ok).toBe(false)
  })

  it.each<[string, HeadStore['load']]>([
    ['gone', async () => undefined],
    ['unreadable', () => Promise.reject(new Error('not a head'))],
  ])('log and head were put back and the copy is %s (attack B5, sec-255)', async (_, load) => {
    const headStore = createHeadStore()
    await write(3, { headStore })
    const before = await Promise.all([file, `${file}.head`].map((path) => readFile(path)))
    await write(3, { headStore })
    await Promise.all([file, `${file}.head`].map((path, at) => writeFile(path, before[at]!)))
    const { ok, problems } = await verifyAuditLog(file, { headStore: { ...headStore, load } })
    expect([ok, problems.map(({ kind }) => kind)]).toEqual([false, ['copy-lost']])
    const anew = createHeadStore()
    await write(1, { headStore: anew })
    await write(1, { headStore: anew })
    expect((await verifyAuditLog(file, { headStore: anew })).problems.map(({ kind }) => kind)).toEqual(['head-lost'])
  })

  it('a log of which files were given up still tells that it had a copy (attack B5, sec-255)', async () => {
    const headStore = createHeadStore()
    for (let round = 0; round < 6; round++) await write(20, { headStore, maxBytes: 1_000, maxFiles: 2 })
    expect((await verifyAuditLog(file, { headStore: createHeadStore() })).problems).toMatchObject([
      { kind: 'copy-lost' },
    ])
  })

  it('a new log and one from before copies were kept are whole (attack B5, sec-255)', async () => {
    const headStore = createHeadStore()
    await write(0, { headStore })
    expect(await verifyAuditLog(file, { headStore })).toMatchObject({ ok: true, records: 0 })
    await write(2)
    expect(await verifyAuditLog(file, { headStore })).toMatchObject({ ok: true, records: 2 })
    await rm(file)
    await rm(`${file}.head`)
    await write(2)
    expect(await verifyAuditLog(file, { headStore: createHeadStore() })).toMatchObject({ ok: true, records: 2 })
  })

  it('the copy was removed: its second beginning tells, the first is no problem', async () => {
    await write(2)
    const headStore = createHeadStore()
    await write(2, { headStore })
    expect(await verifyAuditLog(file, { headStore })).toMatchObject({ ok: true, records: 5 })
    await write(2, { headStore: createHeadStore() })
    expect((await verifyAuditLog(file)).problems).toMatchObject([{ kind: 'head-lost' }])
  })

  it('a whole log is whole, also after files were full and given up', async () => {
    const headStore = createHeadStore()
    for (let round = 0; round < 6; round++) await write(20, { headStore, maxBytes: 1_000, maxFiles: 2 })
    expect(await verifyAuditLog(file, { headStore })).toMatchObject({ ok: true, problems: [] })
    expect(await verifyAuditLog(file, { headStore, expect: { sequence: 1, hash: 'long gone' } })).toMatchObject({
      ok: true,
    })
  })
})

it('a log that is not there is not whole (host 8, sec-205)', async () => {
  const report = await verifyAuditLog(join(folder, 'mistyped.jsonl'))
  expect([report.ok, report.problems[0]?.kind]).toEqual([false, 'no-log'])
})
