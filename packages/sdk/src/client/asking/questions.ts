/**
 * Where every question of a server's ends up, whichever way it came: as a live request (older revisions) or inside an
 * `input_required` result (2026-07-28). Says what this client offers, and sends each question to the feature that
 * answers it.
 */

import { INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { ElicitResult } from '../../protocol/elicitation.ts'
import type { Revision } from '../../protocol/revision.ts'
import {
  writeCreateMessageResult,
  writeElicitResult,
  writeListRootsResult,
} from '../../protocol/revisions/client-messages.ts'
import type { ListRootsResult } from '../../protocol/roots.ts'
import type { CreateMessageResult } from '../../protocol/sampling.ts'
import { answerElicitation, Completions } from '../features/elicitation.ts'
import { answerRoots, checkRoots, type RootsSource } from '../features/roots.ts'
import { answerSampling, samplingOptions } from '../features/sampling.ts'
import { CLIENT_LIMITS, type ClientOptions } from '../options.ts'
import type { Relayed } from '../relay.ts'
import type { AskContext } from './ask-context.ts'

interface RelayContext extends Relayed {
  readonly signal: AbortSignal
  readonly required: boolean | undefined
}

export class Questions {
  readonly completions = new Completions()
  readonly #options: ClientOptions
  readonly #maxOpen: number
  #roots: RootsSource | undefined
  #open = 0

  constructor(options: ClientOptions) {
    this.#options = options
    if (options.roots !== undefined) checkRoots(options.roots)
    this.#roots = options.roots
    this.#maxOpen = options.limits?.maxOpenQuestions ?? CLIENT_LIMITS.maxOpenQuestions
  }

  set roots(source: RootsSource) {
    checkRoots(source)
    this.#roots = source
  }

  get offersRoots(): boolean {
    return this.#roots !== undefined
  }

  /** Whether a server may have reason to send requests of its own. */
  get offersAny(): boolean {
    return this.#roots !== undefined || this.#options.sampling !== undefined || this.#options.elicitation !== undefined
  }

  get capabilities(): ClientCapabilities {
    const { sampling, elicitation, experimental, extensions, receiveTasks } = this.#options
    const capabilities: ClientCapabilities = {}
    if (this.#roots !== undefined) capabilities.roots = { listChanged: true }
    if (sampling !== undefined) {
      const { tools, context } = samplingOptions(sampling)
      capabilities.sampling = { ...(context && { context: {} }), ...(tools && { tools: {} }) }
    }
    if (elicitation !== undefined) {
      capabilities.elicitation = { ...(elicitation.form && { form: {} }), ...(elicitation.url && { url: {} }) }
    }
    if (receiveTasks && (sampling ?? elicitation) !== undefined) {
      const requests = {
        ...(sampling !== undefined && { sampling: { createMessage: {} } }),
        ...(elicitation !== undefined && { elicitation: { create: {} } }),
      }
      capabilities.tasks = { list: {}, cancel: {}, requests }
    }
    if (experimental !== undefined) capabilities.experimental = { ...experimental }
    if (extensions !== undefined) capabilities.extensions = { ...extensions }
    return capabilities
  }

  /** Answers one question. What this client does not offer is refused the way an unknown method is. */
  async answer(method: string, params: JsonObject, revision: Revision, context: AskContext): Promise<JsonObject> {
    if (this.#open >= this.#maxOpen) {
      throw new RpcError(INVALID_REQUEST, `maxOpenQuestions (${this.#maxOpen}) exceeded`)
    }
    this.#open++
    try {
      return await this.#dispatch(method, params, revision, context)
    } finally {
      this.#open--
    }
  }

  /** Has a question answered by whoever the request is made for. What this client did not offer is refused all the same. */
  async relayed(
    method: string,
    params: JsonObject,
    revision: Revision,
    { relay, owned, key, signal, required }: RelayContext,
  ): Promise<JsonObject> {
    const { sampling, elicitation } = this.#options
    const offered = { 'roots/list': this.#roots, 'sampling/createMessage': sampling, 'elicitation/create': elicitation }
    const isOffered = Object.hasOwn(offered, method) && offered[method as keyof typeof offered] !== undefined
    if (!isOffered || !revision.serverRequests.has(method)) {
      throw new RpcError(METHOD_NOT_FOUND, `Method not found: this client does not offer ${method}`)
    }
    if (this.#open >= this.#maxOpen) throw tooMany(this.#maxOpen)
    this.#open++
    try {
      const answer = await relay.question?.({ method, params, signal, owned, key, required: required === true })
      return writeAnswer(method, answer ?? {}, revision)
    } finally {
      this.#open--
    }
  }

  #dispatch(method: string, params: JsonObject, revision: Revision, context: AskContext): Promise<JsonObject> {
    const { sampling, elicitation } = this.#options
    const known = revision.serverRequests.has(method)
    if (known && method === 'roots/list' && this.#roots !== undefined) return answerRoots(this.#roots, context)
    if (known && method === 'sampling/createMessage' && sampling !== undefined) {
      return answerSampling(samplingOptions(sampling), params, revision, context)
    }
    if (known && method === 'elicitation/create' && elicitation !== undefined) {
      const completed = this.completions.waitFor(params.elicitationId)
      const answer = answerElicitation(elicitation, params, revision, { ...context, completed })
      if (!context.required) return answer
      return Promise.race([answer, completed.then(() => ({ action: 'accept' }))])
    }
    throw new RpcError(METHOD_NOT_FOUND, `Method not found: this client does not offer ${method}`)
  }
}

function tooMany(maxOpen: number): RpcError {
  return new RpcError(INVALID_REQUEST, `maxOpenQuestions (${maxOpen}) exceeded`)
}

/** The answer of a newer client in the words of the server's revision. Its shape was checked by whoever relays it. */
function writeAnswer(method: string, answer: JsonObject, revision: Revision): JsonObject {
  if (method === 'elicitation/create') return writeElicitResult(revision, answer as unknown as ElicitResult)
  if (method === 'roots/list') return writeListRootsResult(revision, answer as unknown as ListRootsResult)
  return writeCreateMessageResult(revision, answer as unknown as CreateMessageResult)
}
