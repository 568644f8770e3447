/** The tables of a state file. */

import { unavailable } from '../opened-state.ts'
import type { Sql } from './sqlite-driver.ts'

const SCHEMA_VERSION = 2
/** Tells a state file from any other database: "PORT". */
const APPLICATION_ID = 0x504f5254

/** `expires` goes by the machine's own clock (`machine-clock.ts`), which begins anew with it; `lasts` tells such times apart. */
const LEASES =
  'CREATE TABLE leases (key TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL, epoch INTEGER NOT NULL, expires INTEGER NOT NULL, lasts INTEGER NOT NULL)'
const VERSION = `PRAGMA user_version = ${SCHEMA_VERSION}`

/** From a file of the first version, whose leases went by the time of day. */
const SECOND = ['DROP TABLE leases', LEASES, VERSION]

const TABLES = [
  'CREATE TABLE entries (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER)',
  'CREATE INDEX entries_by_expiry ON entries (expires) WHERE expires IS NOT NULL',
  LEASES,
  // One count for versions and epochs of all keys: what is deleted needs no row of its own to never repeat.
  'CREATE TABLE count (number INTEGER NOT NULL)',
  'INSERT INTO count VALUES (0)',
  'CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL)',
  `PRAGMA application_id = ${APPLICATION_ID}`,
  VERSION,
]

/**
 * Makes the tables of a new file; several processes may do so at once. The count goes on from the clock (in microseconds): a
 * file that was put back from a backup, or that takes the place of one that was lost, gives no number a second time.
 */
export function prepareSchema(sql: Sql, path: string): void {
  // What is there is looked at under the lock: half of another process's work would look like a stranger's.
  sql.run('BEGIN IMMEDIATE')
  try {
    for (const statement of STEPS[requireOwn(sql, path)]) sql.run(statement)
    sql.run('UPDATE count SET number = max(number, ?)', Date.now() * 1000)
    sql.run('COMMIT')
  } catch (error) {
    sql.run('ROLLBACK')
    throw error
  }
}

const STEPS = { prepared: [], first: SECOND, empty: TABLES }

function requireOwn(sql: Sql, path: string): keyof typeof STEPS {
  const version = sql.all('PRAGMA user_version')[0]?.user_version
  const application = sql.all('PRAGMA application_id')[0]?.application_id
  if (application === APPLICATION_ID && version === SCHEMA_VERSION) return 'prepared'
  if (application === APPLICATION_ID && version === 1) return 'first'
  const isEmpty = sql.all('SELECT count(*) AS tables FROM sqlite_master')[0]?.tables === 0
  if (isEmpty && version === 0) return 'empty'
  const what =
    application === APPLICATION_ID ? 'was made by another version of Portico' : 'is a database of another program'
  throw unavailable(`${path} ${what}: name another file for the state`, undefined)
}
