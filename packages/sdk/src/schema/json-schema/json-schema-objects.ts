/** The keywords that look at an object's members. Only own members count, under whatever name. */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { quote } from './json-schema-issues.ts'
import { isSchemaObject, type SchemaObject } from './json-schema-place.ts'
import { isNames, type Keywords, readChild, readCount, readEntries, readNames, type Site } from './json-schema-site.ts'
import { type Node, ownValue, type State } from './json-schema-state.ts'

export const memberCounts: Keywords = (schema) => {
  const fewest = readCount(schema, 'minProperties') ?? 0
  const most = readCount(schema, 'maxProperties') ?? Infinity
  if (fewest === 0 && most === Infinity) return undefined
  return (value, state) => {
    if (!isSchemaObject(value)) return true
    const count = keysOf(value, state).length
    if (count < fewest) return state.fail('minProperties', `must have at least ${fewest} properties, got ${count}`)
    if (count > most) return state.fail('maxProperties', `must have at most ${most} properties, got ${count}`)
    return true
  }
}

/** `dependentRequired`, `dependentSchemas`, and draft-07's `dependencies`, which is both. */
export const dependents: Keywords = (schema, site) => {
  const needs: [string, readonly string[]][] = []
  const nodes: [string, Node][] = []
  const keywords = site.dialect === 'draft-07' ? ['dependencies'] : ['dependentRequired', 'dependentSchemas']
  for (const keyword of keywords) {
    for (const [key, need] of readEntries(schema, keyword) ?? []) {
      if (keyword !== 'dependentSchemas' && isNames(need)) needs.push([key, need])
      else if (keyword !== 'dependentRequired') nodes.push([key, site.child(need)])
      else throw invalidDefinition('the members of "dependentRequired" must be arrays of strings')
    }
  }
  if (needs.length + nodes.length === 0) return undefined
  return (value, state) => {
    if (!isSchemaObject(value)) return true
    let ok = true
    for (const [key, names] of needs) {
      if (ownValue(value, key) === undefined) continue
      ok = hasAll(value, names, key, state) && ok
    }
    for (const [key, node] of nodes) {
      if (ownValue(value, key) !== undefined) ok = state.apply(node, value) && ok
      if (!ok && state.done) return false
    }
    return ok
  }
}

export const propertyNames: Keywords = (schema, site) => {
  const node = readChild(schema, 'propertyNames', site)
  if (node === undefined) return undefined
  return (value, state) => {
    if (!isSchemaObject(value)) return true
    for (const key of keysOf(value, state)) {
      if (!state.descend(node, key, key)) return false
    }
    return true
  }
}

/**
 * `properties`, `required`, `patternProperties` and `additionalProperties`, in one walk: they share the lookups and the
 * knowledge of what is left over.
 */
export const properties: Keywords = (schema, site) => {
  const members = readMembers(schema, site)
  const patterns = (readEntries(schema, 'patternProperties') ?? []).map(
    ([source, child]) => [site.pattern(source), site.child(child)] as const,
  )
  const rest = readChild(schema, 'additionalProperties', site)
  if (members.length === 0 && patterns.length === 0 && rest === undefined) return undefined
  const known = new Set(members.filter(({ node }) => node !== undefined).map(({ key }) => key))
  const isOpen = rest === undefined || schema.additionalProperties === true
  const isClosed = schema.additionalProperties === false
  return (value, state) => {
    if (!isSchemaObject(value)) return true
    const found = eachMember(value, members, state)
    let ok = found >= 0
    if (!ok && state.done) return false
    if (patterns.length > 0 || !isOpen) {
      // When every key was among the named ones there is nothing left over.
      const isAllKnown = patterns.length === 0 && Object.keys(value).length === found
      if (!isAllKnown) ok = eachOther(value, keysOf(value, state), state) && ok
    }
    if (rest !== undefined && state.marks !== undefined) state.marks.allKeys = true
    return ok
  }

  function eachOther(value: SchemaObject, keys: readonly string[], state: State): boolean {
    let ok = true
    for (const key of keys) {
      let matched = known.has(key)
      for (const [pattern, node] of patterns) {
        if (!pattern.test(key, state.budget)) continue
        matched = true
        state.marks?.keys.add(key)
        ok = state.descend(node, value[key], key) && ok
      }
      if (!matched && rest !== undefined) {
        if (isClosed) ok = unknown('additionalProperties', key, state)
        else ok = state.descend(rest, value[key], key) && ok
      }
      if (!ok && state.done) return false
    }
    return ok
  }
}

/** Runs after every other keyword of its schema, when the marks are complete. */
export const unevaluatedProperties: Keywords = (schema, site) => {
  const node = readChild(schema, 'unevaluatedProperties', site)
  if (node === undefined) return undefined
  const isClosed = schema.unevaluatedProperties === false
  return (value, state) => {
    const marks = state.marks
    if (marks === undefined || marks.allKeys || !isSchemaObject(value)) return true
    let ok = true
    for (const key of keysOf(value, state)) {
      if (marks.keys.has(key)) continue
      if (isClosed) ok = unknown('unevaluatedProperties', key, state)
      else ok = state.descend(node, value[key], key) && ok
      if (!ok && state.done) return false
    }
    marks.allKeys = true
    return ok
  }
}

/** A name from `properties`, `required` or both. */
interface Member {
  readonly key: string
  readonly node: Node | undefined
  readonly isRequired: boolean
}

function readMembers(schema: SchemaObject, site: Site): Member[] {
  const required = new Set(readNames(schema, 'required'))
  const nodes = new Map((readEntries(schema, 'properties') ?? []).map(([key, child]) => [key, site.child(child)]))
  return [...new Set([...nodes.keys(), ...required])].map((key) => ({
    key,
    node: nodes.get(key),
    isRequired: required.has(key),
  }))
}

/** How many members with a schema were found, or -1 if anything is wrong. */
function eachMember(value: SchemaObject, members: readonly Member[], state: State): number {
  let found = 0
  let ok = true
  state.budget.spend(members.length)
  for (let i = 0; i < members.length; i++) {
    const { key, node, isRequired } = members[i]!
    const member = ownValue(value, key)
    if (member === undefined) {
      if (!isRequired) continue
      if (state.quiet > 0) return -1
      ok = state.fail('required', `missing required property ${quote(key)}`, key)
    } else if (node !== undefined) {
      found++
      state.marks?.keys.add(key)
      if (state.descend(node, member, key)) continue
      if (state.done) return -1
      ok = false
    }
  }
  return ok ? found : -1
}

function hasAll(value: object, names: readonly string[], because: string, state: State): boolean {
  state.budget.spend(names.length)
  const missing = names.find((name) => ownValue(value, name) === undefined)
  if (missing === undefined || state.quiet > 0) return missing === undefined
  return state.fail('dependentRequired', `missing required property ${quote(missing)}, which ${quote(because)} needs`)
}

function unknown(keyword: string, key: string, state: State): false {
  return state.quiet > 0 ? false : state.fail(keyword, `unknown property ${quote(key)}`)
}

/** The names of the members that are there; one that is undefined is not, as on the wire. */
function keysOf(value: { readonly [key: string]: unknown }, state: State): string[] {
  const keys = Object.keys(value)
  state.budget.spend(keys.length)
  for (let i = 0; i < keys.length; i++) {
    if (value[keys[i]!] === undefined) return keys.filter((key) => value[key] !== undefined)
  }
  return keys
}
