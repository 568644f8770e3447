/**
 * Finds rules that can never decide anything: those that no effect can match, those that a stricter or equal rule always
 * forestalls, and pairs that contradict each other. What it reports is certain; it does not find everything.
 */

import { coversRule, matchTextOf, passes } from './coverage.ts'
import type { EffectKind } from './effect.ts'
import { createGlob } from './glob.ts'
import { EFFECT_KINDS, type Rule, type ValueTest } from './rule.ts'
import { readRules } from './rule-text.ts'

/** What can be wrong with a rule. */
export type RuleFindingKind =
  /** Not understood at all. */
  | 'invalid'
  /** No effect can match it. */
  | 'never-matches'
  /** A stricter rule matches whatever it does. */
  | 'unreachable'
  /** Another rule already says the same of whatever it matches. */
  | 'redundant'
  /** Another rule says something else under exactly the same conditions. */
  | 'contradictory'
  | 'unknown-server'
  | 'unknown-item'

/** Something that is wrong with a rule. */
export interface RuleFinding {
  readonly kind: RuleFindingKind
  readonly rule: string
  /** The other rule, where there is one. */
  readonly by?: string
  readonly message: string
}

/** What exists, where that is known: patterns that match none of it are reported. */
export interface KnownNames {
  readonly servers?: readonly string[]
  /** Tools, prompts and URIs by server. */
  readonly items?: { readonly [server: string]: readonly string[] }
}

/**
 * Finds rules that are not understood, can never match, or never decide anything because others do. Takes rules, or the
 * JSON they are read from; `known` names the servers and items there are, so that misspelled ones are found too.
 *
 * @example
 * ```ts
 * import { lintRules } from '@portico/host/policy'
 *
 * const deny = { id: 'a', outcome: 'deny', server: 'git*' }
 * const allow = { id: 'b', outcome: 'allow', server: 'github' }
 * lintRules([deny, allow]) // [{ kind: 'unreachable', rule: 'b', by: 'a', message: '"a" says deny to everything it matches' }]
 * ```
 */
export function lintRules(config: unknown, known: KnownNames = {}): readonly RuleFinding[] {
  const { rules, problems } = readRules(config)
  return [
    ...problems.map(
      ({ path, message }): RuleFinding => ({ kind: 'invalid', rule: path, message: `${path} ${message}` }),
    ),
    ...rules.flatMap((rule) => findDead(rule) ?? findUnknown(rule, known)),
    ...findForestalled(rules),
  ]
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const

function findForestalled(rules: readonly Rule[]): RuleFinding[] {
  const findings: RuleFinding[] = []
  const texts = rules.map(matchTextOf)
  for (const [index, rule] of rules.entries()) {
    for (const [otherIndex, other] of rules.entries()) {
      if (other === rule || other.shadow === true) continue
      const finding = compare(rule, other, texts[index] === texts[otherIndex], otherIndex < index)
      if (finding === undefined) continue
      findings.push(finding)
      break
    }
  }
  return findings
}

function compare(rule: Rule, other: Rule, isEqual: boolean, isLater: boolean): RuleFinding | undefined {
  const same = isEqual && rule.count === undefined
  const find = (kind: RuleFindingKind, message: string): RuleFinding => ({ kind, rule: rule.id, by: other.id, message })
  if (STRICTNESS[other.outcome] > STRICTNESS[rule.outcome]) {
    if (same) return find('contradictory', `"${other.id}" says ${other.outcome} under the same conditions, and wins`)
    if (!coversRule(other, rule)) return undefined
    return find('unreachable', `"${other.id}" says ${other.outcome} to everything it matches`)
  }
  if (other.outcome !== rule.outcome || !coversRule(other, rule)) return undefined
  // Of two that are equal the earlier one stays. A rule that says more than its outcome is there for that.
  if ((same && !isLater) || saysMore(rule, other)) return undefined
  return find('redundant', `"${other.id}" says ${other.outcome} to everything it matches already`)
}

function saysMore(rule: Rule, other: Rule): boolean {
  if (rule.shadow === true && other.shadow !== true) return false
  return (
    (rule.review === true && other.review !== true) || (rule.evenIfTainted === true && other.evenIfTainted !== true)
  )
}

/** Undefined for a rule that something can match. */
function findDead(rule: Rule): RuleFinding[] | undefined {
  const reasons = [...deadLists(rule), ...deadKinds(rule), ...deadMoments(rule), ...deadValues(rule)]
  if (reasons.length === 0) return undefined
  return reasons.map(
    (reason): RuleFinding => ({ kind: 'never-matches', rule: rule.id, message: `never matches: ${reason}` }),
  )
}

function* deadLists(rule: Rule): Generator<string> {
  for (const member of ['effect', 'server', 'item', 'from'] as const) {
    const list = rule[member]
    if (list?.length === 0) yield `${member} is an empty list`
    else if (list?.every((pattern) => pattern === '')) yield `${member} is an empty pattern`
  }
  if (rule.principal?.roles?.length === 0) yield 'principal.roles is an empty list'
  if (rule.principal?.id === '') yield 'principal.id is an empty pattern'
}

const WITH_ARGUMENTS: readonly EffectKind[] = ['call', 'prompt', 'complete', 'flow', 'sample']

/** Members that only some effects have, beside effects that do not have them. */
function* deadKinds(rule: Rule): Generator<string> {
  const kinds = rule.effect ?? EFFECT_KINDS
  const needs = (member: string, able: readonly EffectKind[]) =>
    kinds.some((kind) => able.includes(kind)) ? [] : [`${kinds.join(', ')} has no ${member}`]
  if (rule.annotations !== undefined) yield* needs('annotations', ['call'])
  if (rule.from !== undefined) yield* needs('from', ['flow'])
  if (rule.arguments !== undefined && Object.keys(rule.arguments).length > 0) yield* needs('arguments', WITH_ARGUMENTS)
  if (rule.from !== undefined && rule.annotations !== undefined) yield 'no effect has both annotations and from'
  const { readOnly, destructive } = rule.annotations ?? {}
  // A prohibition is matched by an untrusted server's claim and by the worst at once, and can hold for both.
  if (readOnly === true && destructive === true && rule.outcome === 'allow') yield 'what only reads destroys nothing'
}

function* deadMoments(rule: Rule): Generator<string> {
  const { days, from, to } = rule.time ?? {}
  if (days?.length === 0) yield 'time.days is an empty list'
  if (from !== undefined && from === to) yield 'time begins when it ends'
  if (rule.count?.max === 0 && rule.outcome === 'allow') yield 'count.max is 0'
}

function* deadValues(rule: Rule): Generator<string> {
  for (const [path, test] of Object.entries(rule.arguments ?? {})) {
    const { range, oneOf, equals } = test
    if (range?.min !== undefined && range.max !== undefined && range.min > range.max) {
      yield `the range of ${path} is empty`
    }
    if (oneOf?.length === 0) yield `oneOf of ${path} is an empty list`
    if (test.glob === '') yield `the pattern of ${path} is empty`
    if (range !== undefined && (test.under !== undefined || (rule.outcome === 'allow' && hasTextTest(test)))) {
      yield `${path} cannot be a number and a text`
    }
    // Wide readings take more than one look at a value, so that only permissions can be told to contradict themselves.
    const values = equals !== undefined ? [equals] : oneOf
    if (rule.outcome !== 'allow' || values === undefined || values.length === 0) continue
    const rest = (Object.keys(test) as (keyof ValueTest)[]).filter((name) => name !== 'under')
    const possible = values.some((value) => Array.isArray(value) || rest.every((name) => passes(value, name, test)))
    if (!possible) yield `the tests of ${path} exclude each other`
  }
}

function hasTextTest({ glob, prefix }: ValueTest): boolean {
  return glob !== undefined || prefix !== undefined
}

function findUnknown(rule: Rule, { servers, items }: KnownNames): RuleFinding[] {
  const findings: RuleFinding[] = []
  for (const pattern of servers === undefined ? [] : [...(rule.server ?? []), ...(rule.from ?? [])]) {
    if (servers!.some(createGlob(pattern))) continue
    findings.push({ kind: 'unknown-server', rule: rule.id, message: `no server is called "${pattern}"` })
  }
  // Only effects on listed items can be told: commands, hosts and URIs from templates are open.
  const isListed = rule.effect?.every((kind) => kind === 'call' || kind === 'prompt' || kind === 'flow') ?? false
  if (items === undefined || !isListed || findings.length > 0) return findings
  const inScope = Object.keys(items).filter((name) => rule.server?.some((pattern) => createGlob(pattern)(name)) ?? true)
  for (const pattern of rule.item ?? []) {
    if (inScope.some((server) => items[server]!.some(createGlob(pattern)))) continue
    findings.push({ kind: 'unknown-item', rule: rule.id, message: `nothing is called "${pattern}" there` })
  }
  return findings
}
