/** Messages of the Language Server Protocol on a pipe: a header with the length, then JSON. Both are bounded. */

const HEADER_END = Buffer.from('\r\n\r\n')
const MAX_HEADER = 4_096

/** Cuts what a language server writes into its messages; throws for what is no message, after which nothing can follow. */
export class MessageReader {
  readonly #maxBytes: number
  /** What came and is not read yet: joined when a message is whole, not for each chunk of a long one. */
  #chunks: Buffer[] = []
  #size = 0
  #length: number | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The messages that are whole now. */
  *push(chunk: Buffer): Generator<unknown> {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    for (;;) {
      this.#length ??= this.#readHeader()
      if (this.#length === undefined || this.#size < this.#length) return
      const rest = this.#join()
      const body = rest.subarray(0, this.#length)
      this.#keep(rest.subarray(this.#length))
      this.#length = undefined
      yield JSON.parse(body.toString('utf8'))
    }
  }

  #readHeader(): number | undefined {
    const rest = this.#join()
    const end = rest.indexOf(HEADER_END)
    if (end < 0) {
      if (rest.length > MAX_HEADER) throw new Error('the header of a message has no end')
      return undefined
    }
    const header = rest.subarray(0, end).toString('latin1')
    const length = Number(/^content-length:\s*(\d{1,12})\s*$/im.exec(header)?.[1] ?? Number.NaN)
    if (!Number.isSafeInteger(length)) throw new Error('a message has no length')
    if (length > this.#maxBytes) throw new Error(`a message has ${length} bytes`)
    this.#keep(rest.subarray(end + HEADER_END.length))
    return length
  }

  #join(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.#chunks
    const rest = others.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#keep(rest)
    return rest
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
  }
}

export function writeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8')
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, 'latin1'), body])
}
