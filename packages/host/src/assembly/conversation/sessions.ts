/** What a host remembers for each session: whose words it has seen, what goes along with its messages, its own rules. */

import type { Provenance } from '../../guard/provenance.ts'
import type { Rules } from '../../policy/rules.ts'
import { AttachedContext } from './attached-context.ts'
import { Contexts } from './contexts.ts'
import { SessionRules } from './session-rules.ts'

export class Sessions {
  readonly attached = new AttachedContext()
  readonly rules: SessionRules
  readonly #contexts = new Contexts()

  constructor(rules: () => Rules) {
    this.rules = new SessionRules(rules)
  }

  /** Whose words are in the context of a session. */
  provenance(session: string): Provenance {
    return this.#contexts.of(session)
  }

  end(session: string): void {
    this.#contexts.end(session)
    this.attached.end(session)
    this.rules.end(session)
  }
}
