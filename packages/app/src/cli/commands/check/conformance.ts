/** `portico conformance`: one connection for each revision, the same checks on each, and a table of what came out. */

import { PorticoError, PROTOCOL_VERSIONS, type ProtocolVersion } from '@portico/sdk/client'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { CHECKS, type Outcome } from '../../conformance/conformance-checks.ts'
import { HTTP_CHECKS } from '../../conformance/conformance-http.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { OpenTarget, TargetOptions } from '../../target/open-target.ts'
import { openTarget, targetOptionsOf } from '../../target/target.ts'
import { splitTarget, type TargetKind } from '../../target/target-kind.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'

interface Result {
  readonly revision: ProtocolVersion | 'http'
  readonly check: string
  readonly outcome: Outcome['outcome']
  readonly detail: string
}

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input)
  if (rest[0] !== undefined) throw new CliError('usage', `conformance: "${rest[0]}" is one argument too many`)
  const options = targetOptionsOf(input)
  const results: Result[] = []
  const tell = (result: Result): void => {
    results.push(result)
    if (!input.json) print(result, io)
  }
  const spoken: ProtocolVersion[] = []
  let refusal: unknown
  for (const revision of options.versions === undefined ? PROTOCOL_VERSIONS : [options.versions]) {
    io.signal.throwIfAborted()
    io.progress(`${revision}: connecting …`)
    const opened = await tryOpen(target, revision, io, options)
    io.progress(undefined)
    if ('error' in opened) {
      refusal ??= opened.error
      if (isFatal(opened.error)) throw opened.error
      io.say(`${io.paint.dim(revision)}: not supported by this server`)
      continue
    }
    spoken.push(revision)
    await checkRevision(revision, opened.open, tell, io)
  }
  if (spoken.length === 0) throw refusal
  if (target.kind === 'url' && /^https?:/i.test(target.url)) await checkHttp(target.url, options, tell, io)
  io.progress(undefined)
  if (input.json) io.out(JSON.stringify({ revisions: spoken, results }))
  return summarize(spoken, results, io)
}

async function tryOpen(
  target: TargetKind,
  versions: ProtocolVersion,
  io: Io,
  options: TargetOptions,
): Promise<{ readonly open: OpenTarget } | { readonly error: unknown }> {
  try {
    return { open: await openTarget(target, io, { ...options, versions, connect: { negotiations: false } }) }
  } catch (error) {
    if (io.signal.aborted) throw error
    return { error }
  }
}

/** Whether no other revision would fare better: nobody is there, or nobody may come in. */
function isFatal(error: unknown): boolean {
  if (!(error instanceof CliError)) return false
  if (error.exit !== 'unreachable') return true
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const { code } = one as { code?: unknown }
    if (typeof code === 'string' && /^(ECONNREFUSED|ENOENT|ENOTFOUND|EACCES|EAI_AGAIN)$/.test(code)) return true
    if (one instanceof PorticoError && one.code === 'unsupported-version') return false
  }
  return false
}

async function checkRevision(
  revision: ProtocolVersion,
  open: OpenTarget,
  tell: (result: Result) => void,
  io: Io,
): Promise<void> {
  const warnings: string[] = []
  open.client.on('warning', ({ kind, message }) => kind !== 'notifications-dropped' && warnings.push(message))
  try {
    for (const { name, run: check } of CHECKS) {
      io.signal.throwIfAborted()
      io.progress(`${revision}: ${name} …`)
      const before = warnings.length
      const outcome = await check(open.client, revision, io.signal).catch(toFailure)
      const [warning] = warnings.slice(before)
      io.progress(undefined)
      if (outcome.outcome === 'pass' && warning !== undefined)
        tell({ revision, check: name, outcome: 'fail', detail: warning })
      else tell({ revision, check: name, ...outcome })
    }
  } finally {
    await open.close()
  }
}

async function checkHttp(url: string, options: TargetOptions, tell: (result: Result) => void, io: Io): Promise<void> {
  for (const { name, run: check } of HTTP_CHECKS) {
    io.signal.throwIfAborted()
    const outcome = await check(url, options.headers ?? {}, io.signal).catch(toFailure)
    tell({ revision: 'http', check: name, ...outcome })
  }
}

function toFailure(error: unknown): Outcome {
  return { outcome: 'fail', detail: error instanceof Error ? error.message : String(error) }
}

function print({ revision, check, outcome, detail }: Result, io: Io): void {
  const colour = { pass: io.paint.green, fail: io.paint.red, skip: io.paint.dim }[outcome]
  const cells = [revision.padEnd(10), io.terminal ? colour(outcome) : outcome, check, toLine(detail, 400)]
  io.out((io.terminal ? cells.join('  ') : [revision, outcome, check, toLine(detail, 400)].join('\t')).trimEnd())
}

function summarize(spoken: readonly string[], results: readonly Result[], io: Io): number {
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  const passed = results.filter(({ outcome }) => outcome === 'pass').length
  io.say(`${counted(spoken.length, 'revision')}, ${counted(passed, 'check')} passed, ${failed} failed.`)
  return failed === 0 ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
}
