/**
 * Rules out of JSON that nobody has looked at yet. A rule that is not understood is never left out in silence: a
 * forgotten prohibition would be a permission. Every problem names its place.
 */

import { isObject } from '@portico/sdk/internal'
import type { JsonObject } from '@portico/sdk/server'
import { createCedarCondition } from './cedar/cedar-condition.ts'
import { MAX_GLOB_LENGTH } from './glob.ts'
import { EFFECT_KINDS, type Rule, WEEKDAYS } from './rule.ts'
import { formatFor } from './time-window.ts'

/** A part of a rule that cannot be used, by its path in the JSON. */
export interface RuleProblem {
  /** `rules[3].arguments.path.glob` */
  readonly path: string
  readonly message: string
}

/** The rules that were understood, and what is wrong with the others. */
export interface ReadRules {
  readonly rules: readonly Rule[]
  readonly problems: readonly RuleProblem[]
}

/**
 * Reads rules from JSON: a list of rules, or an object with `rules`. Does not throw; what is not understood is in
 * `problems`.
 *
 * @example
 * ```ts
 * import { readRules } from '@portico/host/policy'
 *
 * const { rules, problems } = readRules([{ id: 'a', outcome: 'forbid' }])
 * problems // [{ path: 'rules[0].outcome', message: 'must be one of allow, ask, deny; not "forbid"' }]
 * ```
 */
export function readRules(config: unknown): ReadRules {
  const problems: RuleProblem[] = []
  const list = isObject(config) ? config.rules : config
  if (isObject(config)) refuseUnknown(config, ['rules', '$schema'], '', problems)
  if (list === undefined && isObject(config)) return { rules: [], problems }
  if (!Array.isArray(list)) return { rules: [], problems: [{ path: 'rules', message: 'must be a list of rules' }] }
  if (list.length > MAX_RULES) problems.push({ path: 'rules', message: `has more than ${MAX_RULES} rules` })
  const rules: Rule[] = []
  const ids = new Set<string>()
  for (const [index, value] of list.slice(0, MAX_RULES).entries()) {
    const path = `rules[${index}]`
    const before = problems.length
    const rule = readRule(value, path, problems)
    if (rule === undefined || problems.length > before) continue
    if (ids.has(rule.id)) problems.push({ path: `${path}.id`, message: `"${rule.id}" is the id of another rule` })
    ids.add(rule.id)
    rules.push(rule)
  }
  return { rules, problems }
}

const MAX_RULES = 1_000
const MAX_LIST = 500
const MAX_TEXT = 4_000

/** What each member of a rule must look like; a check says what is wrong, or nothing. */
type Check = (value: unknown, path: string, problems: RuleProblem[]) => void

function readRule(value: unknown, path: string, problems: RuleProblem[]): Rule | undefined {
  if (!isObject(value)) {
    problems.push({ path, message: 'must be an object' })
    return undefined
  }
  checkMembers(value, RULE, path, problems)
  for (const member of ['id', 'outcome']) {
    if (value[member] === undefined) problems.push({ path: `${path}.${member}`, message: 'is missing' })
  }
  if (value.evenIfTainted === true && value.outcome !== 'allow') {
    problems.push({ path: `${path}.evenIfTainted`, message: 'has a meaning for "allow" alone' })
  }
  // Every member was checked against its type; what may be one text or several becomes several.
  const rule = { ...value } as unknown as Rule & JsonObject
  for (const member of ['effect', 'server', 'item', 'from'] as const) {
    if (typeof rule[member] === 'string') Object.assign(rule, { [member]: [rule[member]] })
  }
  return rule
}

const text: Check = (value, path, problems) => {
  if (typeof value !== 'string' || value.length > MAX_TEXT) {
    problems.push({ path, message: `must be a text of at most ${MAX_TEXT} characters` })
  }
}

const identifier: Check = (value, path, problems) => {
  if (typeof value !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._:/-]{0,99}$/u.test(value)) {
    problems.push({ path, message: 'must be a short name of letters, digits, spaces and . _ : / -' })
  }
}

const flag: Check = (value, path, problems) => {
  if (typeof value !== 'boolean') problems.push({ path, message: 'must be true or false' })
}

const glob: Check = (value, path, problems) => {
  if (typeof value !== 'string' || value.length > MAX_GLOB_LENGTH) {
    problems.push({ path, message: `must be a pattern of at most ${MAX_GLOB_LENGTH} characters` })
  }
}

const number: Check = (value, path, problems) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) problems.push({ path, message: 'must be a number' })
}

const whole: Check = (value, path, problems) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    problems.push({ path, message: 'must be a whole number from 0' })
  }
}

const clock: Check = (value, path, problems) => {
  if (typeof value !== 'string' || !/^([01]\d|2[0-3]):[0-5]\d$/.test(value)) {
    problems.push({ path, message: 'must be a time of day such as 09:30' })
  }
}

const zone: Check = (value, path, problems) => {
  try {
    if (typeof value !== 'string') throw new TypeError('no text')
    formatFor(value)
  } catch {
    problems.push({ path, message: 'must be a time zone such as Europe/Berlin' })
  }
}

const anything: Check = (value, path, problems) => {
  if (isTooDeep(value, 16)) problems.push({ path, message: 'is nested too deeply' })
}

function word(words: readonly string[]): Check {
  return (value, path, problems) => {
    if (typeof value === 'string' && words.includes(value)) return
    problems.push({ path, message: `must be one of ${words.join(', ')}; not ${show(value)}` })
  }
}

function listOf(check: Check): Check {
  return (value, path, problems) => {
    if (!Array.isArray(value) || value.length > MAX_LIST) {
      problems.push({ path, message: `must be a list of at most ${MAX_LIST}` })
      return
    }
    for (const [index, one] of value.entries()) check(one, `${path}[${index}]`, problems)
  }
}

function oneOrMore(check: Check): Check {
  const list = listOf(check)
  return (value, path, problems) => (Array.isArray(value) ? list : check)(value, path, problems)
}

function mapOf(check: Check): Check {
  return (value, path, problems) => {
    if (!isObject(value) || Object.keys(value).length > MAX_LIST) {
      problems.push({ path, message: `must be an object with at most ${MAX_LIST} members` })
      return
    }
    for (const [name, one] of Object.entries(value)) check(one, `${path}.${name}`, problems)
  }
}

function shape(members: { readonly [name: string]: Check }, needed: readonly string[] = []): Check {
  return (value, path, problems) => {
    if (!isObject(value)) {
      problems.push({ path, message: 'must be an object' })
      return
    }
    checkMembers(value, members, path, problems)
    for (const name of needed) {
      if (value[name] === undefined) problems.push({ path: `${path}.${name}`, message: 'is missing' })
    }
  }
}

const condition: Check = (value, path, problems) => {
  text(value, path, problems)
  if (typeof value !== 'string') return
  try {
    createCedarCondition(value)
  } catch (error) {
    problems.push({ path, message: error instanceof Error ? error.message : 'is no condition' })
  }
}

const VALUE_TEST = shape({
  equals: anything,
  oneOf: listOf(anything),
  glob,
  prefix: text,
  range: shape({ min: number, max: number }),
  under: text,
})

const RULE: { readonly [member in keyof Required<Rule>]: Check } = {
  id: identifier,
  outcome: word(['allow', 'ask', 'deny']),
  because: text,
  effect: oneOrMore(word(EFFECT_KINDS)),
  server: oneOrMore(glob),
  item: oneOrMore(glob),
  from: oneOrMore(glob),
  arguments: mapOf((value, path, problems) => {
    VALUE_TEST(value, path, problems)
    if (isObject(value) && Object.keys(value).length === 0) problems.push({ path, message: 'tests nothing' })
  }),
  annotations: shape({ readOnly: flag, destructive: flag, openWorld: flag }),
  principal: shape({ id: glob, roles: listOf(text), claims: mapOf(anything) }),
  time: shape({ days: listOf(word(WEEKDAYS)), from: clock, to: clock, zone }),
  count: shape({ max: whole, per: word(['session', 'hour', 'day']) }, ['max', 'per']),
  when: condition,
  shadow: flag,
  review: flag,
  evenIfTainted: flag,
}

function checkMembers(
  value: JsonObject,
  members: { readonly [name: string]: Check },
  path: string,
  problems: RuleProblem[],
): void {
  refuseUnknown(value, Object.keys(members), path, problems)
  for (const [name, check] of Object.entries(members)) {
    if (value[name] !== undefined && Object.hasOwn(value, name)) check(value[name], `${path}.${name}`, problems)
  }
}

function refuseUnknown(value: JsonObject, known: readonly string[], path: string, problems: RuleProblem[]): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const message = `is not known; there are ${known.join(', ')}`
    problems.push({ path: path === '' ? name : `${path}.${name}`, message })
  }
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((one) => isTooDeep(one, left - 1))
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 50)}"` : typeof value
}
