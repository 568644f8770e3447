/** The keywords that look at an array's items. */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { type Keywords, readArray, readChild, readCount } from './json-schema-site.ts'
import { type Node, type State, toCanonical } from './json-schema-state.ts'

export const itemCounts: Keywords = (schema) => {
  const fewest = readCount(schema, 'minItems') ?? 0
  const most = readCount(schema, 'maxItems') ?? Infinity
  const unique = schema.uniqueItems === true
  if (fewest === 0 && most === Infinity && !unique) return undefined
  return (value, state) => {
    if (!Array.isArray(value)) return true
    const count = value.length
    if (count < fewest) return state.fail('minItems', `must have at least ${fewest} items, got ${count}`)
    if (count > most) return state.fail('maxItems', `must have at most ${most} items, got ${count}`)
    return !unique || areUnique(value, state)
  }
}

/** `prefixItems` and `items`; in draft-07 `items` with an array, and `additionalItems`. */
export const items: Keywords = (schema, site) => {
  const old = site.dialect === 'draft-07'
  const tuple = old && Array.isArray(schema.items)
  const prefixKey = tuple ? 'items' : 'prefixItems'
  const prefix = ((!old || tuple ? readArray(schema, prefixKey) : undefined) ?? []).map((child) => site.child(child))
  const restKey = tuple ? 'additionalItems' : 'items'
  if (!old && Array.isArray(schema.items)) {
    throw invalidDefinition('"items" must be a schema; use "prefixItems", or say draft-07 in "$schema"')
  }
  const rest = readChild(schema, restKey, site)
  if (prefix.length === 0 && rest === undefined) return undefined
  return (value, state) => {
    if (!Array.isArray(value)) return true
    const end = rest === undefined ? Math.min(prefix.length, value.length) : value.length
    if (schema[restKey] === false && value.length > prefix.length) {
      return state.fail(restKey, `must have at most ${prefix.length} items, got ${value.length}`)
    }
    let ok = true
    for (let i = 0; i < end; i++) {
      const node = i < prefix.length ? prefix[i]! : rest!
      if (state.descend(node, value[i], i)) continue
      if (state.done) return false
      ok = false
    }
    if (state.marks !== undefined) {
      state.marks.items = Math.max(state.marks.items, end)
      state.marks.allItems ||= rest !== undefined
    }
    return ok
  }
}

export const contains: Keywords = (schema, site) => {
  const node = readChild(schema, 'contains', site)
  if (node === undefined) return undefined
  const old = site.dialect === 'draft-07'
  const fewest = (old ? undefined : readCount(schema, 'minContains')) ?? 1
  const most = (old ? undefined : readCount(schema, 'maxContains')) ?? Infinity
  return (value, state) => {
    if (!Array.isArray(value)) return true
    const found = countMatches(value, node, { fewest, most }, state)
    if (found < fewest) return state.fail('contains', `must contain at least ${fewest} matching items, got ${found}`)
    if (found > most) return state.fail('maxContains', `must contain at most ${most} matching items`)
    return true
  }
}

/** Runs after every other keyword of its schema, when the marks are complete. */
export const unevaluatedItems: Keywords = (schema, site) => {
  const node = readChild(schema, 'unevaluatedItems', site)
  if (node === undefined) return undefined
  const isClosed = schema.unevaluatedItems === false
  return (value, state) => {
    const marks = state.marks
    if (marks === undefined || marks.allItems || !Array.isArray(value)) return true
    let ok = true
    for (let i = marks.items; i < value.length; i++) {
      state.budget.spend(1)
      if (marks.scattered.has(i)) continue
      if (isClosed) return state.fail('unevaluatedItems', `item ${i} is not expected`)
      if (state.descend(node, value[i], i)) continue
      if (state.done) return false
      ok = false
    }
    marks.allItems = true
    return ok
  }
}

interface Bounds {
  readonly fewest: number
  readonly most: number
}

/** Stops as soon as the outcome is known, unless the marks have to be complete. */
function countMatches(items: unknown[], node: Node, { fewest, most }: Bounds, state: State): number {
  let found = 0
  state.quiet++
  for (let i = 0; i < items.length; i++) {
    if (!state.descend(node, items[i], i)) continue
    found++
    if (state.marks !== undefined) state.marks.scattered.add(i)
    else if (found > most || (found >= fewest && most === Infinity)) break
  }
  state.quiet--
  return found
}

function areUnique(items: unknown[], state: State): boolean {
  const seen = new Set<unknown>()
  const forms = new Set<string>()
  for (let i = 0; i < items.length; i++) {
    state.budget.spend(1)
    const item = items[i]
    const isPlain = typeof item !== 'object' || item === null
    const key = isPlain ? item : toCanonical(item, state.budget)
    const known = isPlain ? seen : forms
    if (known.has(key as string))
      return state.fail('uniqueItems', `must not repeat items; item ${i} repeats an earlier one`)
    known.add(key as string)
  }
  return true
}
