/**
 * The models a host may use, as configured: which provider, under what name, at what price, and how they compare for
 * servers that ask for speed or cleverness. `models.ts` turns an entry into something that answers.
 */

import { isObject } from '@portico/sdk/internal'
import { MEDIA_KINDS, type MediaKind } from './media-kinds.ts'

/** The providers of models that are known; `openai-compatible` is any service that speaks OpenAI's chat protocol. */
export const PROVIDERS = ['anthropic', 'openai', 'google', 'openai-compatible'] as const
/** One of `PROVIDERS`. */
export type ProviderName = (typeof PROVIDERS)[number]

/** A model of the configuration: who provides it, under which name, where its key is found, and what it costs. */
export interface ModelConfig {
  /** What the user calls it. */
  readonly id: string
  readonly provider: ProviderName
  /** What the provider calls it. */
  readonly model: string
  /** Required for `openai-compatible`: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl?: string
  /** The environment variable that holds the key; the provider's usual one unless given. Never the key itself. */
  readonly keyVariable?: string
  /** The name under which the secret store holds the key, for where the environment does not. */
  readonly keySecret?: string
  /** US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number }
  /** From 0 to 1, for servers that state priorities. */
  readonly speed?: number
  readonly intelligence?: number
  readonly cost?: number
  /** What it takes besides text, where that differs from what models of its provider usually take. */
  readonly accepts?: readonly MediaKind[]
}

/** An entry of the `models` section that cannot be used, and what to do about it. */
export interface ModelProblem {
  readonly id: string
  readonly message: string
  readonly remedy: string
}

const KEY_VARIABLES: { readonly [Provider in ProviderName]: string | undefined } = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  'openai-compatible': undefined,
}

/** Used where the key is in the environment and nobody has configured anything. */
const FOUND_MODELS: readonly ModelConfig[] = [
  { id: 'claude', provider: 'anthropic', model: 'claude-sonnet-4-5', speed: 0.6, intelligence: 0.9, cost: 0.5 },
  { id: 'gpt', provider: 'openai', model: 'gpt-5-mini', speed: 0.7, intelligence: 0.8, cost: 0.7 },
  { id: 'gemini', provider: 'google', model: 'gemini-2.5-flash', speed: 0.8, intelligence: 0.7, cost: 0.8 },
]

export function keyVariable(config: ModelConfig): string | undefined {
  return config.keyVariable ?? KEY_VARIABLES[config.provider]
}

export function foundModels(env: { readonly [name: string]: string | undefined }): ModelConfig[] {
  return FOUND_MODELS.filter((model) => {
    const variable = keyVariable(model)
    return variable !== undefined && (env[variable] ?? '') !== ''
  })
}

/**
 * Reads the `models` section of a configuration file: `{ "local": { "provider": …, "model": …, "baseUrl": … } }`.
 *
 * @example
 * ```ts
 * import { readModels } from '@portico/host/model'
 *
 * const local = { provider: 'openai-compatible', model: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1' }
 * const { models, problems } = readModels({ local })
 * ```
 */
export function readModels(section: unknown): { readonly models: ModelConfig[]; readonly problems: ModelProblem[] } {
  const models: ModelConfig[] = []
  const problems: ModelProblem[] = []
  if (section === undefined) return { models, problems }
  if (!isObject(section)) {
    problems.push({ id: 'models', message: '`models` is not an object', remedy: 'Write {"name": {"provider": …}}' })
    return { models, problems }
  }
  for (const [id, entry] of Object.entries(section)) {
    const read = readModel(id, entry)
    if ('message' in read) problems.push(read)
    else models.push(read)
  }
  return { models, problems }
}

function readModel(id: string, entry: unknown): ModelConfig | ModelProblem {
  const wrong = (message: string, remedy: string): ModelProblem => ({
    id,
    message: `Model "${id}": ${message}`,
    remedy,
  })
  if (!isObject(entry)) return wrong('is not an object', 'Write {"provider": …, "model": …}')
  const { provider, model, baseUrl, keyVariable, keySecret, price, speed, intelligence, cost, accepts } = entry
  if (!PROVIDERS.includes(provider as ProviderName)) {
    return wrong(`provider ${JSON.stringify(provider)} is not known`, `Use one of ${PROVIDERS.join(', ')}`)
  }
  if (typeof model !== 'string' || model === '') return wrong('has no `model`', "Give the provider's name for it")
  if (baseUrl !== undefined && !isWebUrl(baseUrl)) return wrong('`baseUrl` is no http(s) URL', 'Correct the URL')
  if (provider === 'openai-compatible' && baseUrl === undefined) return wrong('needs `baseUrl`', 'Give its URL')
  if (accepts !== undefined && !isMediaKinds(accepts)) {
    return wrong('`accepts` is no list of kinds', `Write a list of ${MEDIA_KINDS.join(', ')}`)
  }
  if ('key' in entry || 'apiKey' in entry) {
    return wrong(
      'holds a key',
      'Put it into the environment and name the variable in `keyVariable`, or store it: `portico models add --key`',
    )
  }
  return {
    id,
    // `includes` has just said that it is one of them.
    provider: provider as ProviderName,
    model,
    ...(typeof baseUrl === 'string' && { baseUrl }),
    ...(typeof keyVariable === 'string' && { keyVariable }),
    ...(typeof keySecret === 'string' && { keySecret }),
    ...(isPrice(price) && { price: { input: price.input, output: price.output } }),
    ...(isShare(speed) && { speed }),
    ...(isShare(intelligence) && { intelligence }),
    ...(isShare(cost) && { cost }),
    ...(isMediaKinds(accepts) && { accepts }),
  }
}

function isWebUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}

function isMediaKinds(value: unknown): value is MediaKind[] {
  return Array.isArray(value) && value.every((kind) => MEDIA_KINDS.includes(kind))
}

function isPrice(value: unknown): value is { input: number; output: number } {
  return isObject(value) && typeof value.input === 'number' && typeof value.output === 'number'
}
