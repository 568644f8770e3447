/**
 * Bytes that wait for the rest of their line. Both decoders of this folder keep their unfinished tail here: appending
 * copies into storage that doubles, so a line that comes one byte at a time costs linear time and at most twice its size,
 * where a list of chunks would cost an object per byte.
 */

const SMALLEST = 1024
/** Storage beyond this is given back after use, so that one long line does not stay with an idle connection. */
const KEPT = 64 * 1024
const EMPTY = new Uint8Array(0)

export class ByteBuffer {
  /** Written here alone. */
  length = 0
  #storage: Uint8Array = EMPTY

  append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length
    if (needed > this.#storage.length) {
      const grown = new Uint8Array(Math.max(SMALLEST, needed, this.#storage.length * 2))
      grown.set(this.#storage.subarray(0, this.length))
      this.#storage = grown
    }
    this.#storage.set(bytes, this.length)
    this.length = needed
  }

  /** What is held, without a copy: good until the next `append` or `clear`. */
  view(): Uint8Array {
    return this.#storage.subarray(0, this.length)
  }

  clear(): void {
    this.length = 0
    if (this.#storage.length > KEPT) this.#storage = EMPTY
  }
}
