/** Batches of messages, which few peers have agreed on: which ones pass, and how their answers come together. */

/** Says why an array may not be a batch, or undefined. */
export function batchFault(items: readonly unknown[], isAgreed: boolean, maxBatch: number): string | undefined {
  if (!isAgreed) return 'batches are not part of this protocol revision'
  if (items.length === 0) return 'the batch is empty'
  return items.length > maxBatch ? `maxBatch (${maxBatch}) exceeded` : undefined
}

/** The answers to one batch, delivered together when the last is there. */
export class BatchReply {
  readonly #deliver: (texts: readonly string[]) => void
  readonly #texts: string[] = []
  /** Requests without an answer, and one for the reading of the batch itself. */
  #open = 1

  constructor(deliver: (texts: readonly string[]) => void) {
    this.#deliver = deliver
  }

  expect(): void {
    this.#open++
  }

  add(text: string): void {
    this.#texts.push(text)
  }

  answered(text: string | undefined): void {
    if (text !== undefined) this.#texts.push(text)
    this.#close()
  }

  /** Every message of the batch was read. */
  seal(): void {
    this.#close()
  }

  #close(): void {
    if (--this.#open === 0) this.#deliver(this.#texts)
  }
}
