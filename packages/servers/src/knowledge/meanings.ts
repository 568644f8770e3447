/**
 * Search by meaning, where the operator gives a function that turns texts into vectors: of a model on this machine, say. Vectors
 * are made for a passage when it is first looked for, kept in memory, and compared with that of the question. Without such a function
 * nothing here is used, and no text leaves the process.
 */

import { ToolError } from '@portico/sdk/server'

/** Turns texts into vectors, one for each and all of one length. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>

/** A passage by its id, as the index knows it. */
export interface Passage {
  readonly id: string
  readonly text: string
}

interface Near {
  readonly id: string
  readonly closeness: number
}

const BATCH = 64
/** Those beyond are found by their words alone. */
const MAX_PASSAGES = 50_000
const MAX_LENGTH = 4_000
/** Below this two texts have nothing to do with each other, in the models that are in use. */
const LEAST = 0.3

export class Meanings {
  readonly #embed: Embed
  readonly #vectors = new Map<string, Float32Array>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(embed: Embed) {
    this.#embed = embed
  }

  forget(id: string): void {
    this.#vectors.delete(id)
  }

  /** The nearest passages, best first. */
  async near(query: string, passages: readonly Passage[], limit: number, signal: AbortSignal): Promise<Near[]> {
    await this.#inTurn(() => this.#learn(passages.slice(0, MAX_PASSAGES), signal))
    const [wanted] = await this.#toVectors([query], signal)
    if (wanted === undefined) return []
    return passages
      .flatMap(({ id }) => {
        const vector = this.#vectors.get(id)
        return vector === undefined || vector.length !== wanted.length
          ? []
          : [{ id, closeness: product(wanted, vector) }]
      })
      .filter(({ closeness }) => closeness >= LEAST)
      .sort((a, b) => b.closeness - a.closeness)
      .slice(0, limit)
  }

  async #learn(passages: readonly Passage[], signal: AbortSignal): Promise<void> {
    const unknown = passages.filter(({ id }) => !this.#vectors.has(id))
    for (let at = 0; at < unknown.length; at += BATCH) {
      const batch = unknown.slice(at, at + BATCH)
      const vectors = await this.#toVectors(
        batch.map(({ text }) => text.slice(0, MAX_LENGTH)),
        signal,
      )
      for (const [index, { id }] of batch.entries()) {
        const vector = vectors[index]
        if (vector !== undefined) this.#vectors.set(id, vector)
      }
    }
  }

  async #toVectors(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    signal.throwIfAborted()
    const vectors = await this.#embed(texts, signal)
    if (vectors.length !== texts.length)
      throw new ToolError('The function for meanings gave another number of vectors.')
    return vectors.map(normalized)
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action)
    this.#turn = result.catch(() => {})
    return result
  }
}

/** Of length 1, so that the product of two is how near they are. */
function normalized(values: readonly number[]): Float32Array {
  const vector = Float32Array.from(values)
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
