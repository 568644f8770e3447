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
  /** Of names, which are short and join their words: an address in one is telling by itself. */
  readonly #names = new Map<string, HashSet>()
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
    const { leaves } = leavesOf(value)
    addWords(known, leaves)
    const names = this.#names.get(server) ?? new HashSet(MAX_PIECES)
    this.#names.set(server, names)
    for (const name of namesIn(leaves, value)) addWords(names, readingsOfName(name))
  }

  /** The servers whose own words stand in a text, and are not the target's own as well. */
  serversIn(texts: readonly Words[], target: string | undefined): string[] {
    const own = target === undefined ? undefined : this.#servers.get(target)
    const isTelling = (known: HashSet | undefined) => (hash: number) =>
      known?.has(hash) === true && own?.has(hash) !== true
    return [...this.#servers].flatMap(([server, known]) => {
      const telling = isTelling(known)
      const named = isTelling(this.#names.get(server))
      const isFound = texts.some(
        ({ pieces, tokens, addresses }) =>
          tokens.some((token) => telling(token) || named(token)) ||
          hasRun(pieces, RUN, telling) ||
          addresses.some((address) => address.every(named)),
      )
      return server !== target && isFound ? [server] : []
    })
  }
}

const MAX_NAME = 200

/** Names of tools and arguments, values to choose from, and titles; sentences have their own measure. */
function namesIn(leaves: readonly string[], value: unknown): string[] {
  const { title, annotations } = (value ?? {}) as { title?: unknown; annotations?: { title?: unknown } }
  const titles = [title, annotations?.title].filter((one) => typeof one === 'string')
  return [...leaves.filter((leaf) => !/\s/.test(leaf)), ...titles].filter(({ length }) => length <= MAX_NAME)
}

/** A name as it is, its words apart, and with the words for signs that a name cannot hold. */
function readingsOfName(name: string): string[] {
  const apart = name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replace(/[^\p{L}\p{N}]+/gu, ' ')
  const signs = apart.replace(/ at /gi, '@').replace(/ (?:dot|slash|colon|dash) /gi, '.')
  return [...new Set([name, apart, signs])]
}
