/** `portico audit`: what was decided and done, and whether the record of it is whole. */

import { existsSync } from 'node:fs'
import { auditFiles, verifyHostAudit } from '@portico/host'
import { type AuditQuery, type AuditRecord, type AuditReport, searchAudit, verifyAuditLog } from '@portico/host/audit'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { stateOf } from '../../host-places.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'
import { toTable } from '../../terminal/table.ts'

const DEFAULT_LIMIT = 50

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [action, ...words] = input.positionals
  const { file } = input.flags
  if (typeof file === 'string' && !existsSync(file)) throw new CliError('not-found', `There is no file ${file}`)
  const files = typeof file === 'string' ? [file] : auditFiles(stateOf(io)).filter((one) => existsSync(one))
  if (action === 'search') return search(words, files, input, io)
  if (action === 'verify' && words.length === 0) return verify(typeof file === 'string' ? file : undefined, input, io)
  throw new CliError(
    'usage',
    `audit: there is no "${[action, ...(action === 'verify' ? words : [])].join(' ')}"`,
    'Use search [text] or verify.',
  )
}

async function search(
  words: readonly string[],
  files: readonly string[],
  input: CommandInput,
  io: Io,
): Promise<number> {
  const query = toQuery(words, input)
  const records: AuditRecord[] = []
  for (const file of files) for await (const record of searchAudit(file, query)) records.push(record)
  const newest = records.sort((a, b) => b.at - a.at || b.sequence - a.sequence).slice(0, query.limit)
  if (input.json) for (const record of newest) io.out(JSON.stringify(record))
  else if (newest.length > 0) io.out(toTable(newest.map(toRow), io))
  if (newest.length === 0) io.say('No record matches.')
  return EXIT_CODES.ok.code
}

async function verify(file: string | undefined, input: CommandInput, io: Io): Promise<number> {
  const reports = file === undefined ? await verifyHostAudit(stateOf(io)) : [{ file, ...(await verifyAuditLog(file)) }]
  if (input.json) io.out(JSON.stringify(reports))
  else for (const report of reports) printReport(report, io)
  // A log that is not there is not whole: whoever takes it away must not pass for whoever never wrote one.
  if (reports.length === 0) io.say(`There is no audit log in ${stateOf(io)}.`)
  return reports.length > 0 && reports.every(({ ok }) => ok) ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
}

function printReport({ file, ok, records, problems }: AuditReport & { readonly file: string }, io: Io): void {
  io.out(`${ok ? 'whole' : 'broken'}\t${file}\t${records} records`)
  for (const { line, message } of problems) io.out(`\t${line === undefined ? '' : `line ${line}: `}${toLine(message)}`)
}

function toQuery(words: readonly string[], { flags }: CommandInput): AuditQuery & { readonly limit: number } {
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined)
  const since = text('since')
  const until = text('until')
  return {
    newest: true,
    limit: typeof flags.limit === 'number' ? flags.limit : DEFAULT_LIMIT,
    ...(words.length > 0 && { text: words.join(' ') }),
    ...(text('server') !== undefined && { server: text('server') }),
    ...(text('what') !== undefined && { what: text('what') }),
    ...(text('outcome') !== undefined && { outcome: text('outcome') }),
    // The parser has held it against the types.
    ...(text('type') !== undefined && { type: text('type') as AuditRecord['type'] }),
    ...(since !== undefined && { since: toTime('since', since) }),
    ...(until !== undefined && { until: toTime('until', until) }),
  }
}

const UNITS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function toTime(flag: string, text: string): number {
  const [, amount, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? []
  if (amount !== undefined) return Date.now() - Number(amount) * (UNITS[unit] ?? 0)
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new CliError('usage', `--${flag} takes 30m, 12h, 7d or a date, not "${text}"`)
}

function toRow({ at, type, what, server = '-', item = '', outcome = '', reason = '' }: AuditRecord): string[] {
  return [new Date(at).toISOString(), type, what, server, item, outcome, reason]
}
