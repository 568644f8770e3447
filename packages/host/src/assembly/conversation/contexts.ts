/**
 * Whose words are in the context of each session. A session that has not been used for long loses the words, but never
 * whose they were: whatever it does next is taken for something that may hold them.
 */

import { createProvenance, type Provenance, type Residue } from '../../guard/provenance.ts'

/** Contexts that are kept with their words, and sessions of which it is kept whose words they have seen. */
const MAX_CONTEXTS = 1_000
const MAX_RESIDUES = 100_000

export class Contexts {
  readonly #contexts = new Map<string, Provenance>()
  readonly #residues = new Map<string, Residue>()

  of(session: string): Provenance {
    const known = this.#contexts.get(session) ?? createProvenance({ before: this.#residues.get(session) })
    // Put last, so that the session used longest ago is the first to go.
    this.#contexts.delete(session)
    this.#contexts.set(session, known)
    this.#residues.delete(session)
    const [oldest] = this.#contexts.keys()
    if (this.#contexts.size > MAX_CONTEXTS && oldest !== undefined) this.#letGo(oldest)
    return known
  }

  end(session: string): void {
    this.#contexts.delete(session)
    this.#residues.delete(session)
  }

  #letGo(session: string): void {
    const context = this.#contexts.get(session)
    this.#contexts.delete(session)
    const residue = { servers: context?.sourcesOf('').inTurn ?? [], tainted: context?.isTainted() ?? false }
    if (residue.servers.length === 0 && !residue.tainted) return
    this.#residues.set(session, residue)
    const [oldest] = this.#residues.keys()
    if (this.#residues.size > MAX_RESIDUES && oldest !== undefined) this.#residues.delete(oldest)
  }
}
