/**
 * Tests on argument values. A permission must be sure of what it sees, a prohibition must not be evaded: where a value
 * can be read in two ways (a number as text, a list for one, another case of a path), `allow` takes the narrow reading
 * and `ask` and `deny` the wide one.
 */

import { homedir } from 'node:os'
import type { JsonObject } from '@portico/sdk/server'
import { toCanonicalJson } from '../audit/canonical.ts'
import { createGlob } from './glob.ts'
import { isUnder } from './path-containment.ts'
import type { ValueTest } from './rule.ts'

/** Narrow for `allow`, wide for the others. */
export type Reading = 'narrow' | 'wide'

export interface ValueSurroundings {
  readonly workspace?: string
}

export type ArgumentMatch = (values: JsonObject, surroundings: ValueSurroundings) => boolean

export function createArgumentMatch(path: string, test: ValueTest, reading: Reading): ArgumentMatch {
  const steps = toSteps(path)
  const single = createSingleTest(test, reading)
  return (values, surroundings) => {
    const found = valuesAt(values, steps)
    // Too many to look at: no permission can be sure, and a prohibition holds.
    if (found === undefined) return reading === 'wide'
    const judge = (value: unknown) => single(value, surroundings)
    return reading === 'wide' ? found.some(judge) : found.length > 0 && found.every(judge)
  }
}

/** `a.b.*.c`, or a JSON Pointer (`/a/b`) for names with dots. */
export function toSteps(path: string): readonly string[] {
  if (!path.startsWith('/')) return path.split('.')
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const MAX_VALUES = 10_000

function valuesAt(source: JsonObject, steps: readonly string[]): unknown[] | undefined {
  let values: unknown[] = [source]
  for (const step of steps) {
    const next: unknown[] = []
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue
      if (step === '*') for (const member of Object.values(value)) next.push(member)
      // Own members alone: `__proto__` and `constructor` are names like any other. An object may be looked at by name.
      else if (Object.hasOwn(value, step)) next.push((value as JsonObject)[step])
      if (next.length > MAX_VALUES) return undefined
    }
    values = next
  }
  return values
}

type SingleTest = (value: unknown, surroundings: ValueSurroundings) => boolean

function createSingleTest(test: ValueTest, reading: Reading): SingleTest {
  const wide = reading === 'wide'
  const whole: ((value: unknown) => boolean)[] = []
  if (test.equals !== undefined) whole.push(equalTo([test.equals], wide))
  if (test.oneOf !== undefined) whole.push(equalTo(test.oneOf, wide))
  const each: SingleTest[] = []
  if (test.glob !== undefined) {
    const glob = createGlob(test.glob)
    each.push(onText((text) => glob(text), wide))
  }
  if (test.prefix !== undefined) {
    const { prefix } = test
    each.push(onText((text) => text.startsWith(prefix), wide))
  }
  if (test.range !== undefined) {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = test.range
    each.push((value) => {
      const number = toNumber(value, wide)
      return number !== undefined && number >= min && number <= max
    })
  }
  if (test.under !== undefined) {
    const { under } = test
    each.push((value, { workspace }) => {
      if (typeof value !== 'string') return false
      return isUnder(value, under, { workspace, home: homedir(), wide })
    })
  }
  return (value, surroundings) => {
    if (!whole.every((holds) => holds(value))) return false
    if (each.length === 0) return true
    const leaves = Array.isArray(value) ? flatten(value) : [value]
    if (leaves === undefined) return wide
    const judge = (leaf: unknown) => each.every((holds) => holds(leaf, surroundings))
    return wide ? leaves.some(judge) : leaves.length > 0 && leaves.every(judge)
  }
}

/** A list where one value is expected may be taken for each of its members by a careless server. */
function flatten(list: readonly unknown[]): unknown[] | undefined {
  const leaves = list.flat(8)
  return leaves.length > MAX_VALUES ? undefined : leaves
}

function equalTo(wanted: readonly unknown[], wide: boolean): (value: unknown) => boolean {
  const texts = new Set(wanted.map(toCanonicalJson))
  const loose = new Set(wanted.filter((one) => typeof one !== 'object').map(String))
  return (value) => {
    if (texts.has(toCanonicalJson(value))) return true
    if (!wide) return false
    // The text "5" may be taken for the number 5, and a list of one for its member.
    if (Array.isArray(value)) return value.some((one) => loose.has(String(one)) || texts.has(toCanonicalJson(one)))
    return typeof value !== 'object' && loose.has(String(value))
  }
}

function onText(holds: (text: string) => boolean, wide: boolean): SingleTest {
  return (value) => {
    if (typeof value === 'string') return holds(value)
    return wide && (typeof value === 'number' || typeof value === 'boolean') && holds(String(value))
  }
}

function toNumber(value: unknown, wide: boolean): number | undefined {
  if (typeof value === 'number') return value
  if (!wide || typeof value !== 'string' || value.trim() === '' || value.length > 100) return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}
