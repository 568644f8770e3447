/**
 * How a question from a handler reaches the client. On the older revisions it is a live request within the session; on
 * the modern ones it suspends the handler and travels in the result (`session/rounds`). Handlers cannot tell the
 * difference; what is asked is the business of `elicitation.ts`, `sampling.ts` and `roots.ts`.
 */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { LONGEST_TIMER_MS } from '../../jsonrpc/longest-timer.ts'
import { withoutUndefined } from '../../jsonrpc/members.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type AskKind, type ClientCapabilities, canAsk } from '../../protocol/capabilities.ts'
import { CapabilityError } from '../../session/conversation.ts'
import { HandlerRun, type Recorded, type StepAction, type StepOptions } from '../../session/handler-run.ts'
import type { RoundStore } from '../../session/kept-rounds/round-keeping.ts'
import { RoundMemory } from '../../session/kept-rounds/round-memory.ts'
import { type ReadAnswer, type RoundOptions, Rounds, type Suspension } from '../../session/rounds.ts'
import { digestOf, type StateBinding, StateSealer } from '../../session/sealed-state.ts'
import { requestClient } from '../../session/session-request.ts'
import type { ServerCall } from '../call/call.ts'
import { invalidParam } from '../call/method.ts'

/** The methods by which a server asks a client. */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/** What a server was told about rounds: see `ServerOptions`. */
export interface RoundSettings {
  readonly stateKeys?: readonly Uint8Array[]
  readonly state?: { readonly ttlMs?: number; readonly maxStateLength?: number }
  readonly roundStore?: RoundStore
}

/** What asking needs of the server: the sealing keys, the bounds, and how to answer with questions. */
export interface Asker {
  readonly rounds: RoundSettings
  readonly maxRounds: number
  /** Whose questions these are: state between rounds is for no other server, whatever keys they share. */
  readonly serverName: string
  readonly askTimeoutMs: number
  /** Answers the call with `input_required`. */
  suspend(call: ServerCall, result: Suspension): void
  /** Answers the call with an error. */
  fail(call: ServerCall, error: unknown): void
  /** Puts a question of another server's, where this one relays. */
  askRelayed(call: ServerCall, question: RelayedQuestion): Promise<JsonObject>
}

/** A question of another server's. */
export interface RelayedQuestion extends KeyedQuestion {
  readonly method: QuestionMethod
}

/** A question under the key that its answer is found by again. */
interface KeyedQuestion {
  readonly key: string
  readonly method: string
  readonly params: JsonObject
}

/** A question of the handler's, which may have named it; `kind` is what others are counted by. */
interface HandlerQuestion extends Omit<KeyedQuestion, 'key'> {
  readonly key: string | undefined
  readonly kind: string
}

/** Puts one question of the handler's own. */
export async function askClient<T>(
  asker: Asker,
  call: ServerCall,
  { key, kind, ...question }: HandlerQuestion,
  read: ReadAnswer<T>,
): Promise<T> {
  return putQuestion(asker, call, { key: runOf(call).claimKey(key, kind), ...question }, read)
}

/** Puts a question by whichever way the revision has. */
export async function putQuestion<T>(
  asker: Asker,
  call: ServerCall,
  { key, method, params }: KeyedQuestion,
  read: ReadAnswer<T>,
): Promise<T> {
  const question = { method, params }
  const session = sessionOf(call)
  if (session === undefined) {
    const rounds = await roundsOf(asker, call)
    return rounds.ask(key, question, read)
  }
  await session.whenReady(call.signal)
  const { askTimeoutMs: timeoutMs } = asker
  const asked = requestClient(session, question, call.outlet, { timeoutMs, signal: call.signal }).catch((error) => {
    // The client's refusal is news for the handler; passed on as it is, it would look like this server's own error.
    if (!(error instanceof RpcError)) throw error
    throw new PorticoError('peer-error', `The client refused ${question.method}: ${error.message}`, { cause: error })
  })
  const response = await call.waitFor(asked)
  const answer = await read(response)
  if (answer === undefined) {
    throw new PorticoError('invalid-message', `The client's answer to ${question.method} does not fit what was asked`)
  }
  if (call.leave !== undefined) runOf(call).live.set(key, { question, response })
  return answer
}

/** How to ask while the request runs; work that left its request asks in rounds on every revision. */
function sessionOf({ session, detached }: ServerCall): ServerCall['session'] {
  return detached === undefined ? session : undefined
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

/** Runs a step of the handler, where there are rounds within them. */
export async function takeStep<T>(
  asker: Asker,
  call: ServerCall,
  [name, action, options]: readonly [name: string, action: StepAction<T>, options?: StepOptions | undefined],
): Promise<Recorded<T>> {
  if (sessionOf(call) !== undefined) return runOf(call).step(name, action, options)
  return (await roundsOf(asker, call)).step(name, action, options)
}

/** A task that waits longer than this is put down meanwhile, and taken up again by its log. */
const STAYS_MS = 1000

/** Waits until a moment that every run of the handler knows, and lets the call become a task where it can. */
export async function takeSleep(asker: Asker, call: ServerCall, ms: number): Promise<void> {
  const key = runOf(call).claimKey(undefined, 'sleep')
  await call.leave?.()
  const rounds = call.detached === undefined ? undefined : await roundsOf(asker, call)
  const moment = (): number => {
    const until = Date.now() + ms
    if (ms >= STAYS_MS) rounds?.wakeBy(until)
    return until
  }
  const until = await takeStep(asker, call, [key, moment, { idempotent: true }])
  const left = until - Date.now()
  if (left <= 0) return
  if (left >= STAYS_MS) await rounds?.sleep(until)
  await pass(left, call.signal)
}

/** Lets time pass, or rejects when the call is cancelled. */
function pass(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new PorticoError('aborted', 'The call was cancelled', { cause: signal.reason }))
    }
    const over = (): void => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(over, Math.min(ms, LONGEST_TIMER_MS))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** What the handler of a call has asked and done so far. */
export function runOf(call: ServerCall): HandlerRun {
  call.run ??= new HandlerRun()
  return call.run
}

/** The rounds of a call without a session, made when they are first asked for. */
export function roundsOf(asker: Asker, call: ServerCall): Rounds | Promise<Rounds> {
  call.rounds ??= openRounds(asker, call)
  return call.rounds
}

interface RoundKeeping {
  readonly sealer: StateSealer
  readonly store: RoundStore
}

const KEPT = new WeakMap<RoundSettings, RoundKeeping>()

/** What seals the state of a server's rounds, and what makes each happen once. */
export function roundKeeping({ rounds: settings }: Asker): RoundKeeping {
  let keeping = KEPT.get(settings)
  if (keeping === undefined) {
    const { stateKeys: keys, state, roundStore } = settings
    const sealer = new StateSealer({ ...withoutUndefined({ keys }), ...state })
    keeping = { sealer, store: roundStore ?? new RoundMemory() }
    KEPT.set(settings, keeping)
  }
  return keeping
}

/** Makes, or resumes, the rounds of a modern call. */
export function openRounds(asker: Asker, call: ServerCall): Promise<Rounds> {
  // Looked up when they are used: the call may have left its request meanwhile.
  const at = (): Pick<Asker, 'maxRounds' | 'suspend' | 'fail'> => call.detached ?? asker
  const options: RoundOptions = {
    get sealer() {
      return call.detached?.sealer ?? roundKeeping(asker).sealer
    },
    get maxRounds() {
      return at().maxRounds
    },
    run: runOf(call),
    progress: call,
    suspend: (result) => at().suspend(call, result),
    fail: (error) => at().fail(call, error),
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
