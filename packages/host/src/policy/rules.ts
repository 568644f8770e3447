/**
 * The judgement itself: which rules match an effect, and what follows. Deny wins over ask, ask over allow; among equals
 * the more specific rule is the one that is named. Rules are sorted so once, and the first that matches decides.
 * Nothing is asked or written here; that is the guard's part.
 */

import { HostError } from '../errors.ts'
import { type Condition, type Situation, toConditions } from './conditions.ts'
import type { Counts } from './counts.ts'
import type { Decision, Outcome } from './decision.ts'
import { defaultFor } from './defaults.ts'
import type { Circumstances, Effect } from './effect.ts'
import { isRisky, isUndeclaredReading } from './facts.ts'
import { type KnownNames, lintRules, type RuleFinding } from './lint.ts'
import type { CountPeriod, Rule } from './rule.ts'
import { readRules } from './rule-text.ts'
import { compareSpecificity, specificityOf } from './specificity.ts'

/** What became of one rule while a decision was made. */
export interface Considered {
  readonly rule: string
  readonly outcome: Outcome
  readonly matches: boolean
  /** Why not, where it does not match. */
  readonly unmet?: string
  readonly shadow: boolean
}

/** A decision, and why each rule did or did not match. */
export interface Explanation extends Decision {
  /** Every rule, in the order in which they were looked at. */
  readonly considered: readonly Considered[]
}

/**
 * A set of rules that decides about effects and can explain itself. It asks nobody and writes nothing down;
 * `createGuard` does.
 */
export interface Rules {
  readonly rules: readonly Rule[]
  /** Without `counts`, rules that count match as if nothing had happened yet for `allow`, and as used up for the others. */
  decide(effect: Effect, circumstances: Circumstances, counts?: Counts): Decision
  /** The same decision, and what became of each rule on the way to it. */
  explain(effect: Effect, circumstances: Circumstances, counts?: Counts): Explanation
  /** Rules that can never decide anything. */
  lint(known?: KnownNames): readonly RuleFinding[]
  /** These rules still decide; what the others would have said is told where it differs. */
  shadow(candidate: Rules): Rules
  /** The rule that wants a person to see the result first. */
  reviewer(effect: Effect, circumstances: Circumstances): string | undefined
  /** The rules that count this effect once it is permitted. */
  counting(
    effect: Effect,
    circumstances: Circumstances,
  ): readonly { readonly rule: string; readonly per: CountPeriod }[]
}

/**
 * Makes rules that decide, from JSON as it was read from a file. Deny wins over ask, and ask over allow. Throws
 * `invalid-config` with all problems when one rule is not understood.
 *
 * @example
 * ```ts
 * import { createRules } from '@portico/host/policy'
 *
 * const rules = createRules([{ id: 'no push', outcome: 'deny', item: 'push' }])
 * const push = { kind: 'call', server: 'git', tool: 'push', arguments: {}, trusted: false } as const
 * rules.decide(push, { session: 'chat-1', unattended: false, tainted: false, at: Date.now() })
 * // { outcome: 'deny', rule: 'no push', reason: 'The rule "no push" says deny' }
 * ```
 */
export function createRules(config: unknown = []): Rules {
  const { rules, problems } = readRules(config)
  if (problems.length > 0) {
    const first = problems[0]!
    const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`
    throw new HostError('invalid-config', `The rules cannot be used: ${first.path} ${first.message}${more}`, {
      data: { problems },
    })
  }
  return new SortedRules(rules)
}

interface Ready {
  readonly rule: Rule
  readonly conditions: readonly Condition[]
}

const STRICTNESS: { readonly [outcome in Outcome]: number } = { deny: 0, ask: 1, allow: 2 }

class SortedRules implements Rules {
  readonly rules: readonly Rule[]
  readonly #sorted: readonly Ready[]
  readonly #counting: readonly Ready[]
  readonly #reviewing: readonly Ready[]
  readonly #hasShadow: boolean

  constructor(rules: readonly Rule[]) {
    this.rules = rules
    // Sorting is stable: of equals, the earlier stays first.
    this.#sorted = rules
      .map((rule) => ({ rule, conditions: toConditions(rule), specificity: specificityOf(rule) }))
      .sort((a, b) => {
        const strictness = STRICTNESS[a.rule.outcome] - STRICTNESS[b.rule.outcome]
        return strictness === 0 ? compareSpecificity(a.specificity, b.specificity) : strictness
      })
    this.#counting = this.#sorted.filter(({ rule }) => rule.count !== undefined)
    this.#reviewing = this.#sorted.filter(({ rule }) => rule.review === true && rule.shadow !== true)
    this.#hasShadow = rules.some(({ shadow }) => shadow === true)
  }

  decide(effect: Effect, circumstances: Circumstances, counts?: Counts): Decision {
    const situation = { effect, circumstances, counts }
    const followed = this.#sorted.find(({ rule, conditions }) => rule.shadow !== true && matches(conditions, situation))
    const decision = toDecision(followed?.rule, situation)
    if (!this.#hasShadow) return decision
    const tried = this.#sorted.find(({ conditions }) => matches(conditions, situation))
    return withShadow(decision, toDecision(tried?.rule, situation))
  }

  explain(effect: Effect, circumstances: Circumstances, counts?: Counts): Explanation {
    const situation = { effect, circumstances, counts }
    const considered = this.#sorted.map(({ rule, conditions }): Considered => {
      const failing = conditions.find(({ holds }) => !holds(situation))
      return {
        rule: rule.id,
        outcome: rule.outcome,
        matches: failing === undefined,
        ...(failing !== undefined && { unmet: failing.unmet }),
        shadow: rule.shadow === true,
      }
    })
    const ruleOf = (one: Considered | undefined) => this.rules.find(({ id }) => id === one?.rule)
    const followed = ruleOf(considered.find((one) => one.matches && !one.shadow))
    const tried = ruleOf(considered.find((one) => one.matches))
    return { ...withShadow(toDecision(followed, situation), toDecision(tried, situation)), considered }
  }

  lint(known: KnownNames = {}): readonly RuleFinding[] {
    return lintRules(this.rules, known)
  }

  shadow(candidate: Rules): Rules {
    const compare = <D extends Decision>(decision: D, other: Decision): D => {
      if (decision.outcome === other.outcome) return decision
      return { ...decision, shadow: { outcome: other.outcome, rule: other.rule ?? 'default' } }
    }
    return {
      rules: this.rules,
      decide: (...about) => compare(this.decide(...about), candidate.decide(...about)),
      explain: (...about) => compare(this.explain(...about), candidate.decide(...about)),
      lint: (known) => this.lint(known),
      shadow: (other) => this.shadow(other),
      reviewer: (...about) => this.reviewer(...about),
      counting: (...about) => [...this.counting(...about), ...candidate.counting(...about)],
    }
  }

  reviewer(effect: Effect, circumstances: Circumstances): string | undefined {
    const situation = { effect, circumstances, counts: undefined }
    return this.#reviewing.find(({ conditions }) => matchesUncounted(conditions, situation))?.rule.id
  }

  counting(effect: Effect, circumstances: Circumstances): { rule: string; per: CountPeriod }[] {
    const situation = { effect, circumstances, counts: undefined }
    return this.#counting.flatMap(({ rule, conditions }) =>
      matchesUncounted(conditions, situation) ? [{ rule: rule.id, per: rule.count!.per }] : [],
    )
  }
}

function matches(conditions: readonly Condition[], situation: Situation): boolean {
  for (const { holds } of conditions) if (!holds(situation)) return false
  return true
}

function matchesUncounted(conditions: readonly Condition[], situation: Situation): boolean {
  return conditions.every(({ counting, holds }) => counting === true || holds(situation))
}

function toDecision(rule: Rule | undefined, { effect, circumstances }: Situation): Decision {
  const decision = rule === undefined ? byDefault(effect) : saidBy(rule)
  if (decision.outcome !== 'allow' || !circumstances.tainted) return decision
  if (rule?.evenIfTainted === true || !isRisky(effect)) return decision
  if (rule === undefined && isUndeclaredReading(effect)) return { outcome: 'ask', reason: UNDECLARED_READING }
  const why = 'Untrusted text is in the context, and the tool may destroy something or send it away'
  const named = rule === undefined ? {} : { rule: rule.id }
  return { outcome: 'ask', ...named, reason: `${why}; otherwise: ${decision.reason}` }
}

function byDefault(effect: Effect): Decision {
  const { outcome, reason } = defaultFor(effect)
  return { outcome, byDefault: true, reason }
}

const SAID = new WeakMap<Rule, Decision>()

/** What a rule says is the same every time. */
function saidBy(rule: Rule): Decision {
  let said = SAID.get(rule)
  if (said === undefined) {
    said = Object.freeze({ outcome: rule.outcome, rule: rule.id, reason: reasonOf(rule) })
    SAID.set(rule, said)
  }
  return said
}

const UNDECLARED_READING =
  'Untrusted text is in the context, and the trusted server does not say whether the tool sends anything away; a yes counts for all that it only reads, in this conversation'

function reasonOf({ id, outcome, because }: Rule): string {
  return because === undefined ? `The rule "${id}" says ${outcome}` : `${because} (rule "${id}")`
}

function withShadow(decision: Decision, other: Decision): Decision {
  if (other.outcome === decision.outcome) return decision
  return { ...decision, shadow: { outcome: other.outcome, rule: other.rule ?? 'default' } }
}
