/**
 * Finds the id of a message that is not going to be parsed: one that passes a bound, or a line whose bytes are being
 * thrown away. Whoever sent it waits for an answer under that id. Reads one character at a time and keeps nothing but
 * the members it looks for, wherever in the object they stand.
 */

import { decodeUtf8 } from './utf8.ts'

export interface FoundId {
  /** As JSON has it; whether it is one of a request is for others to say. */
  readonly id: unknown
  /** Whether the message has a method, so that it can be answered; a response cannot. */
  readonly isRequest: boolean
}

/** The id of the message in a JSON text, if the text is an object that has one. */
export function findId(text: string): FoundId | undefined {
  const finder = new IdFinder()
  for (let at = 0; at < text.length; at++) finder.take(text.charCodeAt(at))
  return finder.found((codes) => String.fromCharCode(...codes))
}

/** Finds the id of a message whose bytes come in pieces. */
export class ByteIdFinder {
  readonly #finder = new IdFinder()

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.#finder.take(bytes[at] ?? 0)
  }

  found(): FoundId | undefined {
    return this.#finder.found((codes) => decodeUtf8(Uint8Array.from(codes)) ?? '')
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** What is kept of a name or an id: the longest id that is taken, with every character escaped. */
const MAX_KEPT = 8 * 1024

class IdFinder {
  #depth = 0
  #inString = false
  #escaped = false
  #inValue = false
  /** The name or the value at hand, at the first level. */
  #token: number[] = []
  #name = ''
  #id: number[] | undefined
  #isRequest = false
  /** Past the message, or not in one: an array, a number, text. */
  #over = false

  take(code: number): void {
    if (this.#over) return
    if (this.#inString) this.#inText(code)
    else if (code === QUOTE) {
      this.#inString = true
      this.#keep(code)
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (this.#depth++ === 0 && code === OPEN_ARRAY) this.#over = true
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (this.#depth === 1) this.#endMember()
      if (--this.#depth <= 0) this.#over = true
    } else if (this.#depth === 1 && code === COLON) this.#endName()
    else if (this.#depth === 1 && code === COMMA) this.#endMember()
    else this.#keep(code)
  }

  found(decode: (codes: number[]) => string): FoundId | undefined {
    if (this.#id === undefined) return undefined
    try {
      return { id: JSON.parse(decode(this.#id)), isRequest: this.#isRequest }
    } catch {
      return undefined
    }
  }

  #inText(code: number): void {
    this.#keep(code)
    if (this.#escaped) this.#escaped = false
    else if (code === BACKSLASH) this.#escaped = true
    else if (code === QUOTE) this.#inString = false
  }

  #keep(code: number): void {
    if (this.#depth !== 1 || this.#token.length >= MAX_KEPT) return
    if (!this.#inValue || this.#name === '"id"') this.#token.push(code)
  }

  #endName(): void {
    this.#name = String.fromCharCode(...this.#token).trim()
    if (this.#name === '"method"') this.#isRequest = true
    this.#inValue = true
    this.#token = []
  }

  #endMember(): void {
    if (this.#inValue && this.#name === '"id"') this.#id = this.#token
    this.#inValue = false
    this.#name = ''
    this.#token = []
  }
}
