/**
 * All models at hand: configured ones, those whose key is in the environment, a local Ollama. Provider code is loaded
 * when a model is first used, so that a host without one does not pay for it.
 */

import type { LanguageModel } from 'ai'
import type { SecretSource } from '../config/trust/secret-store.ts'
import { HostError } from '../errors.ts'
import { foundModels, keyVariable, type ModelConfig } from './model-config.ts'

/** Options of `new Models`; `env` is the process's own environment unless given. */
export interface ModelsOptions {
  readonly configured?: readonly ModelConfig[]
  readonly env?: { readonly [name: string]: string | undefined }
  /** Where the keys are that `keySecret` names. */
  readonly secrets?: SecretSource
  /** Used for every request to a provider. */
  readonly fetch?: typeof fetch
  /** Where a local Ollama is looked for; `false` looks nowhere. */
  readonly ollama?: string | false
}

/** A model in the list, where it comes from, and whether it can be used. */
export interface ModelView {
  readonly id: string
  readonly config: ModelConfig
  /** Why it is in the list. */
  readonly source: 'configured' | 'environment' | 'ollama' | 'added'
  readonly usable: boolean
  /** What to do so that it becomes usable, or can be reached. */
  readonly remedy?: string
  /** Nothing took the connection when its address was tried last; see `Models.tryAddresses`. */
  readonly unreachable?: true
}

/**
 * Where models come from, in the order of the list, and what that is called there. Of two with one id the later counts,
 * except that what Ollama has never takes another's place.
 */
const ORIGINS = {
  environment: 'environment',
  given: 'configured',
  files: 'configured',
  added: 'added',
  ollama: 'ollama',
} as const satisfies { readonly [origin: string]: ModelView['source'] }

type Origin = keyof typeof ORIGINS

/** Where a local Ollama is looked for unless the options say otherwise. */
export const OLLAMA_URL = 'http://127.0.0.1:11434/v1'
const OLLAMA_PATIENCE_MS = 400
const ADDRESS_PATIENCE_MS = 1_500
const MAX_LISTED = 50

/**
 * The models that can be used: configured ones, those whose key is in the environment, and those of a local Ollama. The
 * code for a provider is loaded when one of its models is first used.
 */
export class Models {
  readonly #options: ModelsOptions
  readonly #env: { readonly [name: string]: string | undefined }
  readonly #known = new Map<Origin, readonly ModelConfig[]>()
  #views: ReadonlyMap<string, ModelView> = new Map()
  /** Addresses that nothing listened at. */
  #silent: ReadonlySet<string> = new Set()
  readonly #loaded = new Map<string, { readonly config: ModelConfig; readonly model: Promise<LanguageModel> }>()
  readonly #fetches = new Map<string, typeof fetch>()

  constructor(options: ModelsOptions = {}) {
    this.#options = options
    this.#env = options.env ?? process.env
    this.#take('environment', foundModels(this.#env))
    this.#take('given', options.configured ?? [])
  }

  /** Adds a model, or replaces the one of that id. `fetch` answers for it in place of the network. */
  add(config: ModelConfig, answers?: typeof fetch): void {
    if (answers !== undefined) this.#fetches.set(config.id, answers)
    this.#take('added', [...(this.#known.get('added') ?? []), config])
  }

  /** Takes these for all that the files configure: those of an earlier call that are no longer among them are gone. */
  configure(configured: readonly ModelConfig[]): void {
    this.#take('files', configured)
  }

  list(): readonly ModelView[] {
    return [...this.#views.values()]
  }

  usable(): readonly ModelView[] {
    return this.list().filter((view) => view.usable)
  }

  view(id: string): ModelView | undefined {
    return this.#views.get(id)
  }

  /** Looks for a local Ollama and lists the models it has now; quietly finds none where there is none. */
  async findOllama(): Promise<void> {
    const base = this.#options.ollama ?? OLLAMA_URL
    if (base === false) return
    const named = await namesAt(base, { fetch: this.#options.fetch, timeoutMs: OLLAMA_PATIENCE_MS }).catch(() => [])
    const found = named.map(
      (name) => ({ id: `ollama/${name}`, provider: 'openai-compatible', model: name, baseUrl: base }) as const,
    )
    this.#take('ollama', found)
  }

  /**
   * Tries the addresses of the models that have one, and notes where nothing takes the connection. A model whose server
   * is slow, or answers with an error, may still be there.
   */
  async tryAddresses(): Promise<void> {
    const own = this.list().filter(({ id }) => !this.#fetches.has(id))
    const addresses = [...new Set(own.flatMap(({ config }) => config.baseUrl ?? []))]
    const get = this.#options.fetch ?? fetch
    const silent = await Promise.all(
      addresses.map(async (address) => ((await isListening(address, get)) ? [] : [address])),
    )
    this.#silent = new Set(silent.flat())
    this.#list()
  }

  /** The model itself. Rejects with `no-model`, and says what to do. */
  async load(id?: string): Promise<{ readonly model: LanguageModel; readonly config: ModelConfig }> {
    const view = id === undefined ? this.usable()[0] : this.#views.get(id)
    if (view === undefined) {
      throw new HostError('no-model', this.#missing(id))
    }
    if (!view.usable)
      throw new HostError('no-model', `The model "${view.id}" cannot be used. ${view.remedy ?? ''}`.trim())
    const { config } = view
    const known = this.#loaded.get(config.id)
    const loaded = known?.config === config ? known : { config, model: this.#open(config) }
    this.#loaded.set(config.id, loaded)
    loaded.model.catch(() => this.#loaded.delete(config.id))
    return { model: await loaded.model, config }
  }

  #missing(id: string | undefined): string {
    const known = this.list().map((view) => view.id)
    if (id !== undefined && known.length > 0)
      return `There is no model "${id}". There ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, 20).join(', ')}.`
    const message = id === undefined ? 'No model is configured' : `There is no model "${id}"`
    return `${message}. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, start Ollama, or add a model with its URL.`
  }

  #take(origin: Origin, configs: readonly ModelConfig[]): void {
    this.#known.set(origin, configs)
    this.#list()
  }

  #list(): void {
    const views = new Map<string, ModelView>()
    for (const [origin, source] of Object.entries(ORIGINS)) {
      // The keys of the table just above.
      for (const config of this.#known.get(origin as Origin) ?? []) {
        if (source !== 'ollama' || !views.has(config.id)) views.set(config.id, this.#toView(config, source))
      }
    }
    this.#views = views
  }

  #toView(config: ModelConfig, source: ModelView['source']): ModelView {
    const { id, baseUrl, keySecret } = config
    const variable = keyVariable(config)
    const isStored = keySecret !== undefined && this.#options.secrets !== undefined
    const missing = variable !== undefined && !isStored && (this.#env[variable] ?? '') === ''
    const unreachable = baseUrl !== undefined && this.#silent.has(baseUrl) && !this.#fetches.has(id)
    return {
      id,
      config,
      source,
      usable: !missing,
      ...(missing && { remedy: `Set the environment variable ${variable} and start again.` }),
      ...(unreachable && {
        unreachable,
        ...(!missing && { remedy: `Nothing answers at ${baseUrl}. Start the program that serves the model there.` }),
      }),
    }
  }

  async #keyOf(config: ModelConfig): Promise<string | undefined> {
    const variable = keyVariable(config)
    const given = variable === undefined ? undefined : this.#env[variable]
    if (config.keySecret === undefined || (given ?? '') !== '') return given
    const stored = await this.#options.secrets?.get(config.keySecret)
    if (stored === undefined)
      throw new HostError('no-model', `The key of the model "${config.id}" is not in the secret store. Store it again.`)
    return stored
  }

  async #open(config: ModelConfig): Promise<LanguageModel> {
    const apiKey = await this.#keyOf(config)
    const settings = {
      ...(apiKey !== undefined && { apiKey }),
      ...(config.baseUrl !== undefined && { baseURL: config.baseUrl }),
      fetch: this.#fetches.get(config.id) ?? this.#options.fetch,
    }
    switch (config.provider) {
      case 'anthropic':
        return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(config.model)
      case 'openai':
        return (await import('@ai-sdk/openai')).createOpenAI(settings)(config.model)
      case 'google':
        return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings)(config.model)
      case 'openai-compatible': {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
        const baseURL = config.baseUrl ?? OLLAMA_URL
        return createOpenAICompatible({ ...settings, baseURL, name: config.id, includeUsage: true })(config.model)
      }
    }
  }
}

/** False only where there is nobody to take the connection: no time to answer and an error are no proof of that. */
async function isListening(address: string, get: typeof fetch): Promise<boolean> {
  try {
    const response = await get(address, { method: 'HEAD', signal: AbortSignal.timeout(ADDRESS_PATIENCE_MS) })
    await response.body?.cancel()
    return true
  } catch (error) {
    return !(error instanceof TypeError)
  }
}

/** Options of `namesAt`: the API key, the `fetch` to use, and how long an answer may take (5 seconds unless given). */
export interface NamesAtOptions {
  readonly key?: string
  readonly fetch?: typeof fetch
  readonly timeoutMs?: number
}

/**
 * Asks an OpenAI-compatible service at a URL which models it has, and returns their names. Rejects where it does not
 * answer.
 *
 * @example
 * ```ts
 * import { namesAt } from '@portico/host/model'
 *
 * const names = await namesAt('http://127.0.0.1:11434/v1')
 * ```
 */
export async function namesAt(
  base: string,
  { key, fetch: get = fetch, timeoutMs = 5_000 }: NamesAtOptions = {},
): Promise<string[]> {
  const headers: { [name: string]: string } = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const response = await get(`${base.replace(/\/$/, '')}/models`, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new HostError('no-model', `${base} answers with ${response.status} when asked for its models`)
  // Whatever answers there is not trusted to be what it should; only strings are taken from it.
  const body = (await response.json()) as { data?: unknown }
  const entries: unknown[] = Array.isArray(body?.data) ? body.data : []
  const names = entries.flatMap((entry) => {
    const id = (entry as { id?: unknown } | null)?.id
    return typeof id === 'string' && id.length <= 200 ? [id] : []
  })
  return names.slice(0, MAX_LISTED)
}
