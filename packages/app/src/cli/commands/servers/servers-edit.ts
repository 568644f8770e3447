/** `portico servers add`, `remove`, `enable`, `disable`: one entry of our own file, and nothing else in it. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  defineServer,
  type EditedFile,
  formatProblem,
  inspectCommand,
  keepFolder,
  loadConfig,
  removeFromFile,
  type ServerConfig,
  type ServerTarget,
  showCommand,
  wholePath,
  writeIntoFile,
} from '@portico/host/config'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { findServer, readConfig, trustOf } from '../../configuration.ts'
import { projectFile, userFile } from '../../host-places.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { ServersAction } from '../../servers-action.ts'
import { ownCommand } from '../../target/own-command.ts'
import { readHeaders } from '../../target/target.ts'
import { readTarget } from '../../target/target-kind.ts'
import { confirm } from '../../terminal/confirm.ts'
import type { Io } from '../../terminal/io.ts'
import { toPlain } from '../../terminal/plain-text.ts'

export const addServer: ServersAction = async (words, input, io) => {
  const [name, ...rest] = words
  if (name === undefined || rest.length === 0) {
    throw new CliError(
      'usage',
      'servers add: a name and a URL or command are needed',
      'portico servers add <name> <url>, or portico servers add <name> -- <command…>',
    )
  }
  if (!/^[\w.-]{1,60}$/.test(name)) {
    throw new CliError('usage', `servers add: "${name}" cannot be a name`, 'Use letters, digits, - _ and . only.')
  }
  const target = await toEntryTarget(rest, input, io)
  const file = fileOf(input, io)
  const server = defineServer(name, target, {}, { file, path: `servers.${name}` })
  const before = await otherEntry(server, input, io)
  const done = await (input.flags.project === true
    ? writeIntoProject(file, server, io)
    : writeIntoFile(file, 'portico', server))
  for (const problem of done.problems) io.say(formatProblem(problem))
  for (const { message, remedy } of inspectCommand(target)) {
    io.say(`${io.paint.yellow('note')}: ${message}${remedy === undefined ? '' : `. ${remedy}`}`)
  }
  if (input.json) io.out(JSON.stringify({ name, file, changed: done.changed }))
  io.say(`${done.changed ? 'Written to' : 'Already in'} ${file}: ${name} = ${showCommand(target)}`)
  if (before !== undefined) io.say(`It was: ${before}`)
  return EXIT_CODES.ok.code
}

/** What the entry's name stands for in its file until now, once somebody has said that it may go. */
async function otherEntry(
  { name, target, place }: ServerConfig,
  { flags }: CommandInput,
  io: Io,
): Promise<string | undefined> {
  const { servers } = await loadConfig({ files: [{ path: place.file, scope: 'user', form: 'portico' }] })
  const there = servers.find((one) => one.name === name)
  if (there === undefined) return undefined
  const shown = toPlain(showCommand(there.target))
  if (isDeepStrictEqual(there.target, target)) return undefined
  if (flags.replace === true) return shown
  if (io.interactive) {
    io.say(`${name} is there already: ${shown}`)
    await confirm(`Replace it by ${toPlain(showCommand(target))}?`, io, 'replace')
    return shown
  }
  throw new CliError(
    'usage',
    `servers add: ${place.file} has another server "${name}" already: ${shown}`,
    `Give this one another name, or \`--replace\` to take its place.`,
  )
}

export const removeServer: ServersAction = async ([name, ...extra], input, io) => {
  if (name === undefined || extra.length > 0) throw new CliError('usage', 'servers remove takes one name')
  const file = input.flags.project === true ? projectFile(io) : (await findEntry(name, input, io)).place.file
  const done = await removeFromFile(file, 'portico', name)
  if (input.json) io.out(JSON.stringify({ name, file, changed: done.changed }))
  if (!done.changed)
    throw new CliError(
      'not-found',
      `${file} has no server "${name}"`,
      'Without `--project`, it is taken out of your own file.',
    )
  io.say(`Removed ${name} from ${file}${done.backup === undefined ? '' : ` (as it was: ${done.backup})`}.`)
  return EXIT_CODES.ok.code
}

export const enableServer: ServersAction = (words, input, io) => setDisabled(words, false, input, io)
export const disableServer: ServersAction = (words, input, io) => setDisabled(words, true, input, io)

async function setDisabled(
  [name, ...extra]: readonly string[],
  disabled: boolean,
  input: CommandInput,
  io: Io,
): Promise<number> {
  const action = disabled ? 'disable' : 'enable'
  if (name === undefined || extra.length > 0) throw new CliError('usage', `servers ${action} takes one name`)
  const entry = await findEntry(name, input, io)
  const settings = { ...entry.settings, disabled }
  const server = defineServer(name, entry.target, settings, entry.place)
  const done = await writeIntoFile(entry.place.file, 'portico', server)
  if (input.json) io.out(JSON.stringify({ name, file: entry.place.file, changed: done.changed }))
  io.say(`${name} is ${disabled ? 'disabled' : 'enabled'}${done.changed ? '' : ' already'}.`)
  return EXIT_CODES.ok.code
}

async function findEntry(name: string, input: CommandInput, io: Io): Promise<ServerConfig> {
  const { config } = input.flags
  return findServer(await readConfig(io, typeof config === 'string' ? config : undefined), name)
}

function fileOf({ flags }: CommandInput, io: Io): string {
  return flags.project === true
    ? projectFile(io)
    : userFile(io, typeof flags.config === 'string' ? flags.config : undefined)
}

async function toEntryTarget(words: readonly string[], input: CommandInput, io: Io): Promise<ServerTarget> {
  const { flags, dashed } = input
  const [command = '', ...args] = dashed
  const target = dashed.length > 0 ? ({ kind: 'command', command, args } as const) : readTarget(words)
  const env = Object.fromEntries((Array.isArray(flags.env) ? (flags.env as string[]) : []).map(splitVariable))
  if (target.kind === 'url') {
    const kind = /^wss?:/i.test(target.url) ? 'websocket' : 'http'
    if (!URL.canParse(target.url)) throw new CliError('usage', `"${target.url}" is no URL`)
    return { kind, url: target.url, headers: readHeaders(flags.header) }
  }
  if (target.kind === 'file') {
    // A project's file goes to other people, whose folders are others.
    const own =
      flags.project === true
        ? { command: 'npx', args: ['-y', 'portico', 'run', target.file] }
        : await ownCommand(['run', resolve(io.cwd, target.file)])
    return { kind: 'stdio', ...own, env }
  }
  // One word that is neither: a program on the path.
  const program =
    target.kind === 'command' ? { command: target.command, args: target.args } : { command: target.name, args: [] }
  const entry = { kind: 'stdio', ...program, env } as const
  return flags.project === true ? entry : keepFolder(entry, io.cwd)
}

function splitVariable(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw new CliError('usage', `--env takes NAME=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Writes into the project's file, and keeps its standing: what the person adds needs nobody else to vouch for it. */
async function writeIntoProject(file: string, server: ServerConfig, io: Io): Promise<EditedFile> {
  const path = await wholePath(file)
  const wasTrusted = !(await readConfig(io)).untrusted.some((one) => one.file === path)
  const done = await writeIntoFile(file, 'portico', server)
  if (wasTrusted) await trustOf(io).trust(await wholePath(file), await readFile(file, 'utf8'))
  else io.say(`${file} holds what nobody has trusted yet. Read it, then trust it: \`portico servers trust\`.`)
  return done
}
