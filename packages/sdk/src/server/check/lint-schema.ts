/**
 * Walks a schema for what some models refuse or silently ignore, and hands every named field to the other rules. What
 * JSON Schema allows is much more than what model interfaces take; the constructs here are those known to fail.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Finding } from './lint-finding.ts'

/** One place in a schema. */
export interface SchemaSite {
  readonly where: string
  /** The property that the schema there describes. */
  readonly property: string | undefined
  readonly schema: JsonObject
  readonly findings: readonly Finding[]
}

const MAX_SITES = 10_000

export function lintSchema(root: unknown, where: string): SchemaSite[] {
  if (!isObject(root)) return []
  const sites: SchemaSite[] = []
  const queue: { where: string; property: string | undefined; schema: JsonObject }[] = [
    { where, property: undefined, schema: root },
  ]
  for (const next of queue) {
    if (sites.length >= MAX_SITES) break
    sites.push({
      ...next,
      findings: [...(next.schema === root ? lintRoot(next.schema, where) : []), ...lintSite(next)],
    })
    for (const child of childrenOf(next.schema, next.where)) queue.push(child)
  }
  return sites
}

type Site = { where: string; property: string | undefined; schema: JsonObject }

function* childrenOf(schema: JsonObject, where: string): Generator<Site> {
  if (isObject(schema.properties)) {
    for (const [property, child] of Object.entries(schema.properties)) {
      if (isObject(child)) yield { where: `${where}.${property}`, property, schema: child }
    }
  }
  for (const keyword of ['$defs', 'definitions']) {
    const named = schema[keyword]
    for (const [name, child] of isObject(named) ? Object.entries(named) : []) {
      if (isObject(child)) yield { where: `${where}.${keyword}.${name}`, property: undefined, schema: child }
    }
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']) {
    const list = schema[keyword]
    for (const [index, child] of Array.isArray(list) ? list.entries() : []) {
      if (isObject(child)) yield { where: `${where}.${keyword}[${index}]`, property: undefined, schema: child }
    }
  }
  for (const keyword of ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains']) {
    const child = schema[keyword]
    if (isObject(child)) yield { where: `${where}.${keyword}`, property: undefined, schema: child }
  }
}

function lintRoot(schema: JsonObject, where: string): Finding[] {
  const found: Finding[] = []
  const union = ['anyOf', 'oneOf', 'allOf'].find((keyword) => schema[keyword] !== undefined)
  if (union !== undefined) {
    const message = `Several models refuse "${union}" at the top of an input schema`
    const fix = 'Make it one object with optional fields and a field that says which case it is, or several tools.'
    found.push({ rule: 'schema-root-union', severity: 'error', where, message, fix })
  }
  if (schema.additionalProperties !== false && isObject(schema.properties)) {
    const message = 'Arguments that nobody defined are accepted, and strict modes refuse the schema'
    const fix = 'Set `additionalProperties: false` (`z.strictObject` in Zod), so that a misspelt argument is an error.'
    found.push({ rule: 'schema-open', severity: 'info', where, message, fix })
  }
  return found
}

function lintSite({ where, property, schema }: Site): Finding[] {
  const found: Finding[] = []
  const add = (rule: string, message: string, fix: string): void => {
    found.push({ rule, severity: 'warning', where, message, fix })
  }
  if (typeof schema.$ref === 'string') {
    add(
      'schema-ref',
      'Several models do not follow "$ref" and see an empty schema',
      'Write the schema out where it is used.',
    )
  }
  if (schema.prefixItems !== undefined || Array.isArray(schema.items)) {
    add('schema-tuple', 'Several models refuse arrays whose places have meanings', 'Use an object with named fields.')
  }
  if (typeof schema.pattern === 'string' && /\(\?(?:[=!]|<[=!])/.test(schema.pattern)) {
    add(
      'schema-lookaround',
      'Patterns that look ahead or behind are refused by constrained decoders',
      'Say it in the description and check it in the handler.',
    )
  }
  if (property !== undefined && !TYPED.some((keyword) => schema[keyword] !== undefined)) {
    add('schema-untyped', `The field "${property}" has no type: anything may arrive`, 'Give it a `type`.')
  }
  return found
}

const TYPED = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', '$dynamicRef']
