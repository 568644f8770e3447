/** A writer that is killed while it writes, or leaves: what it was told to be written is there, and the chain holds. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openAuditLog } from './log.ts'
import { searchAudit } from './search.ts'
import { verifyAuditLog } from './verify.ts'

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
