/**
 * What `views` may return. A rule of another form would show what it was written to keep out of view, so it shows
 * nothing, and whoever runs the gateway is told once what to write instead.
 */

import type { Principal } from '@portico/sdk/server'
import { catchStrayPromise } from '../../config/call-listener.ts'

/** What a principal may see. Patterns match whole names, `*` stands for any characters. */
export interface ViewRule {
  /** Servers in view; all unless given. */
  readonly servers?: readonly string[]
  /** Items in view, by the catalogue's names and URIs; all unless given. */
  readonly items?: readonly string[]
  /** Items out of view, whatever the others say. */
  readonly hidden?: readonly string[]
  /** Shows three tools that search, describe and call the others, in place of them all. */
  readonly search?: boolean
}

/** Undefined shows nothing, and so does what is no rule. The answer is needed at once: it cannot be a promise. */
export type Views = (principal: Principal | undefined) => ViewRule | undefined

type Report = (error: unknown) => void

const LISTS: ReadonlySet<string> = new Set(['servers', 'items', 'hidden'])
const WRITE = 'return { servers, items, hidden, search }, undefined for nothing or {} for everything'

/** The same answers, with undefined in place of what is no rule. */
export function checkedViews(views: Views, report: Report): Views {
  const once = reportOnce(report)
  const known = new WeakSet<object>()
  return (principal) => {
    const rule: unknown = views(principal)
    if (rule === undefined || (rule !== null && typeof rule === 'object' && known.has(rule))) {
      return rule as ViewRule | undefined
    }
    const problem = problemOf(rule, once)
    if (problem === undefined) {
      known.add(rule as ViewRule)
      return rule as ViewRule
    }
    once(new TypeError(`views returned ${problem}: nothing is shown. ${WRITE}`))
    return undefined
  }
}

/** A yes or no of the program's; what is neither counts as no. */
export function checkedChoice<T>(name: string, choose: (value: T) => boolean, report: Report): (value: T) => boolean {
  const once = reportOnce(report)
  return (value) => {
    const chosen: unknown = choose(value)
    if (typeof chosen === 'boolean') return chosen
    const what = catchStrayPromise(chosen, once) ? 'a promise' : `a value of type ${typeof chosen}`
    once(new TypeError(`${name} returned ${what}, which counts as false. Return true or false, without async`))
    return false
  }
}

function problemOf(rule: unknown, report: Report): string | undefined {
  if (catchStrayPromise(rule, report)) return 'a promise (look up what it needs before, without async)'
  if (!isPlain(rule)) return Array.isArray(rule) ? 'a list' : 'what is no plain object'
  for (const [key, value] of Object.entries(rule)) {
    if (LISTS.has(key)) {
      const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
      if (!isList) return `"${key}" that is no list of texts (leave it out for all)`
    } else if (key !== 'search') return `the unknown member "${key.slice(0, 100)}"`
    else if (value !== undefined && typeof value !== 'boolean') return '"search" that is neither true nor false'
  }
  return undefined
}

/** Members that come from elsewhere than the object itself would not be seen here. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const made: unknown = Object.getPrototypeOf(value)
  return made === null || Object.getPrototypeOf(made) === null
}

const MAX_REPORTS = 100

function reportOnce(report: Report): Report {
  const told = new Set<string>()
  return (error) => {
    const text = String(error)
    if (told.has(text) || told.size >= MAX_REPORTS) return
    told.add(text)
    report(error)
  }
}
