/**
 * How a question from a handler reaches the client. On the older revisions it is a live request within the session; on
 * the modern ones it suspends the handler and travels in the result (`session/rounds`). Handlers cannot tell the
 * difference; what is asked is the business of `elicitation.ts`, `sampling.ts` and `roots.ts`.
 */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type AskKind, type ClientCapabilities, canAsk } from '../../protocol/capabilities.ts'
import { CapabilityError } from '../../session/conversation.ts'
import { type ReadAnswer, type RoundOptions, Rounds } from '../../session/rounds.ts'
import { digestOf, type StateBinding, type StateSealer } from '../../session/sealed-state.ts'
import type { ServerCall } from '../call/call.ts'
import { invalidParam } from '../call/method.ts'

/** The methods by which a server asks a client. */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/** What asking needs of the server: the sealing key, the bounds, and how to answer with questions. */
export interface Asker {
  readonly sealer: StateSealer
  readonly maxRounds: number
  /** Whose questions these are: state between rounds is for no other server, whatever keys they share. */
  readonly serverName: string
  readonly askTimeoutMs: number
  /** Answers the call with `input_required`. */
  suspend(call: ServerCall, result: { inputRequests: JsonObject; requestState: string }): void
  /** Answers the call with an error. */
  fail(call: ServerCall, error: unknown): void
  /** Puts a question of another server's, where this one relays. */
  askRelayed(call: ServerCall, key: string, method: QuestionMethod, params: JsonObject): Promise<JsonObject>
  /** The rounds of a modern call; undefined on the older revisions. */
  roundsOf(call: ServerCall): Rounds | Promise<Rounds> | undefined
}

/** Puts one question of the handler's own. */
export async function askClient<T>(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  kind: string,
  question: { method: string; params: JsonObject },
  read: ReadAnswer<T>,
): Promise<T> {
  return putQuestion(asker, call, call.run.claimKey(key, kind), question, read)
}

/** Puts a question by whichever way the revision has. */
export async function putQuestion<T>(
  asker: Asker,
  call: ServerCall,
  key: string,
  question: { method: string; params: JsonObject },
  read: ReadAnswer<T>,
): Promise<T> {
  const { session } = call
  if (session === undefined) {
    const rounds = await asker.roundsOf(call)
    if (rounds === undefined) throw new PorticoError('capability-missing', 'This request cannot ask the client')
    return rounds.ask(key, question, read)
  }
  await session.whenReady(call.signal)
  const asked = session
    .request(question.method, question.params, call.outlet, { timeoutMs: asker.askTimeoutMs, signal: call.signal })
    .catch((error: unknown) => {
      // The client's refusal is news for the handler; passed on as it is, it would look like this server's own error.
      if (!(error instanceof RpcError)) throw error
      throw new PorticoError('peer-error', `The client refused ${question.method}: ${error.message}`, { cause: error })
    })
  const response = await call.waitFor(asked)
  const answer = await read(response)
  if (answer === undefined) {
    throw new PorticoError('invalid-message', `The client's answer to ${question.method} does not fit what was asked`)
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
          ? traits.samplingTools
          : true
  if (!known || !canAsk(objectMembers(capabilities), kind)) throw new CapabilityError(kind)
}

/** Capabilities come from the wire: a member that is no object declares nothing. */
function objectMembers(capabilities: ClientCapabilities): ClientCapabilities {
  return Object.fromEntries(Object.entries(capabilities).filter(([, member]) => isObject(member)))
}

/** Makes, or resumes, the rounds of a modern call. */
export function openRounds(asker: Asker, call: ServerCall): Promise<Rounds> {
  const options: RoundOptions = {
    sealer: asker.sealer,
    maxRounds: asker.maxRounds,
    run: call.run,
    progress: call,
    suspend: (result) => asker.suspend(call, result),
    fail: (error) => asker.fail(call, error),
  }
  // As sent: middleware may have altered `params` by the first ask, but not yet when a retry is opened.
  const { _meta, inputResponses, requestState, ...own } = call.sent
  const principal = call.conversation.principal?.id
  const open = async (): Promise<Rounds> => {
    const binding: StateBinding = {
      server: asker.serverName,
      principal,
      method: call.method,
      digest: await digestOf(own),
    }
    if (inputResponses !== undefined && !isObject(inputResponses)) {
      throw invalidParam('inputResponses', 'must be an object')
    }
    if (requestState === undefined) return Rounds.first(options, binding, inputResponses)
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
  return invalidParam('requestState', 'was altered, has expired, or belongs to another request')
}
