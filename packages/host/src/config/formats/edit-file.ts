/**
 * Changes one server in a program's own file and nothing else: comments, order and members that we do not know stay as
 * they are. The file is backed up, replaced in one step, and left alone when it cannot be understood.
 */

import { chmod, copyFile, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser'
import { HostError } from '../../errors.ts'
import type { ConfigInput } from '../command/inputs.ts'
import { defaultMaxBytes } from '../read-config.ts'
import type { ConfigProblem, ServerConfig } from '../server-config.ts'
import { SETTING_NAMES } from '../settings.ts'
import { isAbsent, readBounded, replaceFile } from '../state-file.ts'
import { ConfigText, formatProblem, toJson } from './config-text.ts'
import { toEntry, type WrittenInput } from './entry-out.ts'
import { type ConfigForm, FORMS } from './form.ts'
import { appendItem, removeMember, setMember } from './json-edit.ts'

/** Options of `writeIntoFile`. */
export interface EditOptions {
  /** What the server is called in the file, where that is not its own name. */
  readonly name?: string
  /** Definitions of the inputs that the server refers to. */
  readonly inputs?: readonly ConfigInput[]
  /** For `~/.claude.json`: into the entries of this project folder instead of the user's. */
  readonly project?: string
}

/**
 * What became of a file that was to be changed: whether it is another one now, and the path of a copy of what it was.
 */
export interface EditedFile {
  readonly changed: boolean
  /** The file as it was; absent when there was none. */
  readonly backup?: string
  readonly problems: readonly ConfigProblem[]
}

/**
 * Adds a server to a program's configuration file under the name given, or changes the one that is there, and leaves
 * everything else as it is. Makes the file if there is none.
 *
 * @example
 * ```ts
 * import { defineServer, writeIntoFile } from '@portico/host/config'
 *
 * const server = defineServer('notes', { kind: 'stdio', command: 'notes-server', args: [], env: {} })
 * const { backup } = await writeIntoFile('/home/ann/.cursor/mcp.json', 'cursor', server)
 * ```
 */
export async function writeIntoFile(
  path: string,
  form: ConfigForm,
  server: ServerConfig,
  options: EditOptions = {},
): Promise<EditedFile> {
  const { name = server.name } = options
  const { entry, inputs, problems } = toEntry(server, form, options.inputs)
  if (entry === undefined) throw refusal(problems)
  const done = await edit(path, (text) => {
    const shelf = shelfFor(text, form, name, options.project)
    const withEntry = setMembers(text, [...shelf, name], entry, membersOf(form))
    return inputs.reduce(addInput, withEntry)
  })
  return { ...done, problems }
}

/**
 * Takes a server out of a program's configuration file and leaves everything else in it as it is. Inputs stay: another
 * server may use them.
 *
 * @example
 * ```ts
 * import { removeFromFile } from '@portico/host/config'
 *
 * const { changed, backup } = await removeFromFile('/home/ann/.cursor/mcp.json', 'cursor', 'notes')
 * ```
 */
export async function removeFromFile(
  path: string,
  form: ConfigForm,
  name: string,
  options: Pick<EditOptions, 'project'> = {},
): Promise<EditedFile> {
  const done = await edit(path, (text) => removeMember(text, [...shelfFor(text, form, name, options.project), name]))
  return { ...done, problems: [] }
}

/**
 * Sets one named entry of a section of Portico's own file (`models.local`), or takes it out where there is no value.
 * Makes the file if there is none.
 *
 * @example
 * ```ts
 * import { writeSection } from '@portico/host/config'
 *
 * await writeSection('portico.json', 'models', 'local', { provider: 'anthropic', model: 'claude-sonnet-4-5' })
 * ```
 */
export async function writeSection(
  path: string,
  section: 'models',
  name: string,
  value: { readonly [member: string]: unknown } | undefined,
): Promise<Omit<EditedFile, 'problems'>> {
  return edit(path, (text) =>
    value === undefined ? removeMember(text, [section, name]) : setMember(text, [section, name], value),
  )
}

const ATTEMPTS = 5

/** Another program may write at the same time: what it wrote is read again, not lost. */
async function edit(path: string, work: (text: string) => string): Promise<Omit<EditedFile, 'problems'>> {
  // A link stays one: people keep these files in a repository of their own.
  const file = await realpath(path).catch(() => path)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await readText(file)
    const text = before === undefined || before.trim() === '' ? '{}' : before
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    const plain = text.slice(mark.length)
    const { root, problems } = new ConfigText(file, plain, defaultMaxBytes(file))
    if (root?.node.type !== 'object') throw refusal(problems, `${file} does not hold an object`)
    const after = work(plain)
    // Better no change than a file that its program cannot read.
    const check = new ConfigText(file, after, defaultMaxBytes(file))
    if (check.root?.node.type !== 'object') throw refusal(check.problems, `${file} cannot be changed`)
    if (mark + after === before) return { changed: false }
    if ((await readText(file)) !== before) continue
    return { changed: true, ...(await replace(file, before, `${mark}${after}`)) }
  }
  throw new HostError('invalid-config', `${file} is being written by another program; try again`)
}

async function replace(file: string, before: string | undefined, after: string): Promise<{ backup?: string }> {
  const ending = after.endsWith('\n') || before !== undefined ? '' : '\n'
  if (before === undefined) {
    await mkdir(dirname(file), { recursive: true })
    // It may come to hold secrets.
    await replaceFile(file, after + ending, 0o600)
    return {}
  }
  const backup = `${file}.portico-backup`
  const { mode } = await stat(file)
  await copyFile(file, backup)
  await chmod(backup, mode & 0o777)
  await replaceFile(file, after, mode & 0o777)
  return { backup }
}

async function readText(file: string): Promise<string | undefined> {
  return readBounded(file, defaultMaxBytes(file)).catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
}

/** Where the entry is, or where a new one goes. */
function shelfFor(text: string, form: ConfigForm, name: string, project: string | undefined): string[] {
  const { shelves } = FORMS[form]
  const root = parseTree(text, [], { allowTrailingComma: true })
  const within = form === 'claude-code' && project !== undefined ? ['projects', project] : []
  const candidates = shelves.map((shelf) => [...within, shelf])
  const holding = candidates.find(
    (path) => root !== undefined && findNodeAtLocation(root, [...path, name]) !== undefined,
  )
  // Every form has a shelf.
  const shelf = holding ?? candidates[0]!
  if (root !== undefined && (isTwice(root, shelf) || isTwice(root, [...shelf, name]))) {
    throw new HostError('invalid-config', `${JSON.stringify(name)} is in the file twice; remove one by hand`)
  }
  return shelf
}

function isTwice(root: Node, path: JSONPath): boolean {
  const parent = findNodeAtLocation(root, path.slice(0, -1))
  const names = (parent?.children ?? []).map(({ children: [key] = [] }) => key?.value)
  return names.filter((name) => name === path.at(-1)).length > 1
}

/** Members of an entry that have a meaning for us, so that their absence has one too. */
function membersOf(form: ConfigForm): readonly string[] {
  const { disabled } = FORMS[form]
  const target = ['type', 'command', 'args', 'env', 'cwd', 'envFile', 'url', 'serverUrl', 'httpUrl', 'headers']
  if (form === 'portico') return [...target, 'module', 'options', ...SETTING_NAMES]
  return disabled === undefined ? target : [...target, disabled]
}

function setMembers(
  text: string,
  path: readonly string[],
  entry: { readonly [name: string]: unknown },
  known: readonly string[],
): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const found = root && findNodeAtLocation(root, [...path])
  if (found?.type !== 'object') return setMember(text, path, entry)
  // The node is an object, so its JSON is one.
  const before = toJson(found) as { readonly [name: string]: unknown }
  return known.reduce((current, name) => {
    const isEqual = JSON.stringify(before[name]) === JSON.stringify(entry[name])
    if (isEqual) return current
    return entry[name] === undefined
      ? removeMember(current, [...path, name])
      : setMember(current, [...path, name], entry[name])
  }, text)
}

function addInput(text: string, input: WrittenInput): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const list = root && findNodeAtLocation(root, ['inputs'])
  if (list?.type !== 'array') return setMember(text, ['inputs'], [input])
  const ids = (list.children ?? []).map((item) => findNodeAtLocation(item, ['id'])?.value)
  return ids.includes(input.id) ? text : appendItem(text, ['inputs'], input)
}

function refusal(problems: readonly ConfigProblem[], otherwise = 'The file cannot be changed'): HostError {
  const message = problems[0] === undefined ? otherwise : formatProblem(problems[0])
  return new HostError('invalid-config', message, { data: { problems } })
}
