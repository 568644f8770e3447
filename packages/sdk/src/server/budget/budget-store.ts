/**
 * Where results over their budget are kept until they are read: in this process, for a while, for the principal that
 * caused them. `budget.ts` decides what goes in; to anybody else an id is the same as one that never existed.
 */

import type { ResourceContents } from '../../protocol/content.ts'
import { randomToken } from '../../session/random-token.ts'

/** Where the rest of a result that is too long is kept, and for how long. */
export interface SpillOptions {
  /** How long a result can be read. 15 minutes by default. */
  readonly ttlMs?: number
  /** Bytes that all kept results may have together; the oldest give way. 64 MiB by default. */
  readonly maxBytes?: number
}

/** One readable part; `uri` is filled in when it is read. */
export type Part = readonly ({ mimeType?: string } & ({ text: string } | { blob: string }))[]

interface Kept {
  readonly owner: string | undefined
  readonly expires: number
  readonly bytes: number
  readonly parts: readonly Part[]
}

export const SPILL_LIMITS = { ttlMs: 15 * 60_000, maxBytes: 64 * 1024 * 1024 } as const

export class SpillStore {
  readonly ttlMs: number
  readonly maxBytes: number
  /** What every URI of a kept part starts with. */
  readonly #prefix: string
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(prefix: string, options: SpillOptions) {
    this.#prefix = prefix
    this.ttlMs = options.ttlMs ?? SPILL_LIMITS.ttlMs
    this.maxBytes = options.maxBytes ?? SPILL_LIMITS.maxBytes
  }

  /** Keeps the parts and returns how to find them, or undefined when they are too many bytes. */
  keep(owner: string | undefined, parts: readonly Part[], bytes: number): ((part: number) => string) | undefined {
    this.#dropExpired()
    if (bytes > this.maxBytes) return undefined
    for (const id of this.#kept.keys()) {
      if (this.#bytes + bytes <= this.maxBytes) break
      this.#drop(id)
    }
    const id = randomToken(16)
    this.#kept.set(id, { owner, expires: Date.now() + this.ttlMs, bytes, parts })
    this.#bytes += bytes
    return (part) => `${this.#prefix}${id}/${part}`
  }

  /** The contents of a part (counted from 1), or undefined for whatever is not there for this reader. */
  read(id: string, part: string, reader: string | undefined): ResourceContents[] | undefined {
    this.#dropExpired()
    const kept = this.#kept.get(id)
    if (kept === undefined || kept.owner !== reader || !/^[1-9]\d{0,8}$/.test(part)) return undefined
    const number = Number(part)
    const uri = (at: number): string => `${this.#prefix}${id}/${at}`
    const contents = kept.parts[number - 1]?.map((one): ResourceContents => ({ uri: uri(number), ...one }))
    if (contents === undefined || kept.parts.length === 1) return contents
    const next = number < kept.parts.length ? `The next is ${uri(number + 1)}` : 'This is the last'
    const note = `Part ${number} of ${kept.parts.length}. ${next}.`
    return [...contents, { uri: `${uri(number)}#note`, mimeType: 'text/plain', text: note }]
  }

  /** Entries are in the order of their expiry, since all live equally long. */
  #dropExpired(): void {
    const now = Date.now()
    for (const [id, { expires }] of this.#kept) {
      if (expires > now) return
      this.#drop(id)
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#kept.get(id)?.bytes ?? 0
    this.#kept.delete(id)
  }
}
