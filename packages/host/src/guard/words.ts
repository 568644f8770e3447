/** Texts as hashes, in every reading of them: how provenance and definitions are kept and compared. */

import { disguisesOf } from './disguises.ts'
import type { HashSet } from './hash-set.ts'
import { normalise, piecesOf, readingsOf, tokensOf } from './shingles.ts'

/** One text, as hashes. */
export interface Words {
  readonly pieces: Uint32Array
  readonly tokens: readonly number[]
  /** The pieces of each host, mail address or account in it. */
  readonly addresses: readonly Uint32Array[]
}

/** Of what is about to be sent: as it stands, and in every disguise. */
export function wordsIn(leaves: readonly string[], value: unknown): Words[] {
  return [...leaves.flatMap((leaf) => [...readingsOf(leaf)]), ...disguisesOf(leaves, value)].map((text) => ({
    pieces: piecesOf(normalise(text)),
    tokens: [...tokensOf(text)],
    addresses: addressesIn(text),
  }))
}

function addressesIn(text: string): Uint32Array[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}._@+-]{4,200}/gu) ?? []
  const telling = words.filter((word) => /\d|[.@](?=[\p{L}\p{N}])/u.test(word))
  return telling.map((word) => piecesOf(normalise(word))).filter(({ length }) => length > 0)
}

export function addWords(known: HashSet, leaves: readonly string[]): void {
  for (const leaf of leaves) {
    for (const text of readingsOf(leaf)) {
      for (const piece of piecesOf(normalise(text))) known.add(piece)
      for (const token of tokensOf(text)) known.add(token)
    }
  }
}

/** So many pieces in a row are known. */
export function hasRun(pieces: Uint32Array, length: number, isKnown: (piece: number) => boolean): boolean {
  let run = 0
  for (const piece of pieces) {
    run = isKnown(piece) ? run + 1 : 0
    if (run >= length) return true
  }
  return false
}
