/**
 * Where questions wait for a person. Any surface may show and answer them, the first answer counts, and what waits
 * survives a restart (`question-file.ts`): an approval whose asker is gone can still be given, and holds for the next
 * time. What waits in other processes with the same file can be answered here (`shared-questions.ts`). A server that asks without end is refused and disturbs nobody else.
 */

import { randomUUID } from 'node:crypto'
import { PorticoError } from '@portico/sdk/server'
import { toDigest } from '../audit/canonical.ts'
import { callListener } from '../config/call-listener.ts'
import type { StatePlace } from '../config/shared-place.ts'
import { HostError } from '../errors.ts'
import { readAnswer } from './answer-text.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Answer, NewQuestion, Question } from './question.ts'
import { type InboxLimits, QuestionBounds } from './question-bounds.ts'
import {
  createQuestionFile,
  isDurable,
  type Kept,
  type KeptQuestion,
  type Owner,
  type QuestionFile,
} from './question-file.ts'
import { createOwner, digestOf, endOwner, isAlive, type LiveReplicas, SharedQuestions } from './shared-questions.ts'

/** Options of `inbox.ask`. */
export interface AskOptions {
  /** Withdraws the question. */
  readonly signal?: AbortSignal
  /** Told the id while the question waits, and undefined when no longer. */
  readonly onWaiting?: (question: string | undefined) => void
}

/** What the listeners of an inbox are told: a question came, was answered, was withdrawn, or ran out of time. */
export type InboxEvent =
  | { readonly type: 'asked'; readonly question: Question }
  /** `orphan`: whoever asked is gone, and the answer is for the next time. */
  | { readonly type: 'answered'; readonly question: Question; readonly answer: Answer; readonly orphan: boolean }
  | { readonly type: 'withdrawn' | 'expired'; readonly question: Question; readonly reason: string }

/** What became of an answer. */
export type AnswerReceipt = 'accepted' | 'already-settled' | 'unknown' | 'not-yours'

/** The questions that wait for a person: to ask, list, answer and withdraw. */
export interface Inbox {
  /** Resolves with the answer; `cancel` when it expires or is withdrawn by somebody else. */
  ask(question: NewQuestion, options?: AskOptions): Promise<Answer>
  /** Oldest first, those that wait `elsewhere` last; with a principal, only theirs. */
  pending(filter?: { readonly principal?: string; readonly server?: string }): readonly Question[]
  /** Once only. `as` is the principal on whose behalf it is given: nobody answers for another. Throws for malformed answers. */
  answer(id: string, answer: Answer, as?: { readonly principal: string }): AnswerReceipt
  withdraw(id: string, reason: string): boolean
  on(listener: (event: InboxEvent) => void): () => void
  /** Writes what waits; askers are told that the host is closed. */
  close(): Promise<void>
}

/** Options of `createInbox`: the file, whether it is shared with other processes, and how much may wait. */
export interface InboxOptions {
  /**
   * Where approvals survive a restart: the path, or a text that several machines share (`shareState`); in memory alone
   * unless given.
   */
  readonly file?: StatePlace
  /** With a shared text: who this process is among those who share it, and who of them is there. */
  readonly replicas?: LiveReplicas
  /** Shows what waits in other processes with the same file, and takes up answers that are given there. */
  readonly follow?: boolean
  readonly clock?: Clock
  readonly limits?: Partial<InboxLimits>
  readonly onWarning?: (message: string) => void
}

/**
 * Makes the place where questions wait for a person to answer them, on whatever surface they use; in memory unless a
 * file is given. With a file, approvals that still wait are there again after a restart.
 *
 * @example
 * ```ts
 * import { createInbox } from '@portico/host/consent'
 *
 * const inbox = await createInbox({ file: '/home/ann/.portico/inbox.json' })
 * inbox.on((event) => {
 *   if (event.type === 'asked') inbox.answer(event.question.id, { action: 'deny', by: 'my program' })
 * })
 * ```
 */
export async function createInbox(options: InboxOptions = {}): Promise<Inbox> {
  const owner = createOwner(options.replicas)
  const file = options.file === undefined ? undefined : createQuestionFile(options.file, owner, options.onWarning)
  const inbox = new MemoryInbox(options, file, owner)
  const kept = await file?.load()
  const isLeft = ({ question, owner: asker }: KeptQuestion) =>
    isDurable(question) && (asker === undefined || !isAlive(asker, options.replicas))
  inbox.adopt((kept?.questions ?? []).filter(isLeft).map(({ question }) => question))
  if (options.follow === true) await inbox.follow()
  return inbox
}

interface Waiting {
  readonly question: Question
  readonly chars: number
  /** Only of what an earlier life has left: by it, the same question is known again. */
  readonly key?: string
  /** Absent while nobody waits for the answer. */
  asker?: { readonly settle: (answer: Answer) => void; readonly fail: (error: HostError) => void }
}

/** Enough to tell a late answer from a wrong one. */
const MAX_SETTLED = 2_000

class MemoryInbox implements Inbox {
  readonly #clock: Clock
  readonly #bounds: QuestionBounds
  readonly #file: QuestionFile | undefined
  readonly #waiting = new Map<string, Waiting>()
  readonly #settled = new Set<string>()
  readonly #listeners = new Set<(event: InboxEvent) => void>()
  readonly #shared: SharedQuestions | undefined
  readonly #owner: Owner
  #callOff: (() => void) | undefined
  #closed = false

  constructor({ clock = systemClock, limits, replicas }: InboxOptions, file: QuestionFile | undefined, owner: Owner) {
    this.#clock = clock
    this.#bounds = new QuestionBounds(limits)
    this.#file = file
    this.#owner = owner
    this.#shared =
      file === undefined
        ? undefined
        : new SharedQuestions(file, owner, {
            appeared: (question) => this.#emit({ type: 'asked', question }),
            gone: (question) => this.#emit({ type: 'withdrawn', question, reason: 'it no longer waits there' }),
            answered: (id, digest, answer) => this.#takeAnswer(id, digest, answer),
            read: (kept) => this.#dropSettled(kept),
            isAlive: (asker) => isAlive(asker, replicas),
            onReplicas: replicas && ((listener) => replicas.on(listener)),
          })
  }

  async follow(): Promise<void> {
    await this.#shared?.follow()
  }

  /** Takes over what an earlier life has left. */
  adopt(questions: readonly Question[]): void {
    for (const question of questions) {
      this.#waiting.set(question.id, { question, chars: JSON.stringify(question.body).length, key: keyOf(question) })
    }
    this.#schedule()
  }

  ask(asked: NewQuestion, { signal, onWaiting }: AskOptions = {}): Promise<Answer> {
    if (this.#closed) return Promise.reject(new HostError('closed', 'The host is closed'))
    if (signal?.aborted) return Promise.reject(signal.reason)
    let waiting: Waiting
    try {
      waiting = this.#takeOver(asked) ?? this.#admit(asked)
    } catch (error) {
      return Promise.reject(error)
    }
    const { question } = waiting
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiting.asker = undefined
        this.withdraw(question.id, 'whoever asked no longer waits')
        end(() => reject(signal?.reason))
      }
      const end = (outcome: () => void) => {
        signal?.removeEventListener('abort', onAbort)
        outcome()
        callListener(onWaiting, undefined)
      }
      waiting.asker = { settle: (answer) => end(() => resolve(answer)), fail: (error) => end(() => reject(error)) }
      signal?.addEventListener('abort', onAbort, { once: true })
      callListener(onWaiting, question.id)
      this.#emit({ type: 'asked', question })
    })
  }

  pending({ principal, server }: { readonly principal?: string; readonly server?: string } = {}): Question[] {
    const own = Array.from(this.#waiting.values(), ({ question }) => question)
    return [...own, ...this.#elsewhere(own)].filter(
      (question) =>
        (principal === undefined || question.principal === principal) &&
        (server === undefined || question.server === server),
    )
  }

  /** Each process asks about what it sees itself: the same change need not be shown twice. */
  #elsewhere(own: readonly Question[]): readonly Question[] {
    const shared = this.#shared?.questions ?? []
    if (shared.length === 0) return shared
    const isCommon = ({ body }: Question) => body.kind === 'definition' || body.kind === 'trust'
    const known = new Set(own.filter(isCommon).map(keyOf))
    return shared.filter((question) => !isCommon(question) || !known.has(keyOf(question)))
  }

  answer(id: string, given: Answer, as?: { readonly principal: string }): AnswerReceipt {
    const answer = readAnswer(given)
    if (typeof answer === 'string') throw new PorticoError('invalid-arguments', `The answer cannot be used: ${answer}`)
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return this.#answerElsewhere(id, answer, as)
    const { question, asker } = waiting
    if (as !== undefined && question.principal !== as.principal) return 'not-yours'
    if (this.#isOver(question)) {
      this.#expire()
      return 'already-settled'
    }
    this.#remove(waiting)
    asker?.settle(answer)
    this.#emit({ type: 'answered', question, answer, orphan: asker === undefined })
    return 'accepted'
  }

  /** The process that asked gets it, and has the last word. */
  #answerElsewhere(id: string, answer: Answer, as: { readonly principal: string } | undefined): AnswerReceipt {
    const question = this.#shared?.get(id)
    if (question === undefined) return this.#settled.has(id) ? 'already-settled' : 'unknown'
    if (as !== undefined && question.principal !== as.principal) return 'not-yours'
    this.#shared?.answer(question, answer)
    this.#settle(id)
    this.#emit({ type: 'answered', question, answer, orphan: false })
    return 'accepted'
  }

  /**
   * Only what is answered as it is asked here counts, and only while somebody waits for it: what an earlier life has left
   * is nobody's elsewhere, and is answered by a person here or not at all.
   */
  #takeAnswer(id: string, digest: string, answer: Answer): void {
    const waiting = this.#waiting.get(id)
    if (waiting?.asker === undefined) return
    if (digestOf(waiting.question) === digest) this.answer(id, answer)
  }

  /** What an earlier life has left may have been answered by another process that has it, too. */
  #dropSettled({ questions }: Kept): void {
    const kept = new Set(questions.map(({ question }) => question.id))
    for (const waiting of [...this.#waiting.values()]) {
      const { key, asker, question } = waiting
      if (key !== undefined && asker === undefined && !kept.has(question.id))
        this.#end(waiting, 'withdrawn', 'it was settled elsewhere')
    }
  }

  withdraw(id: string, reason: string): boolean {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return false
    this.#end(waiting, 'withdrawn', reason)
    return true
  }

  on(listener: (event: InboxEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#callOff?.()
    this.#shared?.close()
    for (const { asker, question } of this.#waiting.values()) {
      asker?.fail(new HostError('closed', 'The host is closed'))
      if (isDurable(question)) this.#file?.release(question.id)
      else this.#file?.remove(question.id)
    }
    endOwner(this.#owner)
    await this.#file?.flush()
  }

  /** From now on it is this process's. */
  #takeOver(asked: NewQuestion): Waiting | undefined {
    const orphan = this.#findOrphan(asked)
    if (orphan !== undefined) {
      this.#file?.remove(orphan.question.id)
      this.#file?.add(orphan.question)
    }
    return orphan
  }

  /** Somebody asks again what was asked before a restart: it is still the same question. */
  #findOrphan(asked: NewQuestion): Waiting | undefined {
    const orphans = Array.from(this.#waiting.values()).filter(
      ({ key, asker }) => key !== undefined && asker === undefined,
    )
    if (orphans.length === 0) return undefined
    const key = keyOf(asked)
    return orphans.find((one) => one.key === key && !this.#isOver(one.question))
  }

  #admit(asked: NewQuestion): Waiting {
    const now = this.#clock.now()
    this.#expire()
    const chars = this.#bounds.admit(asked, this.#waiting.values(), now)
    const expiresAt = asked.expiresAt ?? now + this.#bounds.limits.keepMs
    // Plain JSON by contract; a copy, so that what is approved is what was shown.
    const question: Question = structuredClone({ ...asked, id: randomUUID(), createdAt: now, expiresAt })
    const waiting: Waiting = { question, chars }
    this.#waiting.set(question.id, waiting)
    this.#file?.add(question)
    this.#schedule()
    return waiting
  }

  #end(waiting: Waiting, type: 'withdrawn' | 'expired', reason: string): void {
    const { question, asker } = waiting
    this.#remove(waiting)
    asker?.settle({ action: 'cancel', by: type })
    this.#emit({ type, question, reason })
  }

  #remove({ question }: Waiting): void {
    this.#waiting.delete(question.id)
    this.#file?.remove(question.id)
    this.#settle(question.id)
  }

  #settle(id: string): void {
    this.#settled.add(id)
    if (this.#settled.size > MAX_SETTLED) this.#settled.delete(this.#settled.values().next().value!)
  }

  #isOver({ expiresAt }: Question): boolean {
    return expiresAt !== undefined && expiresAt <= this.#clock.now()
  }

  #expire(): void {
    for (const waiting of [...this.#waiting.values()]) {
      if (this.#isOver(waiting.question)) this.#end(waiting, 'expired', 'nobody answered in time')
    }
  }

  /** One timer for the question that ends first. */
  #schedule(): void {
    this.#callOff?.()
    this.#callOff = undefined
    let first = Number.POSITIVE_INFINITY
    for (const { question } of this.#waiting.values()) first = Math.min(first, question.expiresAt ?? first)
    if (this.#closed || first === Number.POSITIVE_INFINITY) return
    this.#callOff = this.#clock.after(Math.max(0, first - this.#clock.now()), () => {
      this.#expire()
      this.#schedule()
    })
  }

  #emit(event: InboxEvent): void {
    for (const listener of [...this.#listeners]) callListener(listener, event)
  }
}

/** Equal for the same question of the same people about the same thing; sessions do not survive a restart. */
function keyOf({ server, principal, workspace, body }: NewQuestion): string {
  return toDigest([server, principal ?? null, workspace ?? null, body])
}
