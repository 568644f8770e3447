/**
 * Tests on argument values. A permission must be sure of what it sees, a prohibition must not be evaded: where a value
 * can be read in two ways (a number as text, a list for one, another case of a path), `allow` takes the narrow reading
 * and `ask` and `deny` the wide one.
 */

import { homedir } from 'node:os'
import type { JsonObject } from '@portico/sdk/server'
import { toCanonicalJson } from '../audit/canonical.ts'
import { plainSpelling } from '../config/formats/spelling.ts'
import { createGlob } from './glob.ts'
import { isUnder } from './path-containment.ts'
import type { ValueTest } from './rule.ts'
import { isManyPaths, numbersIn, pathsIn, unpacked, withPlainSpaces } from './wide-readings.ts'

/** Narrow for `allow`, wide for the others. */
type Reading = 'narrow' | 'wide'

interface ValueSurroundings {
  readonly workspace?: string
}

type ArgumentMatch = (values: JsonObject, surroundings: ValueSurroundings) => boolean

export function createArgumentMatch(path: string, test: ValueTest, reading: Reading): ArgumentMatch {
  const steps = toSteps(path)
  const single = createSingleTest(test, reading)
  return (values, surroundings) => {
    const found = valuesAt(values, steps, reading === 'wide')
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

function valuesAt(source: JsonObject, steps: readonly string[], wide: boolean): unknown[] | undefined {
  let values: unknown[] = [source]
  for (const step of steps) {
    const next: unknown[] = []
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue
      if (step === '*') for (const member of Object.values(value)) next.push(member)
      // Own members alone: `__proto__` and `constructor` are names like any other. An object may be looked at by name.
      else if (Object.hasOwn(value, step)) next.push((value as JsonObject)[step])
      // A list where one object is expected may be taken for each of its members.
      else if (wide && Array.isArray(value)) {
        for (const member of value.flat(8)) {
          if (typeof member === 'object' && member !== null && Object.hasOwn(member, step)) next.push(member[step])
        }
      }
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
    const { glob } = test
    each.push(onText(createGlob(glob), createGlob(wide ? spaced(glob) : folded(glob)), wide))
  }
  if (test.prefix !== undefined) {
    const { prefix } = test
    // A space at the end says where the first word ends.
    const wanted = (wide ? spaced(prefix) : folded(prefix)) + prefix.slice(prefix.trimEnd().length)
    each.push(
      onText(
        (text) => text.startsWith(prefix),
        (text) => text.startsWith(wanted),
        wide,
      ),
    )
  }
  if (test.range !== undefined) {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = test.range
    each.push((value) => {
      const numbers = typeof value === 'number' ? [value] : wide ? numbersOf(value) : []
      return numbers.some((number) => number >= min && number <= max)
    })
  }
  if (test.under !== undefined) {
    const { under } = test
    each.push((value, { workspace }) => {
      if (typeof value !== 'string') return false
      const contains = (path: string) => isUnder(path, under, { workspace, home: homedir(), wide })
      const plain = plainSpelling(value)
      if (plain === undefined) return wide
      // Line breaks are no part of a plain spelling, but end a path for many a server.
      const apart = plainSpelling(withPlainSpaces(value)) ?? plain
      if (!wide) return !isManyPaths(value) && !isManyPaths(apart) && contains(value) && contains(plain)
      const paths = pathsIn(apart)
      return paths === undefined || [value, plain, ...paths].some(contains)
    })
  }
  return (value, surroundings) => {
    if (!whole.every((holds) => holds(value))) return false
    if (each.length === 0) return true
    const leaves = wide ? leavesOf(value) : Array.isArray(value) ? flatten(value) : [value]
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

/** Everything in a value that is not made of others, however deep it lies. */
function leavesOf(value: unknown): unknown[] | undefined {
  const leaves: unknown[] = []
  const open: unknown[] = [value]
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > MAX_VALUES) return undefined
    const one = open.pop()
    if (typeof one === 'string') {
      const readings = unpacked(one)
      if (readings === undefined) return undefined
      leaves.push(...readings)
    } else if (typeof one !== 'object' || one === null) leaves.push(one)
    else for (const member of Object.values(one)) open.push(member)
  }
  return leaves
}

function equalTo(wanted: readonly unknown[], wide: boolean): (value: unknown) => boolean {
  const texts = new Set(wanted.map(toCanonicalJson))
  if (!wide) return (value) => texts.has(toCanonicalJson(value))
  const loose = new Set(wanted.filter((one) => typeof one !== 'object').flatMap(wantedMeanings))
  return (value) => {
    if (texts.has(toCanonicalJson(value))) return true
    const leaves = leavesOf(value)
    if (leaves === undefined) return true
    // The text "5" may be taken for the number 5, and a list of one for its member.
    if (leaves.some((leaf) => meanings(leaf).some((meaning) => loose.has(meaning)))) return true
    return Array.isArray(value) && value.some((one) => texts.has(toCanonicalJson(one)))
  }
}

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'on', 'y', 't', '1'])
const NO: ReadonlySet<string> = new Set(['false', 'no', 'off', 'n', 'f', '0'])

/** What a careless server may take a value for: its text, its number, a yes or no. */
function meanings(value: unknown): readonly string[] {
  const text = folded(String(value))
  const found = [`text ${text}`]
  for (const number of numbersOf(String(value))) found.push(`number ${number}`, ...(number === 0 ? [] : ['not zero']))
  if (YES.has(text)) found.push('yes')
  if (NO.has(text)) found.push('no')
  return found
}

/** Where yes or no is meant, so is any number that stands for it; a number means itself. */
function wantedMeanings(value: unknown): readonly string[] {
  const found = meanings(value).filter((meaning) => meaning !== 'not zero')
  if (typeof value === 'number' || numbersOf(value).length > 0) return found
  if (found.includes('yes')) return [...found, 'not zero']
  return found.includes('no') ? [...found, 'number 0'] : found
}

/** Folded, and white space of any kind as one space. */
function spaced(text: string): string {
  return folded(withPlainSpaces(text))
}

/** The text whichever way it is spelled, letters in one case. What is encoded without end is like nothing else. */
function folded(text: string): string {
  return plainSpelling(text)?.toLowerCase() ?? text
}

/** A prohibition looks at the text as it is and as it may be read, a permission wants both to fit. */
function onText(holds: (text: string) => boolean, holdsFolded: (text: string) => boolean, wide: boolean): SingleTest {
  return (value) => {
    if (typeof value === 'string') {
      if (wide) {
        return (
          [holds(value), holdsFolded(folded(value)), holdsFolded(spaced(value))].includes(true) ||
          plainSpelling(value) === undefined
        )
      }
      const plain = plainSpelling(value)
      return plain !== undefined && holds(value) && holdsFolded(plain.toLowerCase())
    }
    return wide && (typeof value === 'number' || typeof value === 'boolean') && holds(String(value))
  }
}

function numbersOf(value: unknown): number[] {
  return typeof value === 'string' ? numbersIn(folded(value)) : []
}
