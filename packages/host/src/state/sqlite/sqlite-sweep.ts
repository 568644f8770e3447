/** Clears a state file of what is over, in small bites, so that no write waits long behind one. */

import { HELD, machineMs } from './machine-clock.ts'
import type { Sql } from './sqlite-driver.ts'
import type { SqliteFile } from './sqlite-file.ts'

const SWEEP_MS = 1000
const BITE = 200
/** Far longer than any listener takes to look. */
const KEEP_MESSAGES_MS = 60_000

const OVER = 'DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE expires <= ? LIMIT ?) RETURNING 1'
const UNHELD = `DELETE FROM leases WHERE rowid IN (SELECT rowid FROM leases WHERE NOT (${HELD}) LIMIT ?) RETURNING 1`
const OLD_MESSAGES =
  'DELETE FROM messages WHERE id IN (SELECT id FROM (SELECT id, at FROM messages ORDER BY id LIMIT ?) WHERE at <= ?) RETURNING 1'

/** Begins to sweep, and gives how to stop. Keeps no process alive. */
export function startSweeping(file: SqliteFile): () => void {
  let sweeping = false
  const sweep = async (): Promise<void> => {
    if (sweeping) return
    sweeping = true
    try {
      file.checkPlace()
      while (await sweepOnce(file)) await new Promise((resolve) => setImmediate(resolve))
    } catch {
      // The next round tries again; whoever needs the file is told by their own call.
    } finally {
      sweeping = false
    }
  }
  const timer = setInterval(() => void sweep(), SWEEP_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Whether there may be more. */
async function sweepOnce(file: SqliteFile): Promise<boolean> {
  const now = Date.now()
  if (file.readNow((sql) => isAnythingOver(sql, now)) !== true) return false
  const full = await file.transaction((sql) => [
    sql.all(OVER, now, BITE).length === BITE,
    sql.all(UNHELD, machineMs(), machineMs(), BITE).length === BITE,
    sql.all(OLD_MESSAGES, BITE, now - KEEP_MESSAGES_MS).length === BITE,
  ])
  return full?.includes(true) === true
}

function isAnythingOver(sql: Sql, now: number): boolean {
  return (
    sql.all('SELECT 1 FROM entries WHERE expires <= ? LIMIT 1', now).length > 0 ||
    sql.all(`SELECT 1 FROM leases WHERE NOT (${HELD}) LIMIT 1`, machineMs(), machineMs()).length > 0 ||
    sql.all('SELECT 1 FROM (SELECT at FROM messages ORDER BY id LIMIT 1) WHERE at <= ?', now - KEEP_MESSAGES_MS)
      .length > 0
  )
}
