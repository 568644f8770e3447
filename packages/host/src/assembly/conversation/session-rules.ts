/** Rules that differ by session: those of the host everywhere, and those of its project in a project's conversation. */

import { createRules, type Rules } from '../../policy/rules.ts'

export class SessionRules {
  readonly #base: () => Rules
  /** By session; made anew when the host's rules are other ones. */
  readonly #own = new Map<string, { readonly rules: readonly unknown[]; base: Rules; both: Rules }>()
  #made: { readonly base: Rules; readonly rules: Rules } | undefined

  constructor(base: () => Rules) {
    this.#base = base
  }

  /** As the guard asks them: the circumstances say which session it is. */
  get rules(): Rules {
    const base = this.#base()
    if (this.#own.size === 0) return base
    if (this.#made?.base !== base) this.#made = { base, rules: this.#bySession(base) }
    return this.#made.rules
  }

  set(session: string, rules: readonly unknown[]): void {
    if (rules.length === 0) return
    const base = this.#base()
    this.#own.set(session, { rules, base, both: join(base, rules) })
  }

  end(session: string): void {
    this.#own.delete(session)
  }

  #bySession(base: Rules): Rules {
    const of = ({ session }: { readonly session: string }): Rules => this.#of(session)
    return {
      rules: base.rules,
      decide: (effect, about, counts) => of(about).decide(effect, about, counts),
      explain: (effect, about, counts) => of(about).explain(effect, about, counts),
      lint: (known) => base.lint(known),
      shadow: (candidate) => base.shadow(candidate),
      reviewer: (effect, about) => of(about).reviewer(effect, about),
      counting: (effect, about) => of(about).counting(effect, about),
    }
  }

  #of(session: string): Rules {
    const base = this.#base()
    const own = this.#own.get(session)
    if (own === undefined) return base
    if (own.base !== base) Object.assign(own, { base, both: join(base, own.rules) })
    return own.both
  }
}

function join(base: Rules, rules: readonly unknown[]): Rules {
  return createRules([...base.rules, ...rules])
}
