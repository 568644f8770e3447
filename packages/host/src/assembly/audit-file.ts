/**
 * The host's audit log. One process writes a file at a time; a second program with the same state folder (a command
 * beside an open workbench) takes the next file, so that nothing goes unrecorded and no chain is mixed up. A sealed copy
 * of each file's head is kept outside their folder, so that its end cannot be cut off unnoticed.
 */

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { HeadStore } from '../audit/head-store.ts'
import { type AuditLog, openAuditLog } from '../audit/log.ts'
import type { RedactionOptions } from '../audit/redaction.ts'
import { type AuditReport, verifyAuditLog } from '../audit/verify.ts'
import { callListener } from '../config/call-listener.ts'
import { createSecretStore, type SecretStore } from '../config/trust/secret-store.ts'
import { HostError } from '../errors.ts'

/** How a host keeps its audit log. */
export interface HostAuditOptions {
  /** At least 16 bytes that whoever can write the files does not have. */
  readonly key?: Uint8Array
  /** What else must not be written down; values of the secret store that were used never are. */
  readonly redact?: RedactionOptions
  /** Where copies of the heads are kept; a sealed file in the state folder unless given. `false` keeps none. */
  readonly headStore?: Pick<SecretStore, 'get' | 'set'> | false
  /** Told what the log has lost, and when it cannot be written; the host's own listener unless given. */
  readonly onWarning?: (message: string) => void
}

const MAX_WRITERS = 16

/**
 * Lists the audit files that a host may write below its state folder, in the order in which they are taken: each host
 * that runs at the same time writes one of its own.
 *
 * @example
 * ```ts
 * import { auditFiles } from '@portico/host'
 *
 * auditFiles('/home/ann/.portico') // ['/home/ann/.portico/audit/audit.jsonl', '/home/ann/.portico/audit/audit-2.jsonl', …]
 * ```
 */
export function auditFiles(stateDir: string): string[] {
  return Array.from({ length: MAX_WRITERS }, (_, at) =>
    join(stateDir, 'audit', at === 0 ? 'audit.jsonl' : `audit-${at + 1}.jsonl`),
  )
}

export async function openHostAudit(stateDir: string, options: HostAuditOptions = {}): Promise<AuditLog> {
  const { key, redact, onWarning } = options
  let busy: unknown
  for (const file of auditFiles(stateDir)) {
    try {
      const headStore = headStoreFor(stateDir, file, options)
      const wasTaken = isMissed(stateDir, file) && (await headStore?.load()) === undefined
      const log = await openAuditLog({ file, key, redact, headStore, ...(onWarning && { onWarning }) })
      if (wasTaken) {
        callListener(onWarning, `${file}: ${TAKEN}`)
        await log.append({ at: Date.now(), type: 'event', what: 'audit-log-lost', reason: TAKEN })
      }
      return log
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'audit-broken') throw error
      busy = error
    }
  }
  throw busy
}

/**
 * Verifies every log of a state folder: those that are there, and those that were.
 *
 * @example
 * ```ts
 * import { verifyHostAudit } from '@portico/host'
 *
 * const reports = await verifyHostAudit('/home/ann/.portico')
 * const isWhole = reports.length > 0 && reports.every(({ ok }) => ok)
 * ```
 */
export async function verifyHostAudit(
  stateDir: string,
  options: Pick<HostAuditOptions, 'key' | 'headStore'> = {},
): Promise<(AuditReport & { readonly file: string })[]> {
  const reports: (AuditReport & { readonly file: string })[] = []
  for (const file of auditFiles(stateDir)) {
    const headStore = headStoreFor(stateDir, file, options)
    const report = await verifyAuditLog(file, { key: options.key, headStore })
    const isGone = report.problems.some(({ kind }) => kind === 'no-log')
    const isKnown = async () => isMissed(stateDir, file) || (await headStore?.load().catch(() => true)) !== undefined
    if (!isGone || (await isKnown())) reports.push({ file, ...report })
  }
  return reports
}

/** What a host writes only after it has opened its log. */
const LATER_STATE = ['grants.json', 'pins.json', 'versions.json']
const TAKEN = 'There is no log although a host has worked with this folder: it was taken away, and its copy with it'

/** Whether the first log, which every host begins, is not there although one has worked here. */
function isMissed(stateDir: string, file: string): boolean {
  if (file !== auditFiles(stateDir)[0] || existsSync(file)) return false
  return LATER_STATE.some((name) => existsSync(join(stateDir, name)))
}

function headStoreFor(
  stateDir: string,
  file: string,
  { headStore, onWarning }: HostAuditOptions,
): HeadStore | undefined {
  if (headStore === false) return undefined
  const store = headStore ?? createSecretStore({ file: join(stateDir, 'audit-heads'), ...(onWarning && { onWarning }) })
  const name = `audit-head ${basename(file)}`
  return {
    async load() {
      const text = await store.get(name)
      return text === undefined ? undefined : JSON.parse(text)
    },
    save: (head) => store.set(name, JSON.stringify(head)),
  }
}
