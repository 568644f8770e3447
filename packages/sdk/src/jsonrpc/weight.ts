/** About how much memory a JSON value takes, for bounds on what is kept: counting its items alone bounds nothing. */

import { isObject } from './message.ts'

/** What a value costs beside its characters. */
const VALUE = 16

/** In bytes, by a character each. Counting stops soon after `most`. */
export function weightOf(value: unknown, most = Number.POSITIVE_INFINITY): number {
  let weight = 0
  const left: unknown[] = [value]
  while (left.length > 0 && weight <= most) {
    const next = left.pop()
    weight += VALUE
    if (typeof next === 'string') weight += next.length
    else if (Array.isArray(next)) for (const item of next) left.push(item)
    else if (isObject(next)) {
      for (const [name, member] of Object.entries(next)) {
        weight += name.length
        left.push(member)
      }
    }
  }
  return weight
}
