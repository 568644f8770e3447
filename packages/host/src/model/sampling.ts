/**
 * Sampling for servers: a server's request goes through the same models as the user's own conversation, but only after
 * the guard has let it pass, within the server's rate and token budget, framed and filtered on the way in and out, and
 * with the answer shown to the user before the server gets it where rules say so.
 */

import type { CreateMessageParams, CreateMessageResult, JsonObject } from '@portico/sdk/client'
import type { ServerSettings } from '../config/server-config.ts'
import type { Inbox } from '../consent/inbox.ts'
import { HostError } from '../errors.ts'
import type { Guard, Permit } from '../guard/guard.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { chooseModels } from './choose.ts'
import { MediaFit } from './fit-media.ts'
import { fromSampling, toSamplingResult } from './messages.ts'
import type { ModelConfig } from './model-config.ts'
import type { Models } from './models.ts'
import { checkedFilter, redactSecrets, type SafetyFilter, samplingInstructions } from './safety.ts'
import { runStep } from './step.ts'

type SampleEffect = Effect & { readonly kind: 'sample' }

interface ServerSamplingOptions {
  readonly models: Models
  readonly guard: Guard
  readonly inbox: Inbox
  readonly filter?: SafetyFilter
  /** Shows every answer to the user before the server gets it. */
  readonly reviewAnswers?: boolean
  /** Whether a rule asks for a look at the answer. */
  readonly reviews?: (effect: SampleEffect, circumstances: Circumstances) => boolean
  readonly now?: () => number
}

interface SamplingRequest {
  readonly server: string
  readonly params: CreateMessageParams
  /** Asked for outside any call of ours. */
  readonly background: boolean
  readonly circumstances: Circumstances
  readonly settings: ServerSettings['sampling']
  readonly signal: AbortSignal
  /** What `includeContext` may bring in, by scope; asked for only when wanted and permitted. */
  readonly context?: (scope: 'thisServer' | 'allServers') => string
  readonly onWaiting?: (question: string | undefined) => void
}

/** What one request has put aside of its server's budget. */
interface Account {
  /** What it came to; what was put aside beyond that is free again. */
  spend(tokens: number): void
  release(): void
}

const MINUTE = 60_000
const DAY = 86_400_000

export class ServerSampling {
  readonly #options: ServerSamplingOptions
  readonly #ledger = new Map<string, { requests: number[]; dayStart: number; tokens: number; reserved: number }>()

  constructor(options: ServerSamplingOptions) {
    this.#options = options
  }

  async answer(request: SamplingRequest): Promise<CreateMessageResult> {
    const { server, params, settings } = request
    const account = this.#reserve(server, params.maxTokens, settings)
    try {
      return await this.#pass(request, account)
    } finally {
      account.release()
    }
  }

  async #pass(request: SamplingRequest, account: Account): Promise<CreateMessageResult> {
    const { server, params, settings, circumstances, signal } = request
    const choices = chooseModels(this.#options.models.list(), params.modelPreferences, settings.models)
    if (choices.length === 0) {
      throw new HostError('no-model', `No model may answer "${server}". Configure one, or extend \`sampling.models\`.`)
    }
    const effect: SampleEffect = {
      kind: 'sample',
      server,
      background: request.background,
      maxTokens: params.maxTokens,
      ...(params.includeContext !== undefined && { includeContext: params.includeContext }),
    }
    const permit = await this.#options.guard.pass(effect, circumstances, {
      signal,
      onWaiting: request.onWaiting,
      // Protocol types are plain JSON; the inbox keeps them as such.
      question: { kind: 'sampling', request: params as unknown as JsonObject, models: choices.map(({ id }) => id) },
    })
    try {
      const modelId = permit.answer?.model ?? choices[0]?.id
      const answer = await this.#ask(request, effect, permit, { modelId, account })
      permit.finish('ok')
      return answer
    } catch (error) {
      permit.finish(signal.aborted ? 'cancelled' : 'error', error instanceof Error ? error.message : undefined)
      throw error
    }
  }

  async #ask(
    request: SamplingRequest,
    effect: SampleEffect,
    permit: Permit,
    { modelId, account }: { readonly modelId: string | undefined; readonly account: Account },
  ): Promise<CreateMessageResult> {
    const { server, signal } = request
    // What the person edited has the same shape; what they left out stays as the server wrote it.
    const params = { ...request.params, ...(permit.answer?.content as Partial<CreateMessageParams> | undefined) }
    const filter = checkedFilter(this.#options.filter ?? redactSecrets)
    const { model, config } = await this.#options.models.load(modelId)
    const context = this.#context(request, params)
    const system = [samplingInstructions(server), params.systemPrompt, context].filter((part) => part !== undefined)
    const step = await runStep({
      model,
      system: filter(system.join('\n\n'), 'input', server),
      messages: await new MediaFit().fit(
        fromSampling(params.messages, (text) => filter(text, 'input', server)),
        config,
      ),
      tools: (params.tools ?? []).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      toolChoice: params.toolChoice?.mode,
      maxOutputTokens: params.maxTokens,
      temperature: params.temperature,
      stopSequences: params.stopSequences,
      metadata: toMetadata(params.metadata, (text) => filter(text, 'input', server)),
      signal,
    })
    account.spend(step.tokens.input + step.tokens.output)
    const text = filter(step.text, 'output', server)
    return this.#review(request, toSamplingResult(config.model, text, step), config, effect)
  }

  /** Nothing unless asked for; other servers' words only with a recorded yes, which `includeContext` in the effect is. */
  #context({ context }: SamplingRequest, { includeContext }: CreateMessageParams): string | undefined {
    if (context === undefined || (includeContext !== 'thisServer' && includeContext !== 'allServers')) return undefined
    const words = context(includeContext)
    return words === '' ? undefined : `Context from earlier in the conversation:\n${words}`
  }

  async #review(
    request: SamplingRequest,
    answer: CreateMessageResult,
    config: ModelConfig,
    effect: SampleEffect,
  ): Promise<CreateMessageResult> {
    const { server, circumstances, signal } = request
    const isReviewed = this.#options.reviewAnswers === true || this.#options.reviews?.(effect, circumstances) === true
    if (!isReviewed) return answer
    if (circumstances.unattended) throw new HostError('denied', 'Nobody is there to look at the answer')
    const asked = this.#options.inbox.ask(
      {
        server,
        session: circumstances.session,
        principal: circumstances.principal?.id,
        workspace: circumstances.workspace,
        body: {
          kind: 'sampling-answer',
          request: request.params as unknown as JsonObject,
          answer: { ...answer, model: config.id } as unknown as JsonObject,
        },
      },
      { signal, onWaiting: request.onWaiting },
    )
    const { action, content } = await asked
    if (action !== 'allow') throw new HostError('denied', 'The user kept the answer back')
    const text = content?.text
    return typeof text === 'string' ? { ...answer, content: { type: 'text', text } } : answer
  }

  /** Takes the most that an answer may cost before it is asked for, so that requests side by side cannot share it. */
  #reserve(server: string, maxTokens: number, settings: ServerSettings['sampling']): Account {
    const now = this.#options.now?.() ?? Date.now()
    const entry = this.#ledger.get(server) ?? { requests: [], dayStart: now, tokens: 0, reserved: 0 }
    this.#ledger.set(server, entry)
    entry.requests = entry.requests.filter((at) => at > now - MINUTE)
    if (now - entry.dayStart >= DAY) Object.assign(entry, { dayStart: now, tokens: 0 })
    if (entry.requests.length >= settings.requestsPerMinute) {
      throw refused(server, `sampling.requestsPerMinute`, `${settings.requestsPerMinute} requests in a minute`)
    }
    if (entry.tokens + entry.reserved + maxTokens > settings.tokensPerDay) {
      throw refused(server, 'sampling.tokensPerDay', `${settings.tokensPerDay} tokens in a day`)
    }
    entry.requests.push(now)
    entry.reserved += maxTokens
    let held = maxTokens
    const release = (): void => {
      entry.reserved -= held
      held = 0
    }
    return {
      release,
      spend(tokens) {
        entry.tokens += tokens
        release()
      },
    }
  }
}

const MAX_METADATA = 16
const MAX_METADATA_LENGTH = 512

/** As much of a server's metadata as every provider takes: a few short texts by name. */
function toMetadata(
  metadata: unknown,
  filter: (text: string) => string,
): { readonly [name: string]: string } | undefined {
  const texts = Object.entries(metadata ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && value.length <= MAX_METADATA_LENGTH ? [[name, filter(value)] as const] : [],
  )
  return texts.length === 0 ? undefined : Object.fromEntries(texts.slice(0, MAX_METADATA))
}

function refused(server: string, option: string, words: string): HostError {
  const message = `"${server}" has used up its ${words}. Raise \`${option}\` to allow more.`
  return new HostError('budget-exhausted', message, { data: { budget: option } })
}
