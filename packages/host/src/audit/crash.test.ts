/** A writer that is killed while it writes, or leaves: what it was told to be written is there, and the chain holds. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openAuditLog } from './log.ts'
import { searchAudit } from './search.ts'
import { listSegments } from './segments.ts'
import { verifyAuditLog } from './verify.ts'

vi.mock(import('node:fs'), async (original) => {
  const found = await original()
  return { ...found, writeSync: vi.fn(found.writeSync) as unknown as typeof found.writeSync }
})
const real = await vi.importActual<typeof import('node:fs')>('node:fs')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-crash-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('every acknowledged record survives, over several lives and files', async () => {
  const file = join(folder, 'audit.jsonl')
  const program = join(folder, 'writer.mts')
  const source = new URL('./log.ts', import.meta.url).href
  await writeFile(
    program,
    `import { openAuditLog } from ${JSON.stringify(source)}
    const log = await openAuditLog({ file: ${JSON.stringify(file)}, maxBytes: 20_000 })
    for (;;) {
      const records = await Promise.all([1, 2, 3].map((at) => log.append({ at, type: 'event', what: 'beat' })))
      console.log(records.at(-1).sequence)
    }`,
  )
  let acknowledged = 0
  for (let life = 0; life < 2; life++) {
    const args = ['--import', 'tsx', '--conditions=portico-source', program]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    const goal = acknowledged + 300
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Math.max(acknowledged, Number(line))
      if (acknowledged >= goal) child.kill('SIGKILL')
    }
    await ended
  }
  await (await openAuditLog({ file })).close()
  const report = await verifyAuditLog(file)
  expect(report).toMatchObject({ ok: true, problems: [] })
  expect(report.head.sequence).toBeGreaterThanOrEqual(acknowledged)
  for await (const record of searchAudit(file, { type: 'event' }))
    expect(['beat', 'audit-torn-line']).toContain(record.what)
})

it('what waits when the program leaves is written (house 3)', async () => {
  const file = join(folder, 'audit.jsonl')
  const program = join(folder, 'leaver.mts')
  const source = new URL('./log.ts', import.meta.url).href
  await writeFile(
    program,
    `import { openAuditLog } from ${JSON.stringify(source)}
    const log = await openAuditLog({ file: ${JSON.stringify(file)} })
    for (const at of [1, 2, 3]) void log.append({ at, type: 'event', what: 'beat' })
    process.exit(0)`,
  )
  const args = ['--import', 'tsx', '--conditions=portico-source', program]
  expect(spawnSync(process.execPath, args, { stdio: 'inherit' }).status).toBe(0)
  expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 3, beyondHead: 0 })
})

it('reliability disks: cut within a record, the log opens again with every whole record, says what it lost, and goes on', async () => {
  const file = join(folder, 'audit.jsonl')
  const log = await openAuditLog({ file })
  for (const at of [1, 2, 3]) await log.append({ at, type: 'event', what: 'beat' })
  await log.close()
  const [whole, head] = await Promise.all([readFile(file), readFile(`${file}.head`)])
  const lastBegins = whole.lastIndexOf(10, whole.length - 2) + 1
  // Every few bytes of the last record, and each of its ends.
  const inside = Array.from(
    { length: 16 },
    (_, part) => lastBegins + Math.floor(((whole.length - lastBegins) * part) / 16),
  )
  const cuts = [...inside, whole.length - 2, whole.length - 1, whole.length]
  for (const length of cuts) {
    await writeFile(file, whole.subarray(0, length))
    await writeFile(`${file}.head`, head)
    const again = await openAuditLog({ file })
    await again.append({ at: 4, type: 'event', what: 'after' })
    await again.close()
    const seen: string[] = []
    for await (const { what } of searchAudit(file, { type: 'event' })) seen.push(String(what))
    expect(seen.filter((what) => what === 'beat').length).toBe(length === whole.length ? 3 : 2)
    expect(seen.at(-1)).toBe('after')
    if (length < whole.length) expect(seen.length).toBeGreaterThan(3)
  }
})

it.runIf(existsSync('/dev/full'))(
  'reliability disks: on a full disk an entry is refused with what to do, and the log goes on once there is room',
  async () => {
    const file = join(folder, 'audit.jsonl')
    const log = await openAuditLog({ file })
    await log.append({ at: 1, type: 'event', what: 'beat' })
    const full = openSync('/dev/full', 'w')
    const write = vi.mocked(writeSync)
    write.mockImplementationOnce((_descriptor, bytes) => real.writeSync(full, bytes as unknown as Uint8Array))
    await expect(log.append({ at: 2, type: 'event', what: 'lost' })).rejects.toMatchObject({
      code: 'audit-broken',
      message: expect.stringContaining('Free some space'),
    })
    closeSync(full)
    expect(log.writable).toBe(false)
    await log.append({ at: 3, type: 'event', what: 'beat' })
    await log.close()
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 2 })
  },
)

it('sec-732: a log that could not be written says so, and finds out by itself that it can be again', async () => {
  const file = join(folder, 'audit.jsonl')
  const log = await openAuditLog({ file })
  expect(log.writable).toBe(true)
  vi.mocked(writeSync).mockImplementationOnce(() => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' })
  })
  await expect(log.append({ at: 1, type: 'event', what: 'lost' })).rejects.toMatchObject({ code: 'audit-broken' })
  expect(log.writable).toBe(false)
  await vi.waitFor(() => expect(log.writable).toBe(true), { timeout: 20_000 })
  await log.close()
  expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 1 })
})

it('reliability disks: a log that cannot be opened says what to do, and opens once it can (sec-636)', async () => {
  const inTheWay = join(folder, 'state')
  await writeFile(inTheWay, '')
  const file = join(inTheWay, 'audit.jsonl')
  await expect(openAuditLog({ file })).rejects.toMatchObject({
    code: 'audit-broken',
    message: expect.stringContaining('could not be opened'),
  })
  // To take what cannot be listed for nothing would be to begin the chain anew.
  await expect(listSegments(file)).rejects.toMatchObject({ code: 'ENOTDIR' })
  await rm(inTheWay)
  const log = await openAuditLog({ file })
  await log.append({ at: 1, type: 'event', what: 'beat' })
  await log.close()
  expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 1 })
})
