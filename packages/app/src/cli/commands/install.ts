/**
 * `portico install`: writes a server into another program's own configuration file. What would change is worked out on a
 * copy and shown first; the file itself is touched after a yes, and kept beside as it was.
 */

import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import {
  type ConfigFile,
  type ConfigForm,
  configFiles,
  defineServer,
  type EditedFile,
  loadConfig,
  removeFromFile,
  type ServerConfig,
  type ServerTarget,
  showCommand,
  writeIntoFile,
} from '@portico/host/config'
import { CliError } from '../../exit-codes.ts'
import { findServer, readConfig } from '../host.ts'
import type { CommandInput } from '../parse/command.ts'
import { withoutCredentials } from '../say-error.ts'
import { entryNameOf } from '../target/entry-name.ts'
import { ownCommand } from '../target/own-command.ts'
import type { TargetKind } from '../target/target-kind.ts'
import { targetIn } from '../target/target-words.ts'
import { toConfig } from '../target/unreachable.ts'
import { confirm } from '../terminal/confirm.ts'
import type { Io } from '../terminal/io.ts'
import { toPlain } from '../terminal/plain-text.ts'
import { toChangedLines } from '../terminal/text-difference.ts'

const PROGRAMS: {
  readonly [program: string]: { readonly form: ConfigForm; readonly title: string; readonly remote: boolean }
} = {
  'claude-desktop': { form: 'claude-desktop', title: 'Claude Desktop', remote: false },
  'claude-code': { form: 'claude-code', title: 'Claude Code', remote: true },
  cursor: { form: 'cursor', title: 'Cursor', remote: true },
  vscode: { form: 'vscode', title: 'VS Code', remote: true },
  windsurf: { form: 'windsurf', title: 'Windsurf', remote: true },
  zed: { form: 'zed', title: 'Zed', remote: true },
}

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { positionals, flags } = input
  const [word = '', named] = positionals
  const program = Object.hasOwn(PROGRAMS, word) ? PROGRAMS[word] : undefined
  if (program === undefined) {
    throw new CliError(
      'usage',
      `install: "${word}" is not a known program`,
      `It is one of ${Object.keys(PROGRAMS).join(', ')}.`,
    )
  }
  const file = fileOf(program.form, program.title, flags.project === true, io)
  const target = named === undefined ? undefined : targetIn(input, 1)
  const name = typeof flags.name === 'string' ? flags.name : await entryNameOf(target, io)
  if (flags.remove !== true && flags.name === undefined) await refuseOther({ ...program, name }, file, target, io)
  const edit: Edit =
    flags.remove === true
      ? (path) => removeFromFile(path, program.form, name)
      : await writing(program, name, target, io)
  return change({ ...program, name, edit }, file, input, io)
}

/** A program, and the name of the entry in its file. */
type Installed = (typeof PROGRAMS)[string] & { readonly name: string }

/** A name that stands for something else there is left alone, unless the person gives it. */
async function refuseOther(
  { form, title, name }: Installed,
  file: string,
  target: TargetKind | undefined,
  io: Io,
): Promise<void> {
  const what = target?.kind === 'file' ? resolve(io.cwd, target.file) : target?.kind === 'url' ? target.url : undefined
  if (what === undefined) return
  const { servers } = await loadConfig({ files: [{ path: file, scope: 'user', form }] })
  const there = servers.find((server) => server.name === name)
  if (there === undefined || isAbout(there.target, what)) return
  throw new CliError(
    'usage',
    `install: ${title} has another server "${name}" already: ${toPlain(showCommand(there.target))}`,
    `Give this one a name of its own, as in \`--name ${name}-2\`; \`--name ${name}\` replaces the other.`,
  )
}

function isAbout(target: ServerTarget, what: string): boolean {
  if (target.kind === 'in-process') return false
  return target.kind === 'stdio' ? [target.command, ...target.args].includes(what) : target.url === what
}

type Edit = (path: string) => Promise<EditedFile>

async function writing(
  program: (typeof PROGRAMS)[string],
  name: string,
  target: TargetKind | undefined,
  io: Io,
): Promise<Edit> {
  const server = await entryOf(program, name, target, io)
  io.say(`${io.paint.bold(name)} will be: ${toPlain(showCommand(server.target))}`)
  return (path) => writeIntoFile(path, program.form, server, { name })
}

async function change(
  { title, name, edit }: Installed & { readonly edit: Edit },
  file: string,
  { flags, json }: CommandInput,
  io: Io,
): Promise<number> {
  const shown = await tryOnCopy(file, edit)
  if (shown.length === 0) {
    io.say(`Nothing to change: ${file} has it already.`)
    if (json) io.out(JSON.stringify({ file, name, changed: false }))
    return 0
  }
  io.say(`\n${file}`)
  for (const line of shown) io.say(paintLine(withoutCredentials(toPlain(line)), io))
  if (flags.yes !== true) await confirm('Write this?', io)
  const { backup, problems } = await edit(file)
  for (const { message, remedy } of problems) io.say(`${io.paint.yellow('warning')}: ${message}. ${remedy}`)
  if (json) io.out(JSON.stringify({ file, name, changed: true, ...(backup !== undefined && { backup }) }))
  io.say(`Written${backup === undefined ? '' : `; as it was: ${backup}`}. Start ${title} again to use it.`)
  return 0
}

function paintLine(line: string, { paint }: Io): string {
  if (line.startsWith('+')) return paint.green(line)
  return line.startsWith('-') ? paint.red(line) : line
}

/** The same name, because limits go by it; the same edit, because nothing else shows what it would do. */
async function tryOnCopy(file: string, edit: Edit): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-install-'))
  try {
    const copy = join(folder, basename(file))
    await copyFile(file, copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    const before = await readText(copy)
    await edit(copy)
    return toChangedLines(before, await readText(copy))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

function fileOf(form: ConfigForm, title: string, project: boolean, io: Io): string {
  const scope: ConfigFile['scope'] = project ? 'project' : 'user'
  const all = configFiles({ platform: process.platform, env: io.env, home: io.env.HOME ?? homedir(), project: io.cwd })
  const places = all.filter((file) => file.form === form && file.scope === scope)
  // A program may have several; the one that is there is the one it reads.
  const found = places.find(({ path }) => existsSync(path)) ?? places[0]
  if (found !== undefined) return found.path
  throw new CliError('usage', `install: ${title} has no file for a project`, 'Leave --project out.')
}

async function entryOf(
  { remote, title }: (typeof PROGRAMS)[string],
  name: string,
  target: TargetKind | undefined,
  io: Io,
): Promise<ServerConfig> {
  if (target === undefined) return own(name, ['serve', '--stdio'])
  switch (target.kind) {
    case 'file':
      return own(name, ['run', resolve(io.cwd, target.file)])
    case 'command':
      return defineServer(name, toConfig(target))
    case 'url':
      // A page to sign in on is the bridge's business where the program knows only programs.
      return remote && /^https?:/i.test(target.url)
        ? defineServer(name, toConfig(target))
        : own(name, ['bridge', target.url])
    case 'name': {
      const { target: found } = findServer(await readConfig(io), target.name, [])
      if (found.kind === 'stdio') return defineServer(name, found)
      if (found.kind === 'in-process') return own(name, ['bridge', target.name])
      const plain = remote && found.kind !== 'websocket' && Object.keys(found.headers).length === 0
      if (!plain) io.say(`${title} reaches it through a bridge, so that no secret is written into its file.`)
      return plain ? defineServer(name, found) : own(name, ['bridge', target.name])
    }
  }
}

async function own(name: string, words: readonly string[]): Promise<ServerConfig> {
  const { command, args } = await ownCommand(words)
  return defineServer(name, { kind: 'stdio', command, args, env: {} })
}
