/**
 * A server as another program writes it, and what gets lost on the way: the mirror image of `entry-in.ts`. Values stay
 * references; no secret is looked up to be written into a file.
 */

import type { ConfigInput } from '../command/inputs.ts'
import { escapeText, type Piece, spellVariable, toPieces, type Variable, variablesOf } from '../command/variables.ts'
import type { ConfigProblem, ServerConfig, ServerTarget } from '../server-config.ts'
import { writeSettings } from '../settings.ts'
import { type ConfigForm, FORMS, type FormRules } from './form.ts'

interface WrittenEntry {
  /** Undefined when the program cannot have such a server. */
  readonly entry: { readonly [name: string]: unknown } | undefined
  /** Questions that the entry refers to. */
  readonly inputs: readonly WrittenInput[]
  readonly problems: readonly ConfigProblem[]
}

export type WrittenInput = { readonly id: string } & { readonly [name: string]: unknown }

export function toEntry(server: ServerConfig, form: ConfigForm, known: readonly ConfigInput[] = []): WrittenEntry {
  const writer = new EntryWriter(server, form, known)
  const target = writer.target()
  const entry = target === undefined ? undefined : { ...target, ...writer.settings() }
  return { entry, inputs: [...writer.inputs.values()], problems: writer.problems }
}

class EntryWriter {
  readonly inputs = new Map<string, WrittenInput>()
  readonly problems: ConfigProblem[] = []
  readonly #server: ServerConfig
  readonly #form: ConfigForm
  readonly #rules: FormRules
  readonly #known: readonly ConfigInput[]

  constructor(server: ServerConfig, form: ConfigForm, known: readonly ConfigInput[]) {
    this.#server = server
    this.#form = form
    this.#rules = FORMS[form]
    this.#known = known
  }

  target(): { [name: string]: unknown } | undefined {
    const { target } = this.#server
    if (target.kind === 'stdio') return this.#command(target)
    const isOurs = this.#form === 'portico'
    if (target.kind === 'in-process') {
      if (!isOurs) return this.#refuse('has no servers of ours')
      return {
        type: 'in-process',
        module: target.module,
        ...(isEmpty(target.options) ? {} : { options: target.options }),
      }
    }
    if (!this.#rules.remote) return this.#refuse('keeps remote servers elsewhere than in this file')
    if (target.kind === 'websocket' && !isOurs) return this.#refuse('does not connect over WebSocket')
    // Programs that find out the way by themselves are told when it is the older one.
    const type = this.#rules.writesType || target.kind === 'sse' ? { type: target.kind } : {}
    const headers = this.#record(target.headers)
    return { ...type, [this.#rules.urlKey]: this.#text(target.url), ...(isEmpty(headers) ? {} : { headers }) }
  }

  settings(): { [name: string]: unknown } {
    const { settings } = this.#server
    const written = writeSettings(settings)
    if (this.#form === 'portico') return written
    const { disabled, ...rest } = written
    const lost = Object.keys(rest)
    if (lost.length > 0) this.#warn(`does not know ${lost.join(', ')}`, 'Keep the server in portico.json as well')
    if (disabled !== true) return {}
    if (this.#rules.disabled === 'disabled') return { disabled: true }
    if (this.#rules.disabled === 'enabled') return { enabled: false }
    this.#warn('cannot switch a server off in its file', 'Switch it off in the program')
    return {}
  }

  #command(target: Extract<ServerTarget, { kind: 'stdio' }>): { [name: string]: unknown } {
    const { cwd, envFile } = target
    const env = this.#record(target.env)
    const entry: { [name: string]: unknown } = {
      ...(this.#rules.writesType ? { type: 'stdio' } : {}),
      command: this.#text(target.command),
      args: target.args.map((arg) => this.#text(arg)),
      ...(isEmpty(env) ? {} : { env }),
    }
    for (const [name, value, isKnown] of [
      ['cwd', cwd, this.#rules.cwd],
      ['envFile', envFile, this.#rules.envFile],
    ] as const) {
      if (value === undefined) continue
      if (isKnown) entry[name] = this.#text(value)
      else this.#warn(`does not know \`${name}\``, 'Start the server by a script that sets it')
    }
    return entry
  }

  #record(texts: { readonly [name: string]: string }): { [name: string]: string } {
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, this.#text(text)]))
  }

  #text(text: string): string {
    return toPieces(text)
      .map((piece) => (typeof piece === 'string' ? this.#literal(piece) : this.#variable(piece)))
      .join('')
  }

  /** Only we have a way to write `${` and not mean a variable. */
  #literal(piece: Extract<Piece, string>): string {
    if (this.#form === 'portico') return escapeText(piece)
    if (this.#rules.variables !== 'none' && variablesOf(piece).length > 0) {
      this.#warn('will take some text for a variable', 'Give the server this text in another way')
    }
    return piece
  }

  #variable(variable: Variable): string {
    if (this.#form === 'portico') return this.#own(variable)
    if (variable.kind === 'secret' || variable.kind === 'input') return this.#question(variable)
    if (this.#rules.variables === 'none') {
      this.#warn('does not know variables', 'Put the value in by hand')
      return spellVariable(variable)
    }
    if (variable.kind === 'env') return this.#environment(variable.name, variable.fallback)
    if (!this.#rules.places) this.#warn(`does not know \${${variable.name}}`, 'Write the path out')
    return spellVariable(variable)
  }

  #own(variable: Variable): string {
    if (variable.kind === 'input') this.#define(variable.name)
    return spellVariable(variable)
  }

  /** As a question where the program can ask, else as a variable of the environment. */
  #question({ kind, name }: { readonly kind: 'secret' | 'input'; readonly name: string }): string {
    if (this.#rules.inputs) {
      if (kind === 'input') this.#define(name)
      else this.inputs.set(name, { type: 'promptString', id: name, description: name, password: true })
      return `\${input:${name}}`
    }
    const variable = name.toUpperCase().replace(/[^A-Z0-9_]/g, '_')
    this.#warn(`cannot ask for ${JSON.stringify(name)}`, `Set ${variable} in its environment`)
    return this.#environment(variable, undefined)
  }

  #define(id: string): void {
    const input = this.#known.find((known) => known.id === id && known.place.file === this.#server.place.file)
    const { kind = 'text', description = id, password = false, fallback, options } = input ?? {}
    this.inputs.set(id, {
      type: kind === 'choice' ? 'pickString' : 'promptString',
      id,
      description,
      ...(fallback !== undefined && { default: fallback }),
      ...(options && { options }),
      ...(password && { password }),
    })
  }

  #environment(name: string, fallback: string | undefined): string {
    if (fallback !== undefined && !this.#rules.fallbacks) {
      this.#warn(`has no defaults for variables such as ${name}`, `Set ${name} in its environment`)
      return this.#environment(name, undefined)
    }
    if (this.#rules.variables === 'prefixed') return `\${env:${name}}`
    return spellVariable({ kind: 'env', name, ...(fallback !== undefined && { fallback }) })
  }

  #refuse(what: string): undefined {
    this.#add('error', what, 'Keep the server in portico.json')
    return undefined
  }

  #warn(what: string, remedy: string): void {
    this.#add('warning', what, remedy)
  }

  #add(severity: ConfigProblem['severity'], what: string, remedy: string): void {
    const message = `${this.#rules.program} ${what}`
    if (this.problems.some((problem) => problem.message === message)) return
    this.problems.push({ severity, place: this.#server.place, message, remedy })
  }
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0
}
