/**
 * Questions that wait in other processes with the same state folder: seen here, answered through the file, applied by
 * the process that asked. An answer is bound to the question as it was shown; the questions of a process that has ended
 * disappear.
 */

import { randomUUID } from 'node:crypto'
import { toDigest } from '../audit/canonical.ts'
import { followPlace } from '../config/shared-place.ts'
import type { Answer, Question } from './question.ts'
import type { Kept, Owner, QuestionFile } from './question-file.ts'

interface SharedQuestionsHooks {
  /** A question of another process, now waiting here as well. */
  appeared(question: Question): void
  /** It no longer waits there. */
  gone(question: Question): void
  /** Somebody has answered in another process what was asked in this one. */
  answered(id: string, digest: string, answer: Answer): void
  /** All that the file holds now. */
  read(kept: Kept): void
  /** Whether whoever asked is still there. */
  isAlive(owner: Owner): boolean
  /** Told when somebody came or went who shares the questions from another machine. */
  onReplicas?: LiveReplicas['on'] | undefined
}

/** Who shares the questions beyond this machine, where numbers of processes mean nothing. */
export interface LiveReplicas {
  readonly id: string
  /** Those that are there, as of a few seconds ago. */
  readonly ids: ReadonlySet<string>
  /** Told when somebody came or went. */
  on(listener: () => void): () => void
}

export function createOwner(replicas?: LiveReplicas): Owner {
  const owner = { pid: process.pid, id: randomUUID(), ...(replicas !== undefined && { replica: replicas.id }) }
  OWN.add(owner.id)
  return owner
}

/** The owner asks nothing more. */
export function endOwner({ id }: Owner): void {
  OWN.delete(id)
}

const OWN = new Set<string>()

/** Whether the process is there. One that belongs to somebody else is. */
export function isAlive({ pid, id, replica }: Owner, replicas?: LiveReplicas): boolean {
  if (replica !== undefined && replica !== replicas?.id) return replicas?.ids.has(replica) === true
  if (pid === process.pid) return OWN.has(id)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The question as everybody sees it: what an answer to it is bound to. */
export function digestOf({ elsewhere: _elsewhere, ...question }: Question): string {
  return toDigest(question)
}

const LIVE_MS = 1_000

export class SharedQuestions {
  readonly #file: QuestionFile
  readonly #owner: Owner
  readonly #hooks: SharedQuestionsHooks
  readonly #open = new Map<string, { readonly question: Question; readonly owner: Owner }>()
  readonly #answered = new Set<string>()
  #unfollow: (() => void) | undefined
  #unlook: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(file: QuestionFile, owner: Owner, hooks: SharedQuestionsHooks) {
    this.#file = file
    this.#owner = owner
    this.#hooks = hooks
  }

  get questions(): readonly Question[] {
    return Array.from(this.#open.values(), ({ question }) => question)
  }

  get(id: string): Question | undefined {
    return this.#open.get(id)?.question
  }

  async follow(): Promise<void> {
    const look = (): Promise<void> => this.look().catch(() => {})
    this.#unfollow = await followPlace(this.#file.path, look, { settleMs: 10, pollMs: 500 })
    this.#unlook = this.#hooks.onReplicas?.(() => void look())
    this.#timer = setInterval(() => this.#dropEnded(), LIVE_MS)
    this.#timer.unref()
    await this.look()
  }

  close(): void {
    this.#unfollow?.()
    this.#unlook?.()
    clearInterval(this.#timer)
  }

  /** Takes up what other processes have written. */
  async look(): Promise<void> {
    const kept = await this.#file.load()
    this.#hooks.read(kept)
    const waiting = new Set<string>()
    for (const { question, owner } of kept.questions) {
      if (owner === undefined || owner.id === this.#owner.id || !this.#hooks.isAlive(owner)) continue
      waiting.add(question.id)
      if (this.#open.has(question.id) || this.#answered.has(question.id)) continue
      const shown: Question = { ...question, elsewhere: true }
      this.#open.set(question.id, { question: shown, owner })
      this.#hooks.appeared(shown)
    }
    for (const id of [...this.#open.keys()]) if (!waiting.has(id)) this.#drop(id)
    for (const id of this.#answered) if (!waiting.has(id)) this.#answered.delete(id)
    for (const { id, digest, answer } of kept.answers) this.#hooks.answered(id, digest, answer)
  }

  /** Sends the answer to the process that asked. Throws for one that is too large. */
  answer(question: Question, answer: Answer): void {
    this.#file.answer({ id: question.id, digest: digestOf(question), answer })
    this.#open.delete(question.id)
    this.#answered.add(question.id)
  }

  #dropEnded(): void {
    for (const [id, { owner }] of this.#open) if (!this.#hooks.isAlive(owner)) this.#drop(id)
  }

  #drop(id: string): void {
    const question = this.get(id)
    this.#open.delete(id)
    if (question !== undefined) this.#hooks.gone(question)
  }
}
