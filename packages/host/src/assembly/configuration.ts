/**
 * What a host is configured with at this moment: the program's own rules and servers, those of the files, and what was
 * changed of a server while it runs. Holds and joins them; connecting is for `host.ts`.
 */

import type { LoadedConfig } from '../config/load-config.ts'
import type { ConfigProblem, ServerConfig } from '../config/server-config.ts'
import { HostError } from '../errors.ts'
import { createRules, type Rules } from '../policy/rules.ts'
import { type ConversationSettings, type Project, readConversationSettings } from './conversation/projects.ts'
import type { AttachRule, HostOptions } from './options.ts'
import { type HostSettings, readSettings } from './settings.ts'
import { type Tuning, withTuning } from './tuning.ts'

export class Configuration {
  readonly #options: HostOptions
  readonly #tuning = new Map<string, Tuning>()
  #ownRules: readonly unknown[]
  #ownServers: readonly ServerConfig[]
  #loaded: LoadedConfig
  #settings: HostSettings
  #conversations: ConversationSettings

  constructor(options: HostOptions, loaded: LoadedConfig) {
    this.#options = options
    this.#ownRules = options.rules ?? []
    this.#ownServers = options.servers ?? []
    this.#loaded = loaded
    this.#settings = readSettings(loaded, this.#ownRules)
    this.#conversations = readConversationSettings(loaded)
  }

  /** As the files were last read. */
  get loaded(): LoadedConfig {
    return this.#loaded
  }

  get rules(): Rules {
    return this.#settings.rules
  }

  get models(): HostSettings['models'] {
    return this.#settings.models
  }

  get problems(): readonly ConfigProblem[] {
    return [...this.#loaded.problems, ...this.#settings.problems, ...this.#conversations.problems]
  }

  get projects(): ReadonlyMap<string, Project> {
    return this.#conversations.projects
  }

  /** The servers to be connected: the program's and the files', of which a file's entry wins. */
  get servers(): readonly ServerConfig[] {
    const { only } = this.#options
    const servers = new Map([...this.#ownServers, ...this.#loaded.servers].map((server) => [server.name, server]))
    return [...servers.values()]
      .filter(({ name }) => only?.includes(name) ?? true)
      .map((server) => withTuning(server, this.#tuning.get(server.name)))
  }

  /** Throws `invalid-config` for a name that no project has. */
  project(name: string | undefined): Project | undefined {
    const project = name === undefined ? undefined : this.projects.get(name)
    if (name === undefined || project !== undefined) return project
    const known = [...this.projects.keys()].join(', ')
    throw new HostError('invalid-config', `There is no project "${name}"${known === '' ? '' : `; there are ${known}`}`)
  }

  /** What goes along with every message of a conversation. */
  attachedTo(project: Project | undefined): readonly AttachRule[] {
    const { attach = [] } = this.#options
    return [...attach, ...this.#conversations.attach, ...(project?.attach ?? [])]
  }

  /** Takes what the files say now. */
  take(loaded: LoadedConfig): void {
    this.#loaded = loaded
    this.#settings = readSettings(loaded, this.#ownRules)
    this.#conversations = readConversationSettings(loaded)
  }

  /** Throws `invalid-config`, and keeps the old ones, when a rule cannot be read. */
  setRules(rules: readonly unknown[]): void {
    createRules([...rules])
    this.#ownRules = rules
    this.#settings = readSettings(this.#loaded, rules)
  }

  setServers(servers: readonly ServerConfig[]): void {
    this.#ownServers = servers
  }

  tune(server: string, change: Tuning): void {
    this.#tuning.set(server, { ...this.#tuning.get(server), ...change })
  }
}
