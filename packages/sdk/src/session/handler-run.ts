/**
 * One run of a handler: the questions it has put and the steps it has taken. It is the same on every revision, so that a
 * handler does the same on all of them; `rounds.ts` carries the steps from one run to the next where there are several.
 */

import { type ErrorCode, PorticoError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { unserializable } from '../jsonrpc/unserializable.ts'
import { type Replay, stepCalled } from './replay.ts'
import { stepOf, withinStep } from './step-scope.ts'

/** How a step ended: with a value (`v`, absent for undefined), or with an error (`e`). All of it is JSON. */
export interface StepOutcome {
  v?: unknown
  e?: StepFailure
}

interface StepFailure {
  name?: string
  message?: string
  members?: object
  /** It was one of this package's own errors. */
  own?: true
  /** What was thrown, when it was no error. */
  thrown?: unknown
}

/** A value as it comes back from JSON: dates are text, members that are undefined or functions are absent. */
export type Recorded<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer J }
    ? Recorded<J>
    : T extends (...args: never) => unknown
      ? never
      : T extends object
        ? { [K in keyof T]: Recorded<T[K]> }
        : T

/** What a step's action is told. */
interface StepTold {
  /**
   * A process died while it ran this step, so that its effect may have happened already. Only inside a task can this be
   * true.
   */
  readonly interrupted: boolean
}

/** Keeps what steps come to while they are taken, where a run may have to be taken up by another process. */
export interface StepLog {
  /** Notes that an action begins; says whether it had begun before. */
  begin(name: string): Promise<StepTold>
  /** Notes how it ended. */
  end(name: string, outcome: StepOutcome): Promise<void>
}

/** An action of a step. */
export type StepAction<T> = (told: StepTold) => T | Promise<T>

/** What is known of a step beside its action. */
export interface StepOptions {
  /** To do it twice does no harm: after an interruption it is simply done again. */
  readonly idempotent?: boolean
}

/** A question that was put live, with what the client said. */
interface LiveAnswer {
  readonly question: object
  readonly response: JsonObject
}

const AT_FIRST: StepTold = { interrupted: false }

export class HandlerRun {
  /** The process that has to run the next round, where another cannot; made of small letters and digits. */
  process: string | undefined
  /** Where steps are noted as they happen, if anywhere. */
  log: StepLog | undefined
  /** What an earlier run did, where this one is held to it. */
  replay: Replay | undefined
  /** What the client answered while the request was open, by key: a later run would have to ask again. */
  readonly live = new Map<string, LiveAnswer>()
  readonly #keys = new Set<string>()
  readonly #ordinals = new Map<string, number>()
  readonly #steps = new Map<string, StepOutcome>()
  /** The steps that the log has: nobody else has to carry them. */
  readonly #logged = new Set<string>()
  readonly #running = new Map<string, Promise<unknown>>()

  /**
   * The key of a question: the one it was given, or kind and ordinal, which are the same in every run that asks in the
   * same order. Under one key goes one question, since the answer is found by it.
   */
  claimKey(key: string | undefined, kind: string): string {
    const step = stepOf(this)
    if (step !== undefined) {
      throw misuse(`A question is asked inside the step "${step}"; ask before the step, and use the answer in it`)
    }
    const claimed = key ?? this.#nextKey(kind)
    if (this.#keys.has(claimed)) {
      throw misuse(`Two questions share the key "${claimed}"; give each its own (in a loop: \`${claimed}-\${i}\`)`)
    }
    this.#keys.add(claimed)
    return claimed
  }

  /**
   * Runs `action`, once for its name: whoever uses the name again, now or in a later run, gets the same outcome.
   * `begin` is asked before an action that was not begun yet.
   */
  step<T>(name: string, action: StepAction<T>, options?: StepOptions, begin?: () => void): Promise<Recorded<T>> {
    this.replay?.reach(stepCalled(name))
    // Under one name there is one action, so what is recorded or running is of its type.
    const known = this.#steps.get(name)
    if (known !== undefined) return replay(known) as Promise<Recorded<T>>
    if (stepOf(this, name) !== undefined) {
      throw misuse(`The step "${name}" waits for itself; give the step inside it another name`)
    }
    const running = this.#running.get(name)
    if (running !== undefined) return running as Promise<Recorded<T>>
    begin?.()
    const begun = this.#perform(name, action, options)
    this.#running.set(name, begun)
    // Only now: an action that throws at once is over before its promise is known.
    const done = (): boolean => this.#running.delete(name)
    begun.then(done, done)
    return begun as Promise<Recorded<T>>
  }

  /** When no step is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values())
  }

  /** What a step came to, if it has been taken. */
  known(name: string): unknown {
    return this.#steps.get(name)?.v
  }

  /** What a later run has to be told: what no log has. */
  record(): [name: string, outcome: StepOutcome][] {
    return [...this.#steps].filter(([name]) => !this.#logged.has(name))
  }

  restore(record: Iterable<[name: string, outcome: StepOutcome]>, logged = false): void {
    for (const [name, outcome] of record) {
      this.#steps.set(name, outcome)
      this.replay?.expect([stepCalled(name)])
      if (logged) this.#logged.add(name)
    }
  }

  #nextKey(kind: string): string {
    const ordinal = (this.#ordinals.get(kind) ?? 0) + 1
    this.#ordinals.set(kind, ordinal)
    return `${kind}_${ordinal}`
  }

  async #perform(name: string, action: StepAction<unknown>, options: StepOptions = {}): Promise<unknown> {
    if (this.replay?.behind) await this.replay.caughtUp(stepCalled(name))
    const { log } = this
    const told = log === undefined ? AT_FIRST : await log.begin(name)
    if (told.interrupted && action.length === 0 && options.idempotent !== true) throw this.#interruptedUnheard(name)
    let outcome: StepOutcome
    try {
      const value = await withinStep(this, name, () => action(told))
      outcome = value === undefined ? {} : { v: throughJson(name, value) }
    } catch (error) {
      outcome = { e: describeError(error) }
      await this.#note(name, outcome)
      throw error
    }
    await this.#note(name, outcome)
    return replay(outcome)
  }

  async #note(name: string, outcome: StepOutcome): Promise<void> {
    const { log } = this
    if (log !== undefined) {
      await log.end(name, outcome)
      this.#logged.add(name)
    }
    this.#steps.set(name, outcome)
  }

  /** An action that takes no argument cannot be told, and would do its work twice unannounced. */
  #interruptedUnheard(name: string): PorticoError {
    const message =
      `The step "${name}" was interrupted when its process ended, and may have had its effect. Let its action take ` +
      '`{ interrupted }` and look first, or say `{ idempotent: true }` where to do it twice does no harm'
    return this.replay?.fail(message, { step: name }) ?? misuse(message)
  }
}

async function replay(outcome: StepOutcome): Promise<unknown> {
  if (outcome.e !== undefined) throw revive(outcome.e)
  // A copy for each: what one user of the value changes, a later run could not see.
  return outcome.v === undefined ? undefined : JSON.parse(JSON.stringify(outcome.v))
}

/** What JSON makes of the value; what it would lose without a word is refused. */
function throughJson(name: string, value: unknown): unknown {
  const text = JSON.stringify(value, function (this: { [key: string]: unknown }, key, converted: unknown) {
    const reason = unserializable(this[key])
    if (reason === undefined) return converted
    throw misuse(`The step "${name}" returned what JSON cannot carry${key && ` at "${key}"`}: ${reason}`)
  })
  return text === undefined ? undefined : JSON.parse(text)
}

function describeError(error: unknown): StepFailure {
  if (!(error instanceof Error)) return { thrown: jsonOr(error, String(error)) }
  const own = error instanceof PorticoError ? { own: true as const } : undefined
  return { name: error.name, message: error.message, members: jsonOr({ ...error }, {}) as object, ...own }
}

function revive({ name, message, members, thrown, own }: StepFailure): unknown {
  if (message === undefined) return thrown
  const { code } = (members ?? {}) as { code?: ErrorCode }
  const made = own && code !== undefined ? new PorticoError(code, message) : new Error(message)
  return Object.assign(made, members, { name })
}

function jsonOr(value: unknown, otherwise: unknown): unknown {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return otherwise
  }
}

function misuse(message: string): PorticoError {
  return new PorticoError('invalid-definition', message)
}
