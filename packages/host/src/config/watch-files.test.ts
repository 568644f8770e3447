import { appendFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchFiles } from './watch-files.ts'

it('notices a change although another file of the folder is written all the time (host 12, house 3)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watch-files-'))
  const file = join(folder, 'grants.json')
  await writeFile(file, '1')
  let lines = 0
  let changed = (): void => {}
  const noticed = new Promise<void>((resolve) => {
    changed = resolve
  })
  const watch = watchFiles([file], () => changed(), { settleMs: 300, pollMs: 600_000 })
  await watch.ready
  const writer = setInterval(() => {
    lines++
    appendFileSync(join(folder, 'audit.jsonl'), 'x\n')
  }, 2)
  try {
    await writeFile(file, '2')
    await noticed
    expect(lines).toBeGreaterThan(0)
  } finally {
    clearInterval(writer)
    watch.close()
    await rm(folder, { recursive: true })
  }
}, 20_000)
