/**
 * From an entry to something that can be connected to, at the moment of use: variables and secrets become their values
 * here and nowhere else. What is missing is named, with the place that asks for it; values never are.
 */

import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import type { JsonObject } from '@portico/sdk/server'
import { HostError } from '../../errors.ts'
import { formatProblem, joinPath } from '../formats/config-text.ts'
import { parseEnvFile } from '../formats/env-file.ts'
import type { ConfigProblem, ServerConfig, ServerTarget } from '../server-config.ts'
import { readBounded } from '../state-file.ts'
import { type SecretSource, secretVariable } from '../trust/secret-store.ts'
import type { InputSource } from './inputs.ts'
import { type PlaceName, toPieces, type Variable } from './variables.ts'

/** As `ServerTarget`, with every value as it is sent. Keep it out of logs. */
export type ConcreteTarget =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: { readonly [name: string]: string }
      readonly cwd?: string
    }
  | {
      readonly kind: 'http' | 'sse' | 'websocket'
      readonly url: string
      readonly headers: { readonly [name: string]: string }
    }
  | { readonly kind: 'in-process'; readonly module: string; readonly options: JsonObject }

/** Where the variables, secrets and inputs in a server's entry get their values from. */
export interface ResolveContext {
  /** The process's own unless given. */
  readonly env?: { readonly [name: string]: string | undefined }
  readonly secrets?: SecretSource
  readonly inputs?: InputSource
  /** The project folder, for `${workspaceFolder}`. */
  readonly workspaceFolder?: string
  readonly userHome?: string
  readonly platform?: NodeJS.Platform
}

/** A value, and whether nobody but the server may see it. */
interface ResolvedValue {
  readonly text: string
  readonly secret: boolean
}

/** What stands in the text for a variable, or for a piece that is none. `part` is where in the entry: `args`, `0`. */
export type Spelling = (value: ResolvedValue, part: readonly string[], variable?: Variable) => string

const AS_IT_IS: Spelling = ({ text }) => text

/**
 * Puts the values of variables, secrets and inputs into a server's command or address, as it is used to connect.
 * Rejects with `invalid-config` or `secret-missing`; everything that is missing is in `data.problems`.
 *
 * @example
 * ```ts
 * import { defineServer, resolveTarget, secretsFromEnvironment } from '@portico/host/config'
 *
 * const headers = { Authorization: 'Bearer ${secret:docs-token}' }
 * const docs = defineServer('docs', { kind: 'http', url: 'https://docs.example/mcp', headers })
 * const target = await resolveTarget(docs, { secrets: secretsFromEnvironment(process.env) })
 * ```
 */
export async function resolveTarget(
  config: ServerConfig,
  context: ResolveContext = {},
  spell: Spelling = AS_IT_IS,
): Promise<ConcreteTarget> {
  const resolver = new Resolver(config, context, spell)
  const resolved = await resolveParts(config.target, resolver)
  resolver.throwIfMissing()
  return resolved
}

async function resolveParts(target: ServerTarget, resolver: Resolver): Promise<ConcreteTarget> {
  if (target.kind === 'in-process') {
    // Text becomes text and objects stay objects.
    const options = (await resolver.json(target.options, ['options'])) as JsonObject
    return { ...target, options }
  }
  if (target.kind !== 'stdio') {
    const url = await resolver.text(target.url, ['url'])
    const headers = await resolver.record(target.headers, 'headers')
    resolver.checkUrl(url, target.kind)
    for (const [name, value] of Object.entries(headers)) {
      if (/[\r\n\0]/.test(value)) resolver.miss(['headers', name], 'The value has line breaks', 'Remove them')
    }
    return { kind: target.kind, url, headers }
  }
  const command = await resolver.text(target.command, ['command'], true)
  const args = await Promise.all(target.args.map((arg, at) => resolver.text(arg, ['args', String(at)], true)))
  const cwd = target.cwd === undefined ? undefined : await resolver.text(target.cwd, ['cwd'], true)
  const file = target.envFile === undefined ? {} : await resolver.envFile(target.envFile)
  const env = { ...file, ...(await resolver.record(target.env, 'env')) }
  return { kind: 'stdio', command, args, env, ...(cwd !== undefined && { cwd }) }
}

const MAX_ENV_FILE = 1_048_576

class Resolver {
  readonly #config: ServerConfig
  readonly #context: ResolveContext
  readonly #spell: Spelling
  readonly #problems: ConfigProblem[] = []
  #isSecretMissing = false

  constructor(config: ServerConfig, context: ResolveContext, spell: Spelling) {
    this.#config = config
    this.#context = context
    this.#spell = spell
  }

  /** `isOpen`: other programs can read it, so that no secret may be in it. */
  async text(text: string, part: readonly string[], isOpen = false): Promise<string> {
    return this.#join(text, part, isOpen, this.#spell)
  }

  async #join(text: string, part: readonly string[], isOpen: boolean, spell: Spelling): Promise<string> {
    const values = toPieces(text).map(async (piece) => {
      if (typeof piece === 'string') return spell({ text: piece, secret: false }, part)
      return spell(await this.#value(piece, part, isOpen), part, piece)
    })
    return (await Promise.all(values)).join('')
  }

  async record(texts: { readonly [name: string]: string }, part: string): Promise<{ [name: string]: string }> {
    const values = Object.entries(texts).map(
      async ([name, text]) => [name, await this.text(text, [part, name])] as const,
    )
    return Object.fromEntries(await Promise.all(values))
  }

  /** Every string in it. A file bounds how deep it goes. */
  async json(value: unknown, part: readonly string[]): Promise<unknown> {
    if (typeof value === 'string') return this.text(value, part)
    if (Array.isArray(value)) return Promise.all(value.map((item, at) => this.json(item, [...part, String(at)])))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(async ([name, member]) => [
      name,
      await this.json(member, [...part, name]),
    ])
    return Object.fromEntries(await Promise.all(members))
  }

  async envFile(text: string): Promise<{ [name: string]: string }> {
    const path = await this.#join(text, ['envFile'], true, AS_IT_IS)
    // With a variable missing there is no path, and that has been noted.
    if (this.#problems.length > 0) return {}
    try {
      const found = Object.entries(parseEnvFile(await readBounded(this.#absolute(path), MAX_ENV_FILE)))
      return Object.fromEntries(
        found.map(([name, text]) => [name, this.#spell({ text, secret: true }, ['envFile', name])]),
      )
    } catch {
      this.miss(['envFile'], `The file ${path.slice(0, 400)} cannot be read`, 'Make it, or correct its path')
      return {}
    }
  }

  checkUrl(url: string, kind: 'http' | 'sse' | 'websocket'): void {
    if (this.#problems.length > 0 || this.#spell !== AS_IT_IS) return
    const schemes = kind === 'websocket' ? ['ws:', 'wss:'] : ['http:', 'https:']
    if (URL.canParse(url) && schemes.includes(new URL(url).protocol)) return
    this.miss(
      ['url'],
      `The address must begin with ${schemes.join('// or ')}//`,
      'Correct the address or its variables',
    )
  }

  miss(part: readonly string[], message: string, remedy: string): string {
    const { place } = this.#config
    const path = part.reduce((path, name) => joinPath(path, name), place.path)
    this.#problems.push({ severity: 'error', place: { ...place, path }, message, remedy })
    return ''
  }

  throwIfMissing(): void {
    const [first, ...rest] = this.#problems
    if (first === undefined) return
    const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`
    const code = this.#isSecretMissing ? 'secret-missing' : 'invalid-config'
    throw new HostError(code, formatProblem(first) + more, { data: { problems: this.#problems } })
  }

  async #value(variable: Variable, part: readonly string[], isOpen: boolean): Promise<ResolvedValue> {
    switch (variable.kind) {
      case 'env':
        return shown(this.#environment(variable.name, variable.fallback, part))
      case 'place':
        return shown(this.#place(variable.name, part))
      case 'secret':
        return { text: isOpen ? this.#refuseOpen(part) : await this.#secret(variable.name, part), secret: true }
      case 'input':
        return this.#input(variable.name, part, isOpen)
      case 'unknown':
        return shown(
          this.miss(part, 'A kind of variable is not known', `Use \${NAME}, \${input:id} or \${secret:name}`),
        )
    }
  }

  #environment(name: string, fallback: string | undefined, part: readonly string[]): string {
    const value = (this.#context.env ?? process.env)[name]
    // As in a shell, `:-` also stands in for a variable that is empty.
    if (typeof value === 'string' && (value !== '' || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    const remedy = `Set ${name} in the environment, or write \${${name}:-default}`
    return this.miss(part, `The variable ${name} is not set`, remedy)
  }

  async #secret(name: string, part: readonly string[]): Promise<string> {
    const variable = secretVariable(name.slice(0, 200))
    const remedy = `Set ${variable}, or ${variable}_FILE to the path of a file that holds it`
    try {
      const value = await this.#context.secrets?.get(name)
      if (value !== undefined) return value
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'secret-missing') throw error
      this.#isSecretMissing = true
      return this.miss(part, error.message, remedy)
    }
    this.#isSecretMissing = true
    return this.miss(part, `There is no secret called ${JSON.stringify(name.slice(0, 200))}`, remedy)
  }

  async #input(id: string, part: readonly string[], isOpen: boolean): Promise<ResolvedValue> {
    const answer = await this.#context.inputs?.value(id, this.#config.place.file)
    if (answer === undefined) {
      this.#isSecretMissing = true
      return shown(this.miss(part, `Nobody has answered the input ${JSON.stringify(id.slice(0, 200))}`, 'Answer it'))
    }
    const { value, secret } = answer
    return { text: secret && isOpen ? this.#refuseOpen(part) : value, secret }
  }

  #refuseOpen(part: readonly string[]): string {
    return this.miss(part, 'A secret in the arguments can be read by every other program', 'Give it by `env`')
  }

  #place(name: PlaceName, part: readonly string[]): string {
    const { workspaceFolder, platform = process.platform, userHome = homedir() } = this.#context
    const path = platform === 'win32' ? win32 : posix
    if (name === 'userHome') return userHome
    if (name === 'pathSeparator' || name === '/') return path.sep
    if (workspaceFolder === undefined) {
      return this.miss(part, `There is no project folder for \${${name}}`, 'Open a project, or write the path out')
    }
    return name === 'workspaceFolderBasename' ? path.basename(workspaceFolder) : workspaceFolder
  }

  #absolute(path: string): string {
    const { workspaceFolder, platform = process.platform } = this.#context
    return (platform === 'win32' ? win32 : posix).resolve(workspaceFolder ?? '.', path)
  }
}

function shown(text: string): ResolvedValue {
  return { text, secret: false }
}
