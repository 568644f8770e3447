/** The questions of a call that its client has not answered yet, each under a key of its own. */

import type { QuestionMethod } from '@portico/sdk/relay'
import type { JsonObject } from '@portico/sdk/server'

export interface OpenQuestion {
  readonly method: QuestionMethod
  readonly params: JsonObject
  /** It was put in an earlier run, so the rules have allowed it. */
  again: boolean
  /** Of what is kept of it, once it is. */
  bytes: number
  resolve(answer: JsonObject): void
  reject(error: unknown): void
}

export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>()
  readonly #keys = new Set<string>()
  /** Who waits until something is asked. */
  readonly #awaiting = new Set<() => void>()
  #asked = 0
  /** What questions are called that the server has no name for. */
  unnamed = 'q'

  get size(): number {
    return this.#open.size
  }

  [Symbol.iterator](): IterableIterator<[key: string, question: OpenQuestion]> {
    return this.#open.entries()
  }

  /** Under the server's own key as long as it is new: asked once more under it, an answer from before would be taken. */
  add(named: string | undefined, question: OpenQuestion): string {
    const count = ++this.#asked
    const key = named !== undefined && !this.#keys.has(named) ? named : `${named ?? this.unnamed}_${count}`
    this.#keys.add(key)
    this.#open.set(key, question)
    for (const tell of this.#awaiting) tell()
    this.#awaiting.clear()
    return key
  }

  /** Takes a question off; says how many bytes were kept of it. */
  close(key: string): number {
    const bytes = this.#open.get(key)?.bytes ?? 0
    this.#open.delete(key)
    return bytes
  }

  /** Calls back when something is asked. */
  onAsked(tell: () => void): void {
    this.#awaiting.add(tell)
  }
}
