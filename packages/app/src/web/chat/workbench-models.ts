/**
 * The models of the workbench: those of the host, those that were added on the page, and the tour's, which is there for
 * whoever names it and is never chosen or offered otherwise.
 */

import { type ModelConfig, Models, type ModelView, readModels } from '@portico/host/model'
import { isObject } from '@portico/sdk/internal'
import type { ModelChoice } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'
import { SavedJson } from '../saved-json.ts'
import { TOUR_MODEL } from './tour.ts'

export class WorkbenchModels extends Models {
  override list(): readonly ModelView[] {
    return super.list().filter(({ id }) => id !== TOUR_MODEL)
  }
}

const LOOK_MS = 15_000
const MAX_ADDED = 50

export class AddedModels {
  readonly #models: Models
  readonly #saved: SavedJson<readonly ModelConfig[]>
  #lookedAt = 0

  static async open(models: Models, file: string, onWarning?: (message: string) => void): Promise<AddedModels> {
    const saved = await SavedJson.open<readonly ModelConfig[]>({ file, read: fromSaved, empty: [], onWarning })
    for (const config of saved.value) models.add(config)
    return new AddedModels(models, saved)
  }

  constructor(models: Models, saved: SavedJson<readonly ModelConfig[]>) {
    this.#models = models
    this.#saved = saved
  }

  async choices(): Promise<ModelChoice[]> {
    if (Date.now() - this.#lookedAt > LOOK_MS) {
      this.#lookedAt = Date.now()
      await Promise.all([this.#models.findOllama(), this.#models.tryAddresses()])
    }
    const added = new Set(this.#saved.value.map(({ id }) => id))
    return this.#models.list().map(({ id, config, source, usable, unreachable, remedy }) => ({
      id,
      label: id === config.model ? id : `${id} (${config.model})`,
      provider: config.provider === 'openai-compatible' ? hostOf(config) : config.provider,
      source: added.has(id) ? 'Added here' : SOURCES[source],
      usable: usable && unreachable !== true,
      ...(remedy !== undefined && { remedy }),
    }))
  }

  add(entry: {
    readonly id: string
    readonly url: string
    readonly model: string
    readonly keyVariable?: string
  }): void {
    const { id, url, model, keyVariable } = entry
    const { models, problems } = readModels({
      [id]: { provider: 'openai-compatible', model, baseUrl: url, ...(keyVariable !== undefined && { keyVariable }) },
    })
    const [problem] = problems
    const [config] = models
    if (config === undefined || id.trim() === '' || id === TOUR_MODEL || id.length > 100) {
      throw new Refused(422, {
        code: 'invalid-model',
        message: problem?.message ?? 'A model needs a name',
        remedy: problem?.remedy ?? 'Give it a short name that is not in use.',
      })
    }
    this.#models.add(config)
    this.#lookedAt = 0
    const others = this.#saved.value.filter((other) => other.id !== id)
    this.#saved.set([...others, config].slice(-MAX_ADDED))
  }

  close(): Promise<void> {
    return this.#saved.flush()
  }
}

export const MODEL_HINT =
  'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY and start again, start Ollama, or add any OpenAI-compatible URL.'

const SOURCES: { readonly [source in ModelView['source']]: string } = {
  configured: 'Configured',
  environment: 'Key in the environment',
  ollama: 'Ollama on this machine',
  added: 'Configured',
}

function hostOf({ baseUrl = '' }: ModelConfig): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'openai-compatible'
}

/** What was saved is read like what is configured, so that nothing odd gets in by way of the file. */
function fromSaved(value: unknown): readonly ModelConfig[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter(isObject).flatMap(({ id, ...entry }) => {
    return typeof id === 'string' ? readModels({ [id]: entry }).models : []
  })
}
