/** State in a SQLite file passes the contracts that every place for state passes. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@portico/sdk/state'
import { type StoredDamage, stateBusContract, stateStoreContract } from '@portico/sdk/testing'
import { afterAll, afterEach, describe, it } from 'vitest'
import { openState } from '../open-state.ts'
import type { OpenedState } from '../opened-state.ts'
import { loadSqlite } from './sqlite-driver.ts'

const root = mkdtempSync(join(tmpdir(), 'portico-state-'))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const opened: OpenedState[] = []
afterEach(async () => {
  for (const state of opened.splice(0)) await state.close()
})

let files = 0
async function twice(): Promise<readonly [OpenedState, OpenedState]> {
  const setting = { sqlite: join(root, `${files++}`, 'state.db') }
  const [one, other] = [await openState(setting), await openState(setting)]
  opened.push(one, other)
  return [one, other]
}

describe('the store in a SQLite file', () => {
  const paths = new WeakMap<Store, string>()
  const make = async () => {
    const [one, other] = await twice()
    paths.set(one.store, join(root, `${files - 1}`, 'state.db'))
    return [one.store, other.store] as const
  }
  const damage = (store: Store): StoredDamage => {
    const run = async (text: string, ...values: string[]): Promise<void> => {
      const sql = (await loadSqlite())(paths.get(store) ?? '')
      sql.exec('PRAGMA busy_timeout = 5000')
      sql.prepare(text).run(values)
      sql.close()
    }
    const entry = (row: string) => (key: string) =>
      run(`INSERT OR REPLACE INTO entries (key, value, version, expires) VALUES (?, ${row})`, key)
    const lease = (row: string) => (key: string) =>
      run(`INSERT OR REPLACE INTO leases (key, owner, epoch, expires, lasts) VALUES (?, ${row})`, key)
    const far = 4e15
    return {
      entries: [
        "'garbage', 'garbage', NULL",
        "x'00ff', 0, NULL",
        "'', -7, 'never'",
        "'x', 9223372036854775807, NULL",
      ].map(entry),
      leases: ["'b', 'garbage', FAR, FAR", "'b', 0, FAR, FAR", "'b', 9223372036854775807, FAR, FAR"].map((row) =>
        lease(row.replaceAll('FAR', `${far}`)),
      ),
      whole: [
        "UPDATE count SET number = 'garbage'",
        'UPDATE count SET number = 9223372036854775807',
        'UPDATE count SET number = 1',
        'DELETE FROM count',
      ].map((text) => () => run(text)),
    }
  }
  it.each(stateStoreContract(make, damage))('$name', ({ run }) => run())
})

describe('the bus in a SQLite file', () => {
  const make = async () => {
    const [one, other] = await twice()
    return [one.bus, other.bus] as const
  }
  it.each(stateBusContract(make))('$name', ({ run }) => run())
})
