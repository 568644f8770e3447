/**
 * Questions from a handler to the client: elicitation, sampling, roots. On the older revisions a question is a live
 * request within the session; on the modern ones it suspends the handler and travels in the result (`session/rounds`).
 * Handlers cannot tell the difference.
 */

import { INVALID_PARAMS, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { type AskKind, canAsk } from '../protocol/capabilities.ts'
import type { ListRootsResult, Root } from '../protocol/roots.ts'
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts'
import type { AnySchema } from '../schema/schema.ts'
import { CapabilityError } from '../session/conversation.ts'
import { type RoundOptions, Rounds } from '../session/rounds.ts'
import { digestOf, type StateBinding, type StateSealer } from '../session/sealed-state.ts'
import type { ServerCall } from './call.ts'
import { askForm, askUrl } from './elicitation.ts'
import { readCreateMessageResult, toCreateMessageParams } from './sampling.ts'

/** A form to fill in. `form` is a flat object of strings, numbers, booleans and choices. */
export interface FormQuestion<S extends AnySchema> {
  readonly message: string
  readonly form: S
}

/** A page to visit. `accept` means consent; with `done`, the question is repeated until `done` says the visit is over. */
export interface UrlQuestion {
  readonly message: string
  readonly url: string
  readonly done?: () => boolean | Promise<boolean>
}

export type ElicitQuestion<S extends AnySchema> = FormQuestion<S> | UrlQuestion

export type ElicitAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

/** A request for a completion: either whole `messages`, or a `prompt` that becomes one user message. */
export type SampleQuestion = Omit<CreateMessageParams, 'messages' | 'maxTokens'> & { maxTokens?: number } & (
    | { messages: CreateMessageParams['messages']; prompt?: undefined }
    | { prompt: string; messages?: undefined }
  )

/** What asking needs of the server: the sealing key, the bounds, and how to answer with questions. */
export interface Asker {
  readonly sealer: StateSealer
  readonly maxRounds: number
  readonly askTimeoutMs: number
  /** Answers the call with `input_required`. */
  suspend(call: ServerCall, result: { inputRequests: JsonObject; requestState: string }): void
  /** Answers the call with an error. */
  fail(call: ServerCall, error: unknown): void
  /** The rounds of a modern call; undefined on the older revisions. */
  roundsOf(call: ServerCall): Rounds | Promise<Rounds> | undefined
}

export function askElicitation(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  question: ElicitQuestion<AnySchema>,
): Promise<ElicitAnswer<JsonObject>> {
  return 'url' in question ? askUrl(asker, call, key, question) : askForm(asker, call, key, question)
}

export async function askSampling(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  question: SampleQuestion,
): Promise<CreateMessageResult> {
  const params = toCreateMessageParams(question)
  requireClient(call, params.tools === undefined ? 'sample' : 'sample-tools')
  const wire = call.conversation.revision.writeCreateMessageParams(params)
  return askClient(asker, call, key, 'sampling', { method: 'sampling/createMessage', params: wire }, readCreateMessageResult)
}

export async function askRoots(asker: Asker, call: ServerCall, key: string | undefined): Promise<Root[]> {
  requireClient(call, 'roots')
  return askClient(asker, call, key, 'roots', { method: 'roots/list', params: {} }, readRoots)
}

/** Puts one question by whichever way the revision has. `read` returns undefined for an answer that is unusable. */
export async function askClient<T>(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  kind: string,
  question: { method: string; params: JsonObject },
  read: (response: JsonObject) => T | undefined,
): Promise<T> {
  const { session } = call
  if (session === undefined) {
    const rounds = await asker.roundsOf(call)
    if (rounds === undefined) throw new PorticoError('capability-missing', 'This request cannot ask the client')
    return rounds.ask(key ?? rounds.nextKey(kind), question, read)
  }
  await session.whenReady(call.signal)
  const response = await session
    .request(question.method, question.params, call.outlet, { timeoutMs: asker.askTimeoutMs, signal: call.signal })
    .catch((error: unknown) => {
      // The client's refusal is news for the handler; passed on as it is, it would look like this server's own error.
      if (!(error instanceof RpcError)) throw error
      throw new PorticoError('peer-error', `The client refused ${question.method}: ${error.message}`, { cause: error })
    })
  const answer = read(response)
  if (answer === undefined) {
    throw new PorticoError('invalid-message', `The client’s answer to ${question.method} does not fit what was asked`)
  }
  return answer
}

/** Fails with a typed error when the client did not offer what a question needs (sec-107, sec-116). */
export function requireClient(call: ServerCall, kind: AskKind): void {
  const { revision, capabilities } = call.conversation
  const { traits } = revision
  const known =
    kind === 'form'
      ? traits.elicitation
      : kind === 'url'
        ? traits.urlElicitation
        : kind === 'sample-tools'
          ? traits.samplingTools || capabilities.sampling === undefined
          : true
  if (!known || !canAsk(capabilities, kind)) throw new CapabilityError(kind)
}

/** Makes, or resumes, the rounds of a modern call. */
export function openRounds(asker: Asker, call: ServerCall): Promise<Rounds> {
  const options: RoundOptions = {
    sealer: asker.sealer,
    maxRounds: asker.maxRounds,
    suspend: (result) => asker.suspend(call, result),
    fail: (error) => asker.fail(call, error),
  }
  const { _meta, inputResponses, requestState, ...own } = call.params
  const principal = call.conversation.principal?.id
  const open = async (): Promise<Rounds> => {
    const binding: StateBinding = { principal, method: call.method, digest: await digestOf(own) }
    if (requestState === undefined) return Rounds.first(options, binding)
    if (typeof requestState !== 'string') throw badState()
    try {
      return await Rounds.resume(options, binding, requestState, inputResponses)
    } catch (error) {
      throw error instanceof PorticoError && error.code === 'state-refused' ? badState() : error
    }
  }
  return open()
}

function badState(): RpcError {
  const reason = 'was altered, has expired, or belongs to another request'
  return new RpcError(INVALID_PARAMS, `Invalid params: requestState ${reason}`, { parameter: 'requestState', reason })
}

function readRoots(response: JsonObject): Root[] | undefined {
  const { roots } = response as Partial<ListRootsResult>
  if (!Array.isArray(roots)) return undefined
  return roots.every((root) => typeof root === 'object' && root !== null && typeof root.uri === 'string') ? roots : undefined
}
