/** How many rows a store keeps: of a SQLite file all that are in its tables, elsewhere what can be listed. */

import type { StateSetting } from '@portico/host/state'
import type { Store } from '@portico/sdk/state'

const PAGE = 1000
/** What the bus keeps goes a minute after it was said, whatever happens; it is counted by nobody. */
const TABLES = ['entries', 'leases']

export async function countRows(setting: StateSetting, store: Store): Promise<number> {
  return 'sqlite' in setting ? countTables(setting.sqlite) : countListed(store)
}

async function countTables(file: string): Promise<number> {
  const { default: Database } = await import('libsql')
  const db = new Database(file)
  try {
    let count = 0
    for (const table of TABLES) {
      // The query names its one column.
      const [row] = db.prepare(`SELECT count(*) AS number FROM ${table}`).all([]) as { readonly number: number }[]
      count += row?.number ?? 0
    }
    return count
  } finally {
    db.close()
  }
}

async function countListed(store: Store): Promise<number> {
  let [count, after] = [0, '']
  for (;;) {
    const page = await store.list('', { after, limit: PAGE })
    count += page.length
    after = page.at(-1)?.key ?? ''
    if (page.length < PAGE) return count
  }
}
