/**
 * The host's audit log. One process writes a file at a time; a second program with the same state folder (a command
 * beside an open workbench) takes the next file, so that nothing goes unrecorded and no chain is mixed up.
 */

import { join } from 'node:path'
import { type AuditLog, openAuditLog } from '../audit/log.ts'
import { HostError } from '../errors.ts'

const MAX_WRITERS = 16

/** The files that may hold records, in the order in which they are taken. */
export function auditFiles(stateDir: string): string[] {
  return Array.from({ length: MAX_WRITERS }, (_, at) =>
    join(stateDir, 'audit', at === 0 ? 'audit.jsonl' : `audit-${at + 1}.jsonl`),
  )
}

export async function openHostAudit(stateDir: string): Promise<AuditLog> {
  let busy: unknown
  for (const file of auditFiles(stateDir)) {
    try {
      return await openAuditLog({ file })
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'audit-broken') throw error
      busy = error
    }
  }
  throw busy
}
