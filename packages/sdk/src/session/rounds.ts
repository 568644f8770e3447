/**
 * Multi-round input of the modern revisions, as one run of a handler sees it. The first run has no answers; each ask
 * that is not answered yet suspends the handler, the asks of one moment go out together, and the client's retry runs
 * the handler again with the answers so far. `server/asking/asking.ts` turns `ctx.elicit` and the like into `ask`.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { HandlerRun, Recorded, StepAction, StepOptions, StepOutcome } from './handler-run.ts'
import { randomToken } from './random-token.ts'
import { questionCalled } from './replay.ts'
import { digestOf, type StateBinding, type StateSealer } from './sealed-state.ts'
import { Suspended } from './suspended.ts'

/** A question as it goes into `inputRequests`. */
export interface Question {
  readonly method: string
  readonly params: JsonObject
}

/** Turns a response into the answer; undefined says that it is unusable. */
export type ReadAnswer<T> = (response: JsonObject) => T | undefined | Promise<T | undefined>

interface Answered {
  /** Digest of the question that this answers. */
  d: string
  v: JsonObject
}

/** What is sealed between two rounds. Written and read only here. */
interface RoundState {
  n: string
  r: number
  q: [key: string, digest: string][]
  a: [key: string, answer: Answered][]
  s: [name: string, outcome: StepOutcome][]
  /** How far the handler said it was; absent when it said nothing. */
  p?: number
}

interface OpenQuestion extends Question {
  reject(error: Error): void
}

/** A run that is over for now, and what it waits for. */
export interface Suspension {
  readonly inputRequests: JsonObject
  readonly requestState: string
  /** The moment at which the handler goes on by itself, where it sleeps. */
  readonly wakeAt?: number
}

/** Turns what is between two rounds into a text and back. */
export type RoundSealer = Pick<StateSealer, 'seal' | 'open'>

export interface RoundOptions {
  readonly sealer: RoundSealer
  readonly maxRounds: number
  readonly run: HandlerRun
  /** The highest progress that the client was told of, and how a later round hears of it. */
  readonly progress: { reached: number }
  /** Called once, when this run's questions are complete: answer the request with them. */
  readonly suspend: (result: Suspension) => void
  /** Called when suspending itself fails: too much state, too many rounds. */
  readonly fail: (error: unknown) => void
}

/** The name of a process after a sealed state. */
const PROCESS = /\.[0-9a-z]{1,32}$/

export class Rounds {
  readonly #options: RoundOptions
  readonly #binding: StateBinding
  readonly #state: RoundState
  readonly #answers: Map<string, Answered>
  readonly #asked = new Map<string, string>()
  readonly #responses: JsonObject
  readonly #open = new Map<string, OpenQuestion>()
  /** Answers that are being looked at. */
  readonly #looking = new Set<Promise<unknown>>()
  readonly #sleepers: { reject(error: Error): void }[] = []
  #wakeAt = Infinity
  #flushing = false
  /** The questions of this run went out; nothing that happens in it now could be recorded. */
  #over = false

  private constructor(options: RoundOptions, binding: StateBinding, state: RoundState, responses: JsonObject) {
    this.#options = options
    this.#binding = binding
    this.#state = state
    this.#answers = new Map(state.a)
    options.run.restore(state.s)
    if (state.p !== undefined) options.progress.reached = state.p
    for (const [key, digest] of state.q) this.#asked.set(key, digest)
    options.run.replay?.expect([...this.#answers.keys(), ...this.#asked.keys()].map(questionCalled))
    this.#responses = responses
  }

  /**
   * The first run of a request. Nothing was asked yet, but a client may know the questions and bring answers along;
   * they are checked like any others (2026-07-28, MRTR, "Error Handling": what is not needed is ignored).
   */
  static first(options: RoundOptions, binding: StateBinding, responses: unknown): Rounds {
    const state: RoundState = { n: randomToken(), r: 0, q: [], a: [], s: [] }
    return new Rounds(options, binding, state, isObject(responses) ? responses : {})
  }

  /** A retry: opens the state it presents, or throws `state-refused`. */
  static async resume(
    options: RoundOptions,
    binding: StateBinding,
    state: string,
    responses: unknown,
  ): Promise<Rounds> {
    // What follows the last point tells where to go and no more: whoever alters it comes to a process that knows nothing.
    const opened = (await options.sealer.open(state.replace(PROCESS, ''), binding)) as RoundState
    return new Rounds(options, binding, opened, isObject(responses) ? responses : {})
  }

  /** Names this round among all rounds of all requests, for the round store. */
  get id(): string {
    return `${this.#state.n}.${this.#state.r}`
  }

  /**
   * Asks, or hands out the answer from an earlier round. `read` turns a response into the answer or returns undefined
   * when it is unusable; then, and when another question stood under this key, the question is asked (again).
   */
  async ask<T>(key: string, question: Question, read: ReadAnswer<T>): Promise<T> {
    if (this.#over) throw new Suspended()
    const { replay } = this.#options.run
    replay?.reach(questionCalled(key))
    const known = this.#answers.get(key)
    const response = Object.hasOwn(this.#responses, key) ? this.#responses[key] : undefined
    const unasked = this.#state.r === 0
    if (known !== undefined || (isObject(response) && (unasked || this.#asked.has(key)))) {
      const looked = this.#look(key, question, read)
      this.#looking.add(looked)
      const answer = await looked.finally(() => this.#looking.delete(looked))
      if (answer !== undefined) return answer
      this.#answers.delete(key)
      if (this.#over) throw new Suspended()
    }
    if (replay?.behind) {
      await replay.caughtUp(questionCalled(key))
      if (this.#over) throw new Suspended()
    }
    if (this.#open.has(key)) {
      throw new PorticoError('invalid-definition', `Two questions share the key "${key}"; give each its own`)
    }
    return new Promise<T>((_resolve, reject) => {
      this.#open.set(key, { ...question, reject })
      this.#flushSoon()
    })
  }

  /** The answer from an earlier round, if it is one to this question. */
  async #look<T>(key: string, question: Question, read: ReadAnswer<T>): Promise<T | undefined> {
    const digest = await digestOf(question)
    const known = this.#answers.get(key)
    if (known?.d === digest) return read(known.v)
    const response = Object.hasOwn(this.#responses, key) ? this.#responses[key] : undefined
    if (!isObject(response) || !(this.#state.r === 0 || this.#asked.get(key) === digest)) return undefined
    const answer = await read(response)
    if (answer !== undefined) this.#answers.set(key, { d: digest, v: response })
    return answer
  }

  /** Notes that a branch of the handler will sleep until then, before questions of another branch end the run. */
  wakeBy(until: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, until)
  }

  /** Ends this run until a moment, where what it did is kept: the handler is left as by a question. */
  async sleep(until: number): Promise<never> {
    if (this.#over) throw new Suspended()
    this.wakeBy(until)
    return new Promise((_resolve, reject) => {
      this.#sleepers.push({ reject })
      this.#flushSoon()
    })
  }

  /** Runs `action` once over all rounds; later runs get the recorded outcome. */
  async step<T>(name: string, action: StepAction<T>, options?: StepOptions): Promise<Recorded<T>> {
    return this.#options.run.step(name, action, options, () => {
      if (this.#over) throw new Suspended()
    })
  }

  /** What a later run needs to come as far as this one is, as `requestState` carries it. */
  async snapshot(sealer: RoundSealer): Promise<string> {
    const { run } = this.#options
    await run.settled()
    for (const [key, { question, response }] of run.live) {
      this.#answers.set(key, { d: await digestOf(question), v: response })
    }
    return sealer.seal(this.#after([]), this.#binding)
  }

  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    afterMacrotask(() => void this.#flush())
  }

  #after(q: [key: string, digest: string][]): RoundState {
    const { run, progress } = this.#options
    const { n, r } = this.#state
    const a = [...this.#answers, ...this.#unread()]
    // To sleep is no round of input.
    return {
      n,
      r: r + (this.#open.size > 0 || r === 0 ? 1 : 0),
      q,
      a,
      s: run.record(),
      ...(progress.reached > -Infinity && { p: progress.reached }),
    }
  }

  async #flush(): Promise<void> {
    const { run } = this.#options
    // What was answered lets its branch go on first.
    while (this.#looking.size > 0) {
      await Promise.allSettled(this.#looking)
      await new Promise<void>((resolve) => afterMacrotask(resolve))
    }
    // What steps do is recorded with the questions, so these wait for those.
    await run.settled()
    this.#over = true
    const questions = [...this.#open]
    try {
      const digests = await Promise.all(
        questions.map(
          async ([key, { method, params }]): Promise<[string, string]> => [key, await digestOf({ method, params })],
        ),
      )
      if (questions.length > 0 && this.#state.r + 1 > this.#options.maxRounds) throw this.#tooMany(digests)
      const sealed = await this.#options.sealer.seal(this.#after(digests), this.#binding)
      const requestState = run.process === undefined ? sealed : `${sealed}.${run.process}`
      const entries = questions.map(([key, { method, params }]) => [key, { method, params }] as const)
      const wakeAt = this.#wakeAt
      const inputRequests = Object.fromEntries(entries)
      this.#options.suspend({ inputRequests, requestState, ...(wakeAt < Infinity && { wakeAt }) })
    } catch (error) {
      this.#options.fail(error)
    }
    for (const { reject } of [...this.#open.values(), ...this.#sleepers]) reject(new Suspended())
  }

  /** A question that is another in every run is asked for ever: say so, since the count alone explains nothing. */
  #tooMany(digests: readonly [key: string, digest: string][]): PorticoError {
    const [changed] = digests.find(([key, digest]) => (this.#asked.get(key) ?? digest) !== digest) ?? []
    const reason =
      changed === undefined
        ? ''
        : `: the question "${changed}" changed between runs of the handler, so it was asked again. ` +
          'Ask the same in each run, or take what varies from ctx.step'
    return new PorticoError(
      'limit-exceeded',
      `The request took more than ${this.#options.maxRounds} rounds of input (maxRounds)${reason}`,
    )
  }

  /** Answers that came with this round and that no ask has looked at yet: nobody should be asked for them again. */
  #unread(): [key: string, answer: Answered][] {
    return [...this.#asked].flatMap(([key, digest]): [string, Answered][] => {
      const response = Object.hasOwn(this.#responses, key) ? this.#responses[key] : undefined
      const wanted = isObject(response) && !this.#answers.has(key) && !this.#open.has(key)
      return wanted ? [[key, { d: digest, v: response }]] : []
    })
  }
}

/** `setImmediate` where there is one: the asks of all branches that run now are made before it fires. */
const afterMacrotask: (action: () => void) => void =
  typeof setImmediate === 'function' ? (action) => void setImmediate(action) : (action) => void setTimeout(action, 0)
