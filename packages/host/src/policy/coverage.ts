/**
 * Whether one rule matches everything that another does, as far as it can be read off the two: for the linter, which
 * must never call a rule dead that is not. True is certain; false may be unknown.
 */

import { toCanonicalJson } from '../audit/canonical.ts'
import { toSteps } from './argument-match.ts'
import { covers, createGlob } from './glob.ts'
import type { Rule, ValueTest } from './rule.ts'

/** The outer rule must be at least as wide in how it reads values: `deny` and `ask` read wider than `allow`. */
export function coversRule(outer: Rule, inner: Rule): boolean {
  if (outer.outcome === 'allow' && inner.outcome !== 'allow') return false
  return (
    coversList(outer.effect, inner.effect) &&
    coversGlobs(outer.server, inner.server) &&
    coversGlobs(outer.item, inner.item) &&
    coversGlobs(outer.from, inner.from) &&
    isAbsentOrEqual(outer.annotations, inner.annotations) &&
    isAbsentOrEqual(outer.principal, inner.principal) &&
    isAbsentOrEqual(outer.time, inner.time) &&
    isAbsentOrEqual(outer.when, inner.when) &&
    // A count belongs to its rule: two rules with the same one need not have counted the same.
    outer.count === undefined &&
    coversArguments(outer.arguments, inner.arguments)
  )
}

/** What a rule says of when it matches: equal for two that say the same. */
export function matchTextOf(rule: Rule): string {
  return toCanonicalJson(matchPart(rule))
}

function matchPart({ effect, server, item, from, arguments: args, annotations, principal, time, count, when }: Rule) {
  const sorted = (list: readonly string[] | undefined) => (list === undefined ? undefined : [...list].sort())
  const lists = { effect: sorted(effect), server: sorted(server), item: sorted(item), from: sorted(from) }
  return { ...lists, args, annotations, principal, time, count, when }
}

function coversList(outer: readonly string[] | undefined, inner: readonly string[] | undefined): boolean {
  if (outer === undefined) return true
  return inner?.every((one) => outer.includes(one)) ?? false
}

function coversGlobs(outer: readonly string[] | undefined, inner: readonly string[] | undefined): boolean {
  if (outer === undefined || outer.includes('*')) return true
  return inner?.every((one) => outer.some((pattern) => covers(pattern, one))) ?? false
}

function isAbsentOrEqual(outer: unknown, inner: unknown): boolean {
  return outer === undefined || (inner !== undefined && toCanonicalJson(outer) === toCanonicalJson(inner))
}

function coversArguments(outer: Rule['arguments'], inner: Rule['arguments']): boolean {
  return Object.entries(outer ?? {}).every(([path, test]) => {
    // With `*`, prohibitions look for one value and permissions at all: neither follows from the other.
    if (toSteps(path).includes('*')) return false
    const other = inner !== undefined && Object.hasOwn(inner, path) ? inner[path] : undefined
    return other !== undefined && implies(other, test)
  })
}

/** Whether every value that passes `inner` passes `outer`. */
function implies(inner: ValueTest, outer: ValueTest): boolean {
  const values = inner.equals !== undefined ? [inner.equals] : inner.oneOf
  return (Object.keys(outer) as (keyof ValueTest)[]).every((name) => {
    if (toCanonicalJson(outer[name]) === toCanonicalJson(inner[name])) return true
    if (values !== undefined) return values.length > 0 && values.every((value) => passes(value, name, outer))
    if (name === 'glob') {
      if (inner.glob !== undefined && covers(outer.glob!, inner.glob)) return true
      return inner.prefix !== undefined && !/[*?]/.test(inner.prefix) && covers(outer.glob!, `${inner.prefix}*`)
    }
    if (name === 'prefix') return inner.prefix?.startsWith(outer.prefix!) ?? false
    if (name === 'range') return inner.range !== undefined && isWithin(inner.range, outer.range!)
    return false
  })
}

/** Whether one value passes one test, judged narrowly. */
export function passes(value: unknown, name: keyof ValueTest, test: ValueTest): boolean {
  switch (name) {
    case 'equals':
      return toCanonicalJson(value) === toCanonicalJson(test.equals)
    case 'oneOf':
      return test.oneOf!.some((one) => toCanonicalJson(one) === toCanonicalJson(value))
    case 'glob':
      return typeof value === 'string' && createGlob(test.glob!)(value)
    case 'prefix':
      return typeof value === 'string' && value.startsWith(test.prefix!)
    case 'range': {
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = test.range!
      return typeof value === 'number' && value >= min && value <= max
    }
    // Depends on the folder that somebody works in.
    case 'under':
      return false
  }
}

type Range = NonNullable<ValueTest['range']>

function isWithin(inner: Range, outer: Range): boolean {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = inner
  return min >= (outer.min ?? Number.NEGATIVE_INFINITY) && max <= (outer.max ?? Number.POSITIVE_INFINITY)
}
