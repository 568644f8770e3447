/** `portico faults`: breaks the way to a server, or to a client's server, and counts what became of the calls. */

import type { ConnectOptions, JsonObject, Tool } from '@portico/sdk/client'
import {
  createWorkServer,
  type FaultOptions,
  type FaultRow,
  type FaultStep,
  type FaultSubject,
  tryClient,
  tryServer,
} from '@portico/sdk/testing/faults'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { beClient, beServer, ownFaultCommand, ownProgram, toOwnSubject } from '../../faults/fault-peers.ts'
import { type FaultTables, ownLabel, toFaultTable, toNotes } from '../../faults/fault-table.ts'
import { readArguments, usageOf } from '../../parse/arguments.ts'
import type { CommandInput } from '../../parse/command.ts'
import { findTool } from '../../parse/find-tool.ts'
import { splitWords } from '../../parse/shell-words.ts'
import { targetOptionsOf, toReadyMade, withTarget } from '../../target/target.ts'
import { isPathOrUrl, labelOf, splitTarget, type TargetKind } from '../../target/target-kind.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'

const SECOND = 1000
const CALL_SECONDS = 10
const START_SECONDS = 30

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { flags } = input
  if (flags['as-server'] === true) return beServer()
  if (flags['as-client'] === true) return beClient(input.positionals[0] ?? '', io)
  const tables =
    typeof flags.client === 'string' ? await tryTheClient(flags.client, input, io) : await tryTheServer(input, io)
  io.progress(undefined)
  io.out(input.json ? JSON.stringify(tables) : toFaultTable(tables, io))
  return conclude(tables, input, io)
}

async function tryTheClient(line: string, input: CommandInput, io: Io): Promise<FaultTables> {
  const [command, ...args] = splitWords(line)
  if (command === undefined) throw new CliError('usage', 'faults: --client takes a command')
  if (input.positionals.length > 0) {
    throw new CliError('usage', 'faults: a server and --client are two things', 'Try them one after the other.')
  }
  const timeoutMs = timeoutOf(input)
  const options = optionsOf(input, io)
  const subject = toLine(labelOf({ kind: 'command', command, args }))
  io.say(`Starting ${subject} for each fault. ${howLong(options, timeoutMs)}`)
  const rows = await tryClient({ command, args, cwd: io.cwd }, timeoutMs, { ...options, onBegin: telling(io, subject) })
  const note = unsentNote(rows)
  if (note !== undefined) {
    if (note.endsWith(`spawn ${command} ENOENT`)) {
      throw new CliError('unreachable', `The program "${command}" was not found`, 'Install it, or write its full path.')
    }
    const remedy = 'The guide to faults shows such a program: it reads calls on standard input and tells their ends.'
    throw new CliError('unreachable', toLine(note, 400), remedy)
  }
  const portico = await tryClient(ownFaultCommand('--as-client'), timeoutMs, {
    ...options,
    onBegin: telling(io, ownLabel(subject)),
  })
  return { subject, rows, portico }
}

/** Why nothing was sent even while nothing breaks: a table of that would say nothing about the server or the client. */
function unsentNote(rows: readonly FaultRow[]): string | undefined {
  if (rows.some(({ fault, account }) => fault === 'F0' && account.sent > 0)) return undefined
  return rows.flatMap(({ notes }) => notes)[0] ?? 'it said nothing'
}

async function tryTheServer(input: CommandInput, io: Io): Promise<FaultTables> {
  if (input.positionals.length === 0) throw new CliError('usage', 'faults: <server> is missing, or --client')
  const { target: named, rest } = splitTarget(input, isPathOrUrl)
  if (rest[0] !== undefined) throw new CliError('usage', `faults: "${rest[0]}" is one argument too many`)
  const target = await toReadyMade(named)
  const where = await toWhere(target, io)
  const options = optionsOf(input, io)
  const { tool, args } = await chooseTool(target, input, io)
  const timeoutMs = timeoutOf(input)
  io.say(`Calling ${toLine(tool)} many times. ${howLong(options, timeoutMs)}`)
  const connect = connectOptionsOf(input)
  const subject = { target: where, tool, args, timeoutMs, connect }
  const label = toLine(labelOf(target))
  const rows = await tryServer(subject, { ...options, onBegin: telling(io, label) })
  const note = unsentNote(rows)
  if (note !== undefined) throw new CliError('unreachable', `${label}: no call was sent: ${toLine(note, 400)}`)
  return { subject: label, rows, portico: await tryOwn(subject, { ...options, onBegin: telling(io, ownLabel(label)) }) }
}

/** The same faults on the server of this package, reached in the same way. */
async function tryOwn(subject: FaultSubject, options: FaultOptions): Promise<FaultRow[]> {
  if (typeof subject.target !== 'string') {
    return tryServer(toOwnSubject(subject, ownFaultCommand('--as-server')), options)
  }
  const { serveHttp } = await import('@portico/sdk/http')
  const http = await serveHttp(createWorkServer(), { port: 0 })
  try {
    return await tryServer(toOwnSubject(subject, http.url), options)
  } finally {
    await http.close()
  }
}

async function toWhere(target: TargetKind, io: Io): Promise<FaultSubject['target']> {
  if (target.kind === 'name') {
    const { isServerName } = await import('@portico/servers')
    const words = ['run', '--stdio', target.name, ...(target.args ?? [])]
    if (isServerName(target.name)) return { ...ownProgram(words), cwd: io.cwd }
  }
  if (target.kind === 'url' && /^https?:/i.test(target.url)) return target.url
  if (target.kind === 'command') return { command: target.command, args: target.args, cwd: io.cwd }
  const remedy =
    target.kind === 'file'
      ? `Serve it and name the command: portico faults -- npx portico run ${target.file}`
      : 'Faults are brought about between programs: name a command (after --), a ready-made server or an http URL.'
  throw new CliError('usage', `faults: ${toLine(labelOf(target))} is neither a command nor an http URL`, remedy)
}

/** The tool that was named, or one that says it only reads and needs nothing to be told. */
async function chooseTool(
  target: TargetKind,
  input: CommandInput,
  io: Io,
): Promise<{ readonly tool: string; readonly args: JsonObject }> {
  const label = toLine(labelOf(target))
  if (io.stderr.isTTY === true) io.progress(`connecting to ${label} …`)
  else io.say(`Connecting to ${label}.`)
  const connectMs = (typeof input.flags.timeout === 'number' ? input.flags.timeout : START_SECONDS) * SECOND
  const connect: ConnectOptions = { negotiations: false, timeouts: { connectMs } }
  // What a ready-made server is given says which one is meant, whatever the configuration has under its name.
  const meant: TargetKind = target.kind === 'name' ? { ...target, args: target.args ?? [] } : target
  return withTarget(meant, io, { ...targetOptionsOf(input), connect }, async (open) => {
    const tools = await open.tools()
    const { tool: name, args: json } = input.flags
    if (typeof name === 'string') {
      const tool = findTool(tools, name, open.label)
      return { tool: tool.name, args: await readArguments([], typeof json === 'string' ? json : '{}', tool, io) }
    }
    const harmless = tools.find((tool) => tool.annotations?.readOnlyHint === true && needsNothing(tool))
    if (harmless !== undefined) return { tool: harmless.name, args: {} }
    const known = tools.map((tool) => usageOf(tool)).join('; ')
    throw new CliError(
      'not-found',
      `${open.label} has no tool that says it only reads and that needs no arguments`,
      `Name one that may be called many times: --tool <name> --args <json>. It has ${toLine(known, 200) || 'none'}.`,
    )
  })
}

function needsNothing({ inputSchema }: Tool): boolean {
  const { required } = inputSchema as { required?: unknown }
  return !Array.isArray(required) || required.length === 0
}

function connectOptionsOf(input: CommandInput): ConnectOptions {
  const { headers, versions } = targetOptionsOf(input)
  return { ...(headers !== undefined && { headers }), ...(versions !== undefined && { versions }) }
}

function optionsOf({ flags }: CommandInput, io: Io): FaultOptions {
  const { runs = 3, seed = 1 } = flags
  for (const [name, value] of Object.entries({ runs, seed })) {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10_000) continue
    throw new CliError('usage', `faults: --${name} takes a whole number from 1 to 10000, not "${String(value)}"`)
  }
  return { runs: Number(runs), seed: Number(seed), signal: io.signal }
}

function timeoutOf({ flags }: CommandInput): number {
  return (typeof flags.timeout === 'number' ? flags.timeout : CALL_SECONDS) * SECOND
}

/** Said before it begins, since it is no matter of seconds. */
function howLong({ runs = 1 }: FaultOptions, timeoutMs: number): string {
  const each = `Each fault is tried ${counted(runs, 'time')}, then the same on Portico's own`
  return `${each}: mostly a minute or two, and ${timeoutMs / SECOND} s more for whatever hangs.`
}

/** How far it is: one line that changes where a person looks, a line for each fault elsewhere. */
function telling(io: Io, who: string): (about: string, step: FaultStep) => void {
  return (about, { fault, number, of }) => {
    const line = `${toLine(who)}: ${number} of ${of}, ${fault} ${about}`
    if (io.stderr.isTTY === true) io.progress(`${line} …`)
    else io.say(line)
  }
}

function conclude(tables: FaultTables, { json }: CommandInput, io: Io): number {
  const bad = tables.rows.filter(({ ok }) => !ok).length
  if (!json) for (const note of toNotes(tables)) io.say(`${io.paint.yellow('note')}: ${note}`)
  if (!json && tables.rows.some(({ unseen }) => unseen.length > 0)) io.say('? is what cannot be seen from here.')
  io.say(`${counted(tables.rows.length, 'fault')}, ${tables.rows.length - bad} without loss, ${bad} with.`)
  return bad === 0 ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
}
