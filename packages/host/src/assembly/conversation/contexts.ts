/**
 * Whose words are in the context of each session. A session that has not been used for long loses the words, but never
 * whose they were: whatever it does next is taken for something that may hold them.
 */

import { createProvenance, type Provenance, type Residue } from '../../guard/provenance.ts'

/** Contexts that are kept with their words, and sessions of which it is kept whose words they have seen. */
const MAX_CONTEXTS = 1_000
const MAX_RESIDUES = 100_000
/** What all contexts may take together. One alone takes no more than a sixteenth of it. */
const MAX_BYTES = 256 * 1024 * 1024

interface Kept {
  readonly provenance: Provenance
  bytes: number
}

export class Contexts {
  readonly #contexts = new Map<string, Kept>()
  readonly #residues = new Map<string, Residue>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  of(session: string): Provenance {
    const kept = this.#contexts.get(session) ?? this.#begin(session)
    // Put last, so that the session used longest ago is the first to go.
    this.#contexts.delete(session)
    this.#contexts.set(session, kept)
    this.#residues.delete(session)
    if (this.#contexts.size > MAX_CONTEXTS) this.#letOldestGo()
    while (this.#bytes > this.#maxBytes && this.#contexts.size > 1) this.#letOldestGo()
    return kept.provenance
  }

  end(session: string): void {
    this.#forget(session)
    this.#residues.delete(session)
  }

  #begin(session: string): Kept {
    const onGrowth = (bytes: number): void => {
      // Whoever still holds one that was let go no longer counts here.
      if (this.#contexts.get(session) !== kept) return
      kept.bytes += bytes
      this.#bytes += bytes
    }
    const kept: Kept = {
      provenance: createProvenance({ before: this.#residues.get(session), onGrowth }),
      bytes: 0,
    }
    return kept
  }

  #forget(session: string): Provenance | undefined {
    const kept = this.#contexts.get(session)
    this.#bytes -= kept?.bytes ?? 0
    this.#contexts.delete(session)
    return kept?.provenance
  }

  #letOldestGo(): void {
    const [session] = this.#contexts.keys()
    if (session === undefined) return
    const context = this.#forget(session)
    const residue = { servers: context?.sourcesOf('').inTurn ?? [], tainted: context?.isTainted() ?? false }
    if (residue.servers.length === 0 && !residue.tainted) return
    this.#residues.set(session, residue)
    const [oldest] = this.#residues.keys()
    if (this.#residues.size > MAX_RESIDUES && oldest !== undefined) this.#residues.delete(oldest)
  }
}
