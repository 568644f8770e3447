/**
 * A rule made ready: each of its members becomes one condition, cheap ones first. `rules.ts` asks whether all hold, and
 * for explanations which does not.
 */

import { toCanonicalJson } from '../audit/canonical.ts'
import { createAddressDenial, createAddressPermission } from '../config/command/address.ts'
import { createArgumentMatch } from './argument-match.ts'
import { claimedRoles } from './cedar/cedar.ts'
import { createCedarCondition } from './cedar/cedar-condition.ts'
import type { Counts } from './counts.ts'
import type { Circumstances, Effect } from './effect.ts'
import { argumentsOf, claimedTraits, itemOf, type Traits, WORST } from './facts.ts'
import { createGlob } from './glob.ts'
import type { PrincipalTest, Rule } from './rule.ts'
import { createTimeWindow } from './time-window.ts'

export interface Situation {
  readonly effect: Effect
  readonly circumstances: Circumstances
  readonly counts: Counts | undefined
}

export interface Condition {
  /** What does not hold when it fails, in words. */
  readonly unmet: string
  /** Only counts how often: left out when it is asked what a rule would count. */
  readonly counting?: boolean
  readonly holds: (situation: Situation) => boolean
}

export function toConditions(rule: Rule): readonly Condition[] {
  const wide = rule.outcome !== 'allow'
  const conditions: Condition[] = []
  const add = (unmet: string, holds: Condition['holds']) => conditions.push({ unmet, holds })
  if (rule.effect !== undefined) {
    const kinds = new Set(rule.effect)
    // What may not be used may not be typed for either.
    const isPart = (effect: Effect) => rule.outcome === 'deny' && effect.kind === 'complete' && kinds.has(effect.of)
    add(`it is about ${rule.effect.join(', ')}`, ({ effect }) => kinds.has(effect.kind) || isPart(effect))
  }
  if (rule.server !== undefined) {
    const any = anyGlob(rule.server)
    add(`the server is not ${shown(rule.server)}`, ({ effect }) => any(effect.server))
  }
  if (rule.item !== undefined) {
    const named = anyGlob(rule.item)
    const addressed = (wide ? createAddressDenial : createAddressPermission)(rule.item, createGlob)
    add(`the item is not ${shown(rule.item)}`, ({ effect }) => {
      const isAddress = effect.kind === 'read' || effect.kind === 'root'
      return (isAddress ? addressed : named)(itemOf(effect))
    })
  }
  if (rule.from !== undefined) {
    const any = anyGlob(rule.from)
    const what = `the data does not come from ${shown(rule.from)}`
    // A permission must cover every source, a prohibition one.
    add(what, ({ effect }) => effect.kind === 'flow' && (wide ? effect.from.some(any) : effect.from.every(any)))
  }
  if (rule.annotations !== undefined) {
    const wanted = rule.annotations
    add('the annotations, as far as they are believed, differ', ({ effect }) => fitsTraits(effect, wanted, wide))
  }
  if (rule.principal !== undefined) add('it is about somebody else', createPrincipalTest(rule.principal))
  if (rule.time !== undefined) {
    const within = createTimeWindow(rule.time)
    add('it is about another time', ({ circumstances }) => within(circumstances.at))
  }
  for (const [path, test] of Object.entries(rule.arguments ?? {})) {
    const holds = createArgumentMatch(path, test, wide ? 'wide' : 'narrow')
    add(`the argument ${path} differs`, ({ effect, circumstances }) => holds(argumentsOf(effect), circumstances))
  }
  if (rule.when !== undefined) {
    const when = createCedarCondition(rule.when)
    // What cannot be told is no permission, and no way around a prohibition.
    add('its `when` does not hold', ({ effect, circumstances }) => {
      const answer = when(effect, circumstances)
      return answer === 'unknown' ? wide : answer
    })
  }
  if (rule.count !== undefined) conditions.push(createCountCondition(rule, wide))
  return conditions
}

function createCountCondition({ id, count }: Rule, wide: boolean): Condition {
  const { max, per } = count!
  return {
    unmet: wide ? `the first ${max} in a ${per} are free` : `${max} in a ${per} are used up`,
    counting: true,
    holds: ({ circumstances, counts }) => counts === undefined || counts.used(id, per, circumstances) >= max === wide,
  }
}

function anyGlob(patterns: readonly string[]): (text: string) => boolean {
  const globs = patterns.map(createGlob)
  return (text) => globs.some((matches) => matches(text))
}

/** An annotation of an untrusted server may make things stricter and never easier (sec-126). */
function fitsTraits(effect: Effect, wanted: Partial<Traits>, wide: boolean): boolean {
  if (effect.kind !== 'call') return false
  const claimed = claimedTraits(effect.annotations)
  const views = effect.trusted ? [claimed] : [claimed, WORST]
  return TRAITS.every((trait) => {
    if (wanted[trait] === undefined) return true
    const fits = (view: Traits) => view[trait] === wanted[trait]
    return wide ? views.some(fits) : views.every(fits)
  })
}

const TRAITS = ['readOnly', 'destructive', 'openWorld'] as const

function createPrincipalTest({ id, roles, claims = {} }: PrincipalTest): Condition['holds'] {
  const named = id === undefined ? undefined : createGlob(id)
  const wanted = Object.entries(claims).map(([name, value]) => [name, toCanonicalJson(value)] as const)
  return ({ circumstances: { principal } }) => {
    if (principal === undefined) return false
    if (named !== undefined && !named(principal.id)) return false
    if (roles !== undefined && !claimedRoles(principal).some((role) => roles.includes(role))) return false
    const own = principal.claims ?? {}
    return wanted.every(([name, text]) => Object.hasOwn(own, name) && toCanonicalJson(own[name]) === text)
  }
}

function shown(patterns: readonly string[]): string {
  return patterns.map((pattern) => `"${pattern}"`).join(' or ')
}
