/** Store and bus in one SQLite file. */

import { resolve } from 'node:path'
import { checkBus, checkStore } from '../checked-store.ts'
import { type OpenedState, probe } from '../opened-state.ts'
import { SqliteBus } from './sqlite-bus.ts'
import { loadSqlite } from './sqlite-driver.ts'
import { SqliteFile } from './sqlite-file.ts'
import { SqliteStore } from './sqlite-store.ts'
import { startSweeping } from './sqlite-sweep.ts'

export async function openSqliteState(path: string, fullSync: boolean): Promise<OpenedState> {
  const file = new SqliteFile({ path: resolve(path), open: await loadSqlite(), fullSync })
  const store = checkStore(new SqliteStore(file))
  const bus = checkBus(new SqliteBus(file))
  const stopSweeping = startSweeping(file)
  return {
    store,
    bus,
    status: () => probe({ kind: 'sqlite', place: file.path }, () => file.read((sql) => sql.all('SELECT 1'))),
    async close() {
      stopSweeping()
      await Promise.all([store.close(), bus.close()])
    },
  }
}
