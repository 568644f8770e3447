/**
 * What one validation carries from keyword to keyword: the issues so far, the budget, the marks that the
 * `unevaluated…` keywords read, and the dynamic scope. A compiled schema is a tree of `Check` functions over it.
 */

import type { Issue } from './json-schema-issues.ts'
import { Budget, LimitReached } from './json-schema-limits.ts'

/** True when the value passes. On failure an issue has been added, unless the state is quiet. */
export type Check = (value: unknown, state: State) => boolean

/** A subschema's compiled form. Filled after creation, since schemas may refer to each other in circles. */
export interface Node {
  run: Check
}

/** The schema resources entered on the way to here, innermost first; `$dynamicRef` looks through them. */
export interface Scope {
  readonly anchors: ReadonlyMap<string, Node>
  readonly outer: Scope | undefined
}

/** Which members and items of the present object or array some keyword has looked at. */
interface Marks {
  allKeys: boolean
  allItems: boolean
  /** Items below this index. */
  items: number
  readonly keys: Set<string>
  readonly scattered: Set<number>
}

/** More issues than this help nobody, and hostile values could make millions. */
const MOST_ISSUES = 32
/**
 * Checks nested in checks, whether or not the value gets deeper; keeps `{"$ref": "#"}` off the end of the stack.
 * Far above what a value within `maxValueDepth` and an ordinary schema come to.
 */
const MOST_NESTED = 1_000

export class State {
  issues: Issue[] = []
  readonly budget: Budget
  /** Above zero inside `anyOf`, `not`, `if` and the like: only whether it is valid counts, so stop at the first failure. */
  quiet = 0
  marks: Marks | undefined = undefined
  scope: Scope | undefined = undefined
  #depth = 0
  #nested = 0
  readonly #maxDepth: number

  constructor(maxDepth: number, steps: number) {
    this.#maxDepth = maxDepth
    this.budget = new Budget(steps)
  }

  /** Makes the state ready for another validation after one that ran to its end. */
  reset(): void {
    if (this.issues.length > 0) this.issues = []
    this.budget.reset()
  }

  fail(keyword: string, message: string, missing?: string): false {
    if (this.quiet > 0 || this.issues.length >= MOST_ISSUES) return false
    this.issues.push(missing === undefined ? { path: [], message, keyword } : { path: [], message, keyword, missing })
    return false
  }

  /** Whether looking further is pointless after a failure. */
  get done(): boolean {
    return this.quiet > 0 || this.issues.length >= MOST_ISSUES
  }

  /** Checks a member or item. Paths are put together on the way out of a failure, so that success costs nothing. */
  descend(node: Node, value: unknown, key: string | number): boolean {
    const { marks, issues } = this
    const before = issues.length
    if (++this.#depth > this.#maxDepth) {
      throw new LimitReached(`the value nests deeper than ${this.#maxDepth} (maxValueDepth)`)
    }
    this.marks = undefined
    const ok = this.enter(node, value)
    this.marks = marks
    this.#depth--
    if (!ok) for (let i = before; i < issues.length; i++) issues[i]!.path.unshift(key)
    return ok
  }

  /** Checks the same value against a further schema; what that looked at counts only if it passes. */
  apply(node: Node, value: unknown): boolean {
    const outer = this.marks
    if (outer === undefined) return this.enter(node, value)
    this.marks = createMarks()
    const ok = this.enter(node, value)
    if (ok) this.merge(outer, this.marks)
    this.marks = outer
    return ok
  }

  /** Like `apply`, for whether it is valid alone. */
  probe(node: Node, value: unknown): boolean {
    this.quiet++
    const ok = this.apply(node, value)
    this.quiet--
    return ok
  }

  merge(into: Marks, from: Marks): void {
    this.budget.spend(from.keys.size + from.scattered.size)
    into.allKeys ||= from.allKeys
    into.allItems ||= from.allItems
    into.items = Math.max(into.items, from.items)
    for (const key of from.keys) into.keys.add(key)
    for (const index of from.scattered) into.scattered.add(index)
  }

  enter(node: Node, value: unknown): boolean {
    this.budget.spend(1)
    if (++this.#nested > MOST_NESTED) {
      throw new LimitReached('the schema refers to itself without end on this value')
    }
    const ok = node.run(value, this)
    this.#nested--
    return ok
  }
}

export function createMarks(): Marks {
  return { allKeys: false, allItems: false, items: 0, keys: new Set(), scattered: new Set() }
}

/** Own members only, whatever their name; a member that is undefined is absent, as it will be on the wire. */
export function ownValue(object: object, key: string): unknown {
  const value = (object as { [key: string]: unknown })[key]
  // Looking first and asking after is the quicker order, since most lookups find what is there or nothing.
  return value === undefined || Object.hasOwn(object, key) ? value : undefined
}

/**
 * A string that two JSON values share exactly when JSON Schema calls them equal. Makes `uniqueItems`, `enum` and
 * `const` linear where comparing pairs would not be.
 */
export function toCanonical(value: unknown, budget?: Budget, depth = 0): string {
  budget?.spend(1)
  if (depth > DEEPEST_EQUAL) throw new LimitReached(`a value to compare nests deeper than ${DEEPEST_EQUAL} levels`)
  if (typeof value === 'string') {
    budget?.spend(value.length >> 4)
    return JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) return value === 0 ? '0' : String(value)
  if (Array.isArray(value)) return `[${value.map((item) => toCanonical(item, budget, depth + 1)).join()}]`
  const parts: string[] = []
  for (const key of Object.keys(value).sort()) {
    const member = ownValue(value, key)
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${toCanonical(member, budget, depth + 1)}`)
  }
  return `{${parts.join()}}`
}

const DEEPEST_EQUAL = 256
