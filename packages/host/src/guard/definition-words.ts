/**
 * What servers say of themselves, in definitions and instructions. Every conversation that may use a server has read
 * that, so it is kept once for all of them, and counts only where it is found in what goes to another server: else the
 * mere presence of a second server would make every call a question.
 */

import { HashSet } from './hash-set.ts'
import { leavesOf } from './leaves.ts'
import { addWords, hasRun, type Words } from './words.ts'

const MAX_PIECES = 1_000_000
const MAX_KEYS = 20_000
/** Descriptions share phrases: only a run of nineteen characters is telling. */
const RUN = 12

export class DefinitionWords {
  readonly #servers = new Map<string, HashSet>()
  readonly #noted = new Set<string>()

  /** Notes a text or definition once; `key` tells it from every other of the server's, and from its earlier states. */
  note(server: string, key: string, value: unknown): void {
    const noted = JSON.stringify([server, key])
    if (this.#noted.has(noted)) return
    // What was forgotten is only read once more.
    if (this.#noted.size >= MAX_KEYS) this.#noted.clear()
    this.#noted.add(noted)
    const known = this.#servers.get(server) ?? new HashSet(MAX_PIECES)
    this.#servers.set(server, known)
    addWords(known, leavesOf(value).leaves)
  }

  /** The servers whose own words stand in a text, and are not the target's own as well. */
  serversIn(texts: readonly Words[], target: string | undefined): string[] {
    const own = target === undefined ? undefined : this.#servers.get(target)
    const isTelling = (known: HashSet) => (hash: number) => known.has(hash) && own?.has(hash) !== true
    return [...this.#servers].flatMap(([server, known]) => {
      const telling = isTelling(known)
      const isFound = texts.some(({ pieces, tokens }) => tokens.some(telling) || hasRun(pieces, RUN, telling))
      return server !== target && isFound ? [server] : []
    })
  }
}
