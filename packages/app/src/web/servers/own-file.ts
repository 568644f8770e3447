/** The user's own `portico.json`: servers are added to it, removed from it and switched off in it, and nothing else changes. */

import type { Host } from '@portico/host'
import {
  type ConfigInput,
  type ConfigProblem,
  defineServer,
  inspectCommand,
  keepFolder,
  readConfigText,
  readServerLine,
  removeFromFile,
  type ServerConfig,
  shellOnlyWord,
  showCommand,
  writeIntoFile,
} from '@portico/host/config'
import type { JsonObject } from '@portico/sdk/client'
import type { PastedPreview } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'

interface Added {
  readonly added: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

export interface Pasted {
  readonly servers: readonly ServerConfig[]
  readonly inputs: readonly ConfigInput[]
  readonly problems: readonly ConfigProblem[]
}

export class OwnFile {
  readonly path: string
  readonly #host: Host

  constructor(path: string, host: Host) {
    this.path = path
    this.#host = host
  }

  /** Whether an entry is one that can be changed here. */
  holds({ place }: ServerConfig): boolean {
    return place.file === this.path
  }

  async add({ servers, inputs, problems }: Pasted): Promise<Added> {
    const taken = servers.find(({ name }) => this.#host.upstreams.view(name) !== undefined)
    if (taken !== undefined) {
      throw new Refused(409, {
        code: 'name-taken',
        message: `There is a server "${taken.name}" already`,
        remedy: 'Give it another name, or remove the one that is there.',
      })
    }
    const more: ConfigProblem[] = []
    for (const server of servers) {
      const written = await writeIntoFile(this.path, 'portico', server, { inputs })
      more.push(...written.problems)
    }
    if (servers.length > 0) await this.#host.reload()
    return { added: servers.map(({ name }) => name), problems: [...problems, ...more] }
  }

  async remove(config: ServerConfig): Promise<void> {
    await removeFromFile(this.path, 'portico', config.name)
    await this.#host.reload()
  }

  async setDisabled(config: ServerConfig, disabled: boolean): Promise<void> {
    await writeIntoFile(this.path, 'portico', { ...config, settings: { ...config.settings, disabled } })
    await this.#host.reload()
  }
}

const PASTED = '(pasted)'

/** An entry in the `mcpServers` form. */
export function readEntry(name: string, entry: JsonObject): Pasted {
  return readConfigText(JSON.stringify({ mcpServers: { [name]: entry } }), { file: PASTED, form: 'portico' })
}

/** Relative words mean the folder that the page speaks for, wherever the program is started next. */
export function inFolder({ servers, ...rest }: Pasted, folder: string): Pasted {
  const kept = servers.map(({ name, target, settings, place }) =>
    defineServer(name, keepFolder(target, folder), settings, place),
  )
  return { servers: kept, ...rest }
}

/** What people copy from a page or a file: a line to type, a whole file, the servers alone, a single entry, with or without braces. */
export function readPasted(text: string, name: string | undefined): Pasted {
  const line = readServerLine(text)
  const shell = line === undefined ? undefined : shellOnlyWord(text)
  if (shell !== undefined) {
    const message = `No shell is involved, so "${shell}" would be an argument like any other`
    return nothing(
      message,
      'Give one command with its arguments; variables before it and "cd folder &&" are understood.',
    )
  }
  if (line !== undefined) return readEntry(name ?? line.name, line.entry)
  const trimmed = text.trim().replace(/,$/, '')
  const whole = readConfigText(trimmed, { file: PASTED })
  if (whole.names.length > 0) return whole
  const attempts = [
    ...(name === undefined ? [] : [`{"mcpServers":{${JSON.stringify(name)}:${trimmed}}}`]),
    `{"mcpServers":${trimmed}}`,
    `{"mcpServers":{${trimmed}}}`,
  ]
  for (const attempt of attempts) {
    const read = readConfigText(attempt, { file: PASTED, form: 'portico' })
    if (read.servers.length > 0) return read
  }
  if (whole.problems.length > 0) return whole
  const remedy = 'Give a command line, a URL, or {"mcpServers": {"name": {"command": …}}}.'
  return nothing('Nothing in the text is a server', remedy)
}

function nothing(message: string, remedy: string): Pasted {
  const problem: ConfigProblem = { severity: 'error', place: { file: PASTED, path: '' }, message, remedy }
  return { servers: [], inputs: [], problems: [problem] }
}

/** What would be added, before anything is: names that the text does not say itself can still be chosen. */
export function previewPasted(text: string, folder: string): PastedPreview {
  const line = readServerLine(text)
  const { servers, problems } = inFolder(readPasted(text, undefined), folder)
  return {
    servers: servers.map(({ name, target }) => ({
      name,
      shown: showCommand(target),
      warnings: inspectCommand(target).map(({ message }) => message),
      ...(line !== undefined && { entry: line.entry, named: line.named }),
    })),
    problems,
  }
}
