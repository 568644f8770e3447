import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { expect, it } from 'vitest'
import { SQL_LIMITS } from '../limits.ts'
import { SqliteSeat } from './sqlite-seat.ts'

it('one copy is kept at a time, also where the new one cannot be opened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-seat-'))
  const file = join(folder, 'notes.db')
  const copies = join(folder, 'copies')
  await mkdir(copies)
  const db = new sqlite.Database(file)
  db.exec('CREATE TABLE t (v); INSERT INTO t VALUES (1)')
  db.close()
  const seat = new SqliteSeat({ file, folder: copies, name: 'copy', limits: SQL_LIMITS, maxDatabaseBytes: 1e9 })
  const { signal } = new AbortController()
  const ask = () => seat.query({ sql: 'SELECT v FROM t', params: [] }, { offset: 0, maxRows: 10 }, false, signal)
  try {
    expect((await ask()).rows).toEqual([[1]])
    for (const at of [1, 2, 3]) {
      await writeFile(file, `no database ${'x'.repeat(5_000 + at)}`)
      await expect(ask()).rejects.toThrow()
      expect(await readdir(copies)).toHaveLength(1)
    }
  } finally {
    await seat.close()
    await rm(folder, { recursive: true, force: true })
  }
})
