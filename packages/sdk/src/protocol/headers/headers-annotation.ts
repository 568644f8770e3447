/**
 * Finds the parameters of a tool that `x-mcp-header` mirrors into headers, and the mistakes that make a tool's
 * definition invalid (2026-07-28, Streamable HTTP, "Schema Extension"; sec-21). Clients leave such a tool out of their
 * lists, servers refuse to define it. Schemas may come from a peer: the walk keeps its own queue and is bounded.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { NAMED_SCHEMAS, SCHEMA_DATA } from '../schema-keywords.ts'

/** One mirrored parameter: `Mcp-Param-{header}` carries the argument at `path`. */
export interface ParamHeader {
  readonly header: string
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

/** Why a schema's annotations are not valid, and where. */
interface HeaderViolation {
  readonly where: string
  readonly reason: string
}

/** The mirrored parameters in the order of the schema, or the first mistake. */
export function collectParamHeaders(inputSchema: JsonObject): ParamHeader[] | HeaderViolation {
  const found: ParamHeader[] = []
  const names = new Set<string>()
  const queue: Node[] = [{ value: inputSchema, step: '#', parent: undefined, property: undefined, reachable: true }]
  for (const node of queue) {
    if (queue.length > MAX_NODES) return violation(node, 'the schema is too large to be checked')
    if (isObject(node.value) && Object.hasOwn(node.value, ANNOTATION)) {
      const header = readAnnotation(node, node.value, names)
      if ('reason' in header) return header
      found.push(header)
    }
    addChildren(node, queue)
  }
  return found
}

const ANNOTATION = 'x-mcp-header'
const MAX_NODES = 100_000
/** `1*tchar` (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

interface Node {
  readonly value: unknown
  readonly step: string
  readonly parent: Node | undefined
  /** The name of the property that this schema describes, when the way here was through `properties`. */
  readonly property: string | undefined
  /** Every step from the root went through `properties`. */
  readonly reachable: boolean
}

function addChildren(node: Node, queue: Node[]): void {
  const { value } = node
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) add(queue, node, item, { step: String(index) })
    return
  }
  if (!isObject(value)) return
  for (const [keyword, member] of Object.entries(value)) {
    if (SCHEMA_DATA.has(keyword) || keyword === ANNOTATION) continue
    if (!NAMED_SCHEMAS.has(keyword) || !isObject(member)) {
      add(queue, node, member, { step: keyword })
      continue
    }
    for (const [name, schema] of Object.entries(member)) {
      add(queue, node, schema, { step: `${keyword}/${name}`, property: keyword === 'properties' ? name : undefined })
    }
  }
}

function add(
  queue: Node[],
  parent: Node,
  value: unknown,
  { step, property }: Pick<Node, 'step'> & Partial<Node>,
): void {
  if (typeof value !== 'object' || value === null) return
  queue.push({ value, step, parent, property, reachable: parent.reachable && property !== undefined })
}

function readAnnotation(node: Node, schema: JsonObject, names: Set<string>): ParamHeader | HeaderViolation {
  const header = schema[ANNOTATION]
  if (node.parent === undefined || !node.reachable) {
    return violation(node, `${ANNOTATION} is only allowed on properties reached through "properties" alone`)
  }
  if (typeof header !== 'string' || header === '') return violation(node, `${ANNOTATION} must be a text, not empty`)
  if (!TOKEN.test(header))
    return violation(node, `${ANNOTATION} must be a header name (letters, digits, !#$%&'*+-.^_\`|~)`)
  const { type } = schema
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return violation(node, `${ANNOTATION} needs the type "string", "integer" or "boolean"`)
  }
  // Header names are the same in every case.
  const name = header.toLowerCase()
  if (names.has(name)) return violation(node, `${ANNOTATION} "${header}" is used twice`)
  names.add(name)
  return { header, path: pathOf(node), type }
}

function pathOf(node: Node): string[] {
  const path: string[] = []
  for (let at: Node | undefined = node; at?.property !== undefined; at = at.parent) path.push(at.property)
  return path.reverse()
}

function violation(node: Node, reason: string): HeaderViolation {
  const steps: string[] = []
  for (let at: Node | undefined = node; at !== undefined && steps.length < 20; at = at.parent) steps.push(at.step)
  return { where: steps.reverse().join('/').slice(0, 300), reason }
}
