/** Store and bus in one PostgreSQL. */

import { checkBus, checkStore } from '../checked-store.ts'
import { type OpenedState, probe } from '../opened-state.ts'
import { RemoteBus } from '../remote-bus.ts'
import { postgresCarrier } from './postgres-carrier.ts'
import { PostgresDatabase, type PostgresPlace } from './postgres-database.ts'
import type { PostgresLibrary } from './postgres-library.ts'
import { PostgresStore } from './postgres-store.ts'

export function openPostgresState(library: PostgresLibrary, where: PostgresPlace): OpenedState {
  const database = new PostgresDatabase(library, where)
  const { place } = database
  const store = checkStore(new PostgresStore(database))
  const bus = checkBus(new RemoteBus(postgresCarrier(database)))
  return {
    store,
    bus,
    status: () => probe({ kind: 'postgres', place }, () => database.query('SELECT 1')),
    async close() {
      await Promise.all([store.close(), bus.close()])
      await database.close()
    },
  }
}
