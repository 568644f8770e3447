/**
 * Reads the text of any program's configuration file into servers. Whatever is wrong with a part becomes a problem that
 * says where and what to do, and the other parts still work. No file is opened here: that is `load-config.ts`.
 */

import { type ConfigInput, readInputs } from './command/inputs.ts'
import { CONFIG_LIMITS, ConfigText, type Spot, toJson } from './formats/config-text.ts'
import { list, string } from './formats/entry-fields.ts'
import { readEntry } from './formats/entry-in.ts'
import { type ConfigForm, detectForm, FORMS, SECTIONS } from './formats/form.ts'
import { insteadOf } from './nearest-name.ts'
import type { ConfigProblem, ServerConfig } from './server-config.ts'

/** Options of `readConfigText`: which file the text is from, and how it is to be read. */
export interface ReadConfigOptions {
  /** Named in problems; tells the form where the name is a known one. */
  readonly file: string
  /** Found out from name and content unless given. */
  readonly form?: ConfigForm
  /** The project folder whose own entries in `~/.claude.json` count; they win over the user's. */
  readonly project?: string
  readonly maxBytes?: number
}

/** Sections of our own form that other layers read: any JSON. */
export interface ConfigExtras {
  readonly policy?: unknown
  readonly models?: unknown
  readonly gateway?: unknown
  readonly chatBot?: unknown
  readonly attach?: unknown
  readonly projects?: unknown
}

/** What the text of one configuration file says, and what is wrong with it. */
export interface ReadConfig {
  /** False when the text as a whole says nothing: empty, or not JSON. */
  readonly readable: boolean
  /** Undefined when nothing in the file is known. */
  readonly form: ConfigForm | undefined
  readonly servers: readonly ServerConfig[]
  /** The names of all entries, good or bad. */
  readonly names: readonly string[]
  readonly inputs: readonly ConfigInput[]
  readonly extras: ConfigExtras
  /** Other files that this one asks for, as written. */
  readonly include: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads the text of one program's configuration file. It opens no file and never throws: whatever is wrong with a part
 * of the text becomes a problem, and the other parts still count.
 *
 * @example
 * ```ts
 * import { readConfigText } from '@portico/host/config'
 *
 * const text = '{ "mcpServers": { "notes": { "command": "notes-server" } } }'
 * const { servers, problems } = readConfigText(text, { file: '.mcp.json' })
 * ```
 */
export function readConfigText(text: string, options: ReadConfigOptions): ReadConfig {
  const { file, project } = options
  const content = new ConfigText(file, text, options.maxBytes ?? defaultMaxBytes(file))
  const { root, problems } = content
  const nothing = { readable: false, names: [], servers: [], inputs: [], extras: {}, include: [], problems }
  if (root === undefined) return { ...nothing, form: options.form }
  if (root.node.type !== 'object') {
    content.error(root, 'A configuration file holds one object', 'Begin the file with { and end it with }')
    return { ...nothing, form: options.form }
  }
  const members = content.members(root)
  const form = options.form ?? detectForm(file, new Set(members.keys()))
  if (form === undefined) {
    content.warn(root, 'Nothing in this file is a server', 'Add "servers" or "mcpServers"')
    return { ...nothing, readable: true, form }
  }
  const inputs = readInputs(content, FORMS[form].inputs ? members.get('inputs') : undefined)
  const shelves = FORMS[form].shelves.flatMap((name) => members.get(name) ?? [])
  const own = form === 'claude-code' && project !== undefined ? projectShelf(content, members, project) : undefined
  const entries = readShelves(content, own === undefined ? shelves : [...shelves, own])
  const servers = [...entries].flatMap(([name, spot]) => readEntry({ text: content, form, inputs }, name, spot) ?? [])
  const isOurs = form === 'portico'
  if (isOurs) warnOfUnknown(content, members)
  return {
    readable: true,
    form,
    servers,
    names: [...entries.keys()],
    inputs: [...inputs.values()],
    extras: isOurs ? readExtras(members) : {},
    include: isOurs ? readInclude(content, members.get('include')) : [],
    problems,
  }
}

/** Claude Code keeps its history in the same file. */
export function defaultMaxBytes(file: string): number {
  return /[/\\]\.claude\.json$/.test(file) ? CONFIG_LIMITS.maxHistoryBytes : CONFIG_LIMITS.maxBytes
}

function readShelves(content: ConfigText, shelves: readonly Spot[]): Map<string, Spot> {
  const entries = new Map<string, Spot>()
  for (const shelf of shelves) {
    if (shelf.node.type !== 'object') {
      content.error(shelf, 'Servers are kept by name in an object', 'Write { "name": { … } }')
      continue
    }
    for (const [name, spot] of content.members(shelf)) {
      if (entries.size >= CONFIG_LIMITS.maxServers && !entries.has(name)) {
        const message = `There are more than ${CONFIG_LIMITS.maxServers} servers; this one and those after it are left out`
        content.error(spot, message, 'Remove those that are not needed')
        break
      }
      entries.set(name, spot)
    }
  }
  return entries
}

/** `projects["/path"].mcpServers`, as far as it is there. */
function projectShelf(content: ConfigText, members: ReadonlyMap<string, Spot>, project: string): Spot | undefined {
  const step = (spot: Spot | undefined, name: string) =>
    spot?.node.type === 'object' ? content.members(spot).get(name) : undefined
  return step(step(members.get('projects'), project), 'mcpServers')
}

function readExtras(members: ReadonlyMap<string, Spot>): ConfigExtras {
  const extras: { [section in (typeof SECTIONS)[number]]?: unknown } = {}
  for (const section of SECTIONS) {
    const spot = members.get(section)
    if (spot !== undefined) extras[section] = toJson(spot.node)
  }
  return extras
}

function readInclude(content: ConfigText, spot: Spot | undefined): readonly string[] {
  return spot === undefined ? [] : (list(string)(content, spot) ?? [])
}

const KNOWN: ReadonlySet<string> = new Set(['$schema', ...FORMS.portico.shelves, 'inputs', 'include', ...SECTIONS])

function warnOfUnknown(content: ConfigText, members: ReadonlyMap<string, Spot>): void {
  for (const [name, spot] of members) {
    if (!KNOWN.has(name)) content.warn(spot, 'This name is not known and does nothing', insteadOf(name, [...KNOWN]))
  }
}
