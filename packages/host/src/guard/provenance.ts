/**
 * Where the words in a conversation come from. Every result is noted with the server that gave it; before a call, its
 * arguments are searched for what other servers have said, in whatever spelling. What cannot be found this way (data that was
 * retold or computed from) is covered by the turn itself: a conversation that has seen A's data may carry it anywhere.
 */

import { callListener } from '../config/call-listener.ts'
import type { DefinitionWords } from './definition-words.ts'
import { HashSet } from './hash-set.ts'
import { leavesOf } from './leaves.ts'
import { PIECE } from './shingles.ts'
import { addWords, hasRun, type Words, wordsIn } from './words.ts'

/** The servers that a value may come from. */
export interface Sources {
  /** Servers other than the target whose data stands in the arguments, or cannot be excluded to. */
  readonly inArguments: readonly string[]
  /** Servers whose data is in the conversation at all. */
  readonly inTurn: readonly string[]
}

/** The context of one conversation. */
export interface Provenance {
  /** What a server has said is now in the context. */
  note(server: string, value: unknown, options?: { readonly trusted?: boolean }): void
  /** What the person has said themselves is nobody else's data. */
  noteUser(value: unknown): void
  /** A model has been told what servers say of themselves. It leads nowhere by itself, and is found where it is sent on. */
  noteDefinitions(words: DefinitionWords): void
  /** Where a value may come from, by evidence and by the turn. `target` is the server that it is for. */
  sourcesOf(value: unknown, target?: string): Sources
  /** Untrusted text is in the context. */
  isTainted(): boolean
  /** The latest words of a server, or of all, with their origin. */
  wordsOf(server?: string): string
}

/** How much a provenance remembers. */
export interface ProvenanceOptions {
  /** Pieces of text that are remembered of one server, about one for each character; a million unless given. */
  readonly maxPieces?: number
  /** Of all servers, at eight bytes each; two million unless given. Beyond that, nothing is excluded. */
  readonly maxTotalPieces?: number
  /** Characters that are kept for `wordsOf`, each text as 64 more; 64,000 unless given. */
  readonly maxWords?: number
  /** What is known of a context whose words are no longer there: of these servers, nothing is excluded. */
  readonly before?: Residue
  /** Told when it takes more memory, or less, by about how many bytes: for those who keep many. */
  readonly onGrowth?: (bytes: number) => void
}

/** What remains of a context that was let go. */
export interface Residue {
  readonly servers: readonly string[]
  readonly tainted: boolean
}

/**
 * Remembers which server the words in a conversation came from, and finds them again in the arguments of later calls,
 * so that data of one server on its way to another is noticed.
 *
 * @example
 * ```ts
 * import { createProvenance } from '@portico/host/guard'
 *
 * const context = createProvenance()
 * context.note('mail', 'The meeting is on the fourteenth of March at noon')
 * context.sourcesOf({ text: 'meeting is on the fourteenth of March' }, 'notes')
 * // { inArguments: ['mail'], inTurn: ['mail'] }
 * ```
 */
export function createProvenance(options: ProvenanceOptions = {}): Provenance {
  return new HashedProvenance(options)
}

/** So many pieces in a row are a run of twelve characters: seldom the same by chance. */
const RUN = 5
const MAX_SERVERS = 1_000
const MAX_NOTED = 256
const MAX_NOTED_LEAF = 64
/** What remembering a text takes besides its characters. */
const WORDS_COST = 64
const PIECE_BYTES = 8

class HashedProvenance implements Provenance {
  readonly #maxPieces: number
  readonly #maxTotalPieces: number
  readonly #maxWords: number
  /** Undefined for a server whose words were too many to remember. */
  readonly #servers = new Map<string, HashSet | undefined>()
  #user: HashSet | undefined
  #definitions: DefinitionWords | undefined
  /** Short leaves that were added lately, by server, and how many there are. */
  readonly #noted = new Map<string, Set<string>>()
  #notedCount = 0
  #words: { readonly server: string; readonly text: string }[] = []
  #wordsLength = 0
  #tainted = false
  readonly #onGrowth: ((bytes: number) => void) | undefined
  #bytes = 0

  constructor(options: ProvenanceOptions) {
    const { maxPieces = 1_000_000, maxTotalPieces = 2_000_000, maxWords = 64_000, before, onGrowth } = options
    this.#onGrowth = onGrowth
    for (const server of before?.servers ?? []) this.#servers.set(server, undefined)
    this.#tainted = before?.tainted ?? false
    this.#maxPieces = maxPieces
    this.#maxTotalPieces = maxTotalPieces
    this.#maxWords = maxWords
  }

  note(server: string, value: unknown, { trusted = false } = {}): void {
    if (!trusted) this.#tainted = true
    const { leaves, complete } = leavesOf(value)
    const fresh = leaves.filter((leaf) => this.#isFresh(server, leaf))
    for (const leaf of leaves) this.#keepWords(server, leaf)
    if (!this.#servers.has(server)) {
      const isRoom = this.#servers.size < MAX_SERVERS && this.#total() < this.#maxTotalPieces
      this.#servers.set(server, isRoom ? new HashSet(this.#maxPieces) : undefined)
    }
    this.#add(server, fresh, complete)
    this.#tellGrowth()
  }

  noteUser(value: unknown): void {
    this.#user ??= new HashSet(this.#maxPieces)
    // What does not fit is not counted as the person's: that only asks more.
    addWords(this.#user, leavesOf(value).leaves)
    this.#tellGrowth()
  }

  noteDefinitions(words: DefinitionWords): void {
    this.#definitions = words
  }

  sourcesOf(value: unknown, target?: string): Sources {
    const inTurn = [...this.#servers.keys()]
    // A server's own words lead nowhere when they go back to it.
    const others = inTurn.filter((server) => server !== target)
    if (others.length === 0 && this.#definitions === undefined) return { inArguments: [], inTurn }
    const { leaves, complete } = leavesOf(value)
    // Nothing can be excluded of what is too much to look at.
    if (!complete) return { inArguments: others, inTurn }
    const foreign = wordsIn(leaves, value).filter((words) => !isOwn(words, this.#user))
    const said = others.filter((server) => isFrom(foreign, this.#servers.get(server)))
    const defined = this.#definitions?.serversIn(foreign, target) ?? []
    return { inArguments: [...new Set([...said, ...defined])], inTurn }
  }

  isTainted(): boolean {
    return this.#tainted
  }

  wordsOf(server?: string): string {
    const chosen = server === undefined ? this.#words : this.#words.filter((one) => one.server === server)
    return chosen.map((one) => `[from ${one.server}]\n${one.text}`).join('\n\n')
  }

  #add(server: string, leaves: readonly string[], complete: boolean): void {
    const known = this.#servers.get(server)
    if (known === undefined) return
    addWords(known, leaves)
    if (!complete || known.overflowed || this.#total() > this.#maxTotalPieces) this.#servers.set(server, undefined)
  }

  #tellGrowth(): void {
    if (this.#onGrowth === undefined) return
    const bytes = this.#wordsLength + this.#total() * PIECE_BYTES
    if (bytes !== this.#bytes) callListener(this.#onGrowth, bytes - this.#bytes)
    this.#bytes = bytes
  }

  /** Whether the words of a leaf have to be added: short ones that a server says again and again are known. */
  #isFresh(server: string, leaf: string): boolean {
    if (leaf.length > MAX_NOTED_LEAF) return true
    if (this.#noted.get(server)?.has(leaf)) return false
    if (this.#notedCount >= MAX_NOTED) {
      this.#noted.clear()
      this.#notedCount = 0
    }
    this.#notedCount++
    const noted = this.#noted.get(server)
    if (noted === undefined) this.#noted.set(server, new Set([leaf]))
    else noted.add(leaf)
    return true
  }

  #keepWords(server: string, leaf: string): void {
    if (leaf.length < PIECE) return
    const text = leaf.slice(0, this.#maxWords)
    this.#words.push({ server, text })
    this.#wordsLength += text.length + WORDS_COST
    if (this.#wordsLength <= this.#maxWords * 2) return
    // In steps, so that not every word moves all others.
    let dropped = 0
    while (this.#wordsLength > this.#maxWords) this.#wordsLength -= this.#words[dropped++]!.text.length + WORDS_COST
    this.#words = this.#words.slice(dropped)
  }

  #total(): number {
    let total = this.#user?.size ?? 0
    for (const known of this.#servers.values()) total += known?.size ?? 0
    return total
  }
}

/** The person has said all of it. */
function isOwn({ pieces, tokens }: Words, user: HashSet | undefined): boolean {
  if (user === undefined) return false
  return pieces.every((piece) => user.has(piece)) && tokens.every((token) => user.has(token))
}

function isFrom(texts: readonly Words[], known: HashSet | undefined): boolean {
  // Of what was too much to remember, only what says nothing can be excluded.
  if (known === undefined) return texts.some(({ pieces, tokens }) => pieces.length + tokens.length > 0)
  return texts.some(({ pieces, tokens }) => {
    if (tokens.some((token) => known.has(token))) return true
    return (
      (pieces.length > 0 && pieces.every((piece) => known.has(piece))) ||
      hasRun(pieces, RUN, (piece) => known.has(piece))
    )
  })
}
