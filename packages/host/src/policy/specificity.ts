/**
 * Which of two rules with the same outcome is named as the one that decided: the more specific. Compared one after the
 * other until they differ: how exactly the item is named, how many argument values and conditions are tested, how exactly the
 * server is named, how many other members the rule has, and at last which stands earlier.
 */

import { isLiteral, literalLength } from './glob.ts'
import type { Rule } from './rule.ts'

type Specificity = readonly [item: number, values: number, server: number, others: number]

export function specificityOf(rule: Rule): Specificity {
  const values = Object.values(rule.arguments ?? {}).reduce((sum, test) => sum + Object.keys(test).length, 0)
  const others = [rule.effect, rule.from, rule.annotations, rule.principal, rule.time, rule.count]
  return [
    exactness(rule.item),
    values + (rule.when === undefined ? 0 : 1),
    exactness(rule.server),
    others.filter((member) => member !== undefined).length,
  ]
}

/** Negative when the first is the more specific. */
export function compareSpecificity(a: Specificity, b: Specificity): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return b[index]! - value
  return 0
}

/** A name is more exact than any pattern, a pattern the more it spells out; of several, the least exact counts. */
function exactness(patterns: readonly string[] | undefined): number {
  if (patterns === undefined || patterns.length === 0) return 0
  return Math.min(...patterns.map((pattern) => (isLiteral(pattern) ? 1_000_000 : 1 + literalLength(pattern))))
}
