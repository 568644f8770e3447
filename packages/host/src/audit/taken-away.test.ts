/** A log whose files are taken away, replaced or cut while it is written: no record goes where nobody finds it. */

import { mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AuditLog, openAuditLog } from './log.ts'
import { verifyAuditLog } from './verify.ts'

let folder: string
let file: string
let log: AuditLog
const told: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-taken-'))
  file = join(folder, 'audit', 'audit.jsonl')
  log = await openAuditLog({ file, onWarning: (message) => told.push(message) })
  for (const what of ['one', 'two', 'three']) await append(what)
})

afterEach(async () => {
  told.length = 0
  await log.close()
  await rm(folder, { recursive: true, force: true })
})

function append(what: string) {
  return log.append({ at: 1, type: 'decision', what })
}

async function written(): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { what: string }).what)
}

describe('a log that is taken away while it is written (sec-830)', () => {
  const WAYS: { readonly [way: string]: () => Promise<unknown> } = {
    removed: () => rm(file),
    'renamed to another name': () => rename(file, `${file}.old`),
    'removed with its head': () => Promise.all([rm(file), rm(`${file}.head`)]),
    'removed with its folder': () => rm(join(folder, 'audit'), { recursive: true }),
    'cut to nothing': () => truncate(file, 0),
    'replaced by another file': async () => {
      await writeFile(`${file}.new`, '')
      await rename(`${file}.new`, file)
    },
  }
  for (const [way, take] of Object.entries(WAYS)) {
    it(`is begun anew with the gap where it was ${way}`, async () => {
      await take()
      await append('four')
      await append('five')
      expect(await written()).toEqual(['audit-gap', 'four', 'five'])
      expect(told).toEqual([expect.stringContaining(file)])
      expect((await verifyAuditLog(file)).ok).toBe(false)
    })
  }

  it('goes on without a gap where it was renamed as its own full files are', async () => {
    await rename(file, `${file}.1`)
    await append('four')
    expect([await written(), told]).toEqual([['four'], []])
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 4 })
  })

  it('gets its head again where that alone was removed', async () => {
    await rm(`${file}.head`)
    await append('four')
    await log.close()
    expect((await written()).at(-1)).toBe('four')
    expect(await readFile(`${file}.head`, 'utf8')).toContain(`"sequence":${log.head().sequence}`)
  })

  it.skipIf(process.platform === 'win32')('refuses where no file can be, and says so once', async () => {
    const places: (() => Promise<unknown>)[] = [
      () => mkdir(file),
      () => symlink('/dev/full', file),
      () => symlink('/dev/null', file),
    ]
    for (const put of places) {
      told.length = 0
      await rm(file, { recursive: true })
      await put()
      await expect(append('four')).rejects.toMatchObject({ code: 'audit-broken' })
      await expect(append('five')).rejects.toMatchObject({ code: 'audit-broken' })
      expect([log.writable, told]).toEqual([false, [expect.stringContaining(`${file} is a folder, a device`)]])
      await rm(file, { recursive: true })
      await append('six')
      expect([log.writable, (await written()).slice(0, 2)]).toEqual([true, ['audit-gap', 'six']])
    }
  })

  it('refuses while another process has taken its place', async () => {
    await rm(join(folder, 'audit'), { recursive: true })
    await mkdir(join(folder, 'audit'))
    await writeFile(`${file}.lock`, JSON.stringify({ pid: process.ppid }))
    await expect(append('four')).rejects.toMatchObject({ code: 'audit-broken' })
    await log.close()
    expect(await readFile(`${file}.lock`, 'utf8')).toContain(String(process.ppid))
  })
})

describe('a log that is found cut when it is opened', () => {
  for (const left of [0, 1, 200]) {
    it(`warns whoever runs the program: ${left} bytes left`, async () => {
      await log.close()
      await truncate(file, left)
      log = await openAuditLog({ file, onWarning: (message) => told.push(message) })
      expect(told).toContainEqual(expect.stringContaining('Records at the end are missing or altered'))
    })
  }
})

it.skipIf(process.platform !== 'linux')('leaves nothing open when it cannot be opened', async () => {
  await log.close()
  await rm(file)
  await mkdir(file)
  const before = await countOpen()
  for (let round = 0; round < 5; round++) await expect(openAuditLog({ file })).rejects.toThrow()
  expect(await countOpen()).toBe(before)
})

async function countOpen(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).filter((path) => path.startsWith(folder)).length
}
