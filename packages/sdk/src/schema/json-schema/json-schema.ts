/**
 * JSON Schema 2020-12 and draft-07, compiled once into a tree of functions and run without generating code. Schemas and
 * values may be hostile: what is unbounded or unresolvable is refused here, at compile time, and the rest runs under the
 * budget of `json-schema-state.ts`. `schema.ts` is the door to this folder; keywords live beside this file by kind.
 */

import { invalidDefinition, PorticoError } from '../../jsonrpc/errors.ts'
import { compilePattern, type Pattern } from '../pattern/pattern.ts'
import { contains, itemCounts, items, unevaluatedItems } from './json-schema-arrays.ts'
import type { Issue } from './json-schema-issues.ts'
import { LimitReached, SCHEMA_LIMITS, type SchemaLimits, TRUSTED_VALIDATION_STEPS } from './json-schema-limits.ts'
import { allOf, anyOf, conditional, dynamicReference, not, oneOf, reference } from './json-schema-logic.ts'
import { dependents, memberCounts, properties, propertyNames, unevaluatedProperties } from './json-schema-objects.ts'
import { DEFAULT_BASE, isSchemaObject, type SchemaObject } from './json-schema-place.ts'
import { compilePlainObject } from './json-schema-plain.ts'
import { type Resource, SchemaIndex } from './json-schema-refs.ts'
import { numbers, strings, type, values } from './json-schema-scalars.ts'
import { type Formats, type Keywords, readEntries, type Site } from './json-schema-site.ts'
import { type Check, createMarks, type Node, type Scope, State } from './json-schema-state.ts'

export { formatIssues, type Issue } from './json-schema-issues.ts'

export interface JsonSchemaOptions extends SchemaLimits {
  /** The schema is your own: patterns may use lookaround and backreferences, which can be slow on hostile text. */
  readonly trusted?: boolean
  /** Asserts these values of `format` (`json-schema-formats.ts`) instead of only noting them. */
  readonly formats?: Formats
  /** Further schema documents by their URI, for `$ref`s that lead out of this one. Nothing is ever fetched. */
  readonly documents?: { readonly [uri: string]: unknown }
}

export interface JsonSchemaValidator {
  /** What is wrong with the value, or undefined if nothing is. */
  validate(value: unknown): Issue[] | undefined
}

/** Throws `invalid-definition` for a schema that is malformed or unresolvable, `limit-exceeded` for one that is too big. */
export function compileJsonSchema(schema: unknown, options: JsonSchemaOptions = {}): JsonSchemaValidator {
  const root = compileRoot(schema, options)
  const maxDepth = options.maxValueDepth ?? SCHEMA_LIMITS.maxValueDepth
  const usual = options.trusted === true ? TRUSTED_VALIDATION_STEPS : SCHEMA_LIMITS.maxValidationSteps
  const steps = options.maxValidationSteps ?? usual
  const fits = maxDepth > 0 ? compilePlainObject(schema, steps) : undefined
  // One state serves all validations, except when one is started inside another by a getter of the value.
  let idle: State | undefined
  return {
    validate(value) {
      if (fits?.(value)) return undefined
      const state = idle ?? new State(maxDepth, steps)
      idle = undefined
      try {
        const issues = state.enter(root, value) ? undefined : state.issues
        state.reset()
        idle = state
        return issues
      } catch (error) {
        // A caller deep in its own recursion leaves less stack than the nesting bound counts on: a limit as well.
        if (!(error instanceof LimitReached || error instanceof RangeError)) throw error
        const message = error instanceof LimitReached ? error.reason : 'the value nests too deep for this place'
        return [{ path: [], message, keyword: 'limit' }]
      }
    },
  }
}

function compileRoot(schema: unknown, options: JsonSchemaOptions): Node {
  try {
    return new Compiler(options).compile(schema)
  } catch (error) {
    // A `const` or `enum` value may pass a bound as well.
    throw error instanceof LimitReached ? new PorticoError('limit-exceeded', error.reason) : error
  }
}

/** In the order in which they run: what is cheap and telling first, what reads the marks of the others last. */
const KEYWORDS: readonly Keywords[] = [
  values,
  numbers,
  strings,
  memberCounts,
  properties,
  propertyNames,
  itemCounts,
  items,
  reference,
  dynamicReference,
  allOf,
  anyOf,
  oneOf,
  not,
  conditional,
  dependents,
  contains,
]
const NEWER: readonly Keywords[] = [unevaluatedItems, unevaluatedProperties]

const ACCEPT: Node = { run: () => true }
const REFUSE: Node = { run: (_value, state) => state.fail('false', 'is not allowed here') }

class Compiler {
  readonly #options: JsonSchemaOptions
  readonly #index: SchemaIndex
  readonly #nodes = new Map<Resource, Map<object, Node>>()
  readonly #patterns = new Map<string, Pattern>()
  #patternSize = 0
  /** Work still to do. A queue rather than recursion, so that no chain of references can use up the stack. */
  readonly #queue: { schema: SchemaObject; resource: Resource; node: Node }[] = []

  constructor(options: JsonSchemaOptions) {
    this.#options = options
    this.#index = new SchemaIndex(
      options.maxSchemaDepth ?? SCHEMA_LIMITS.maxSchemaDepth,
      options.maxSubschemas ?? SCHEMA_LIMITS.maxSubschemas,
    )
  }

  compile(schema: unknown): Node {
    const located = this.#index.add(schema, DEFAULT_BASE)
    for (const [uri, document] of Object.entries(this.#options.documents ?? {})) this.#index.add(document, uri)
    const root = this.#node(schema, located.resource)
    this.#drain()
    if (this.#index.dynamic) this.#keepScope()
    return root
  }

  /** The node of a subschema that stands in `parent`; its keywords are compiled when the queue gets there. */
  #node(schema: unknown, parent: Resource): Node {
    if (schema === true) return ACCEPT
    if (schema === false) return REFUSE
    if (!isSchemaObject(schema)) throw invalidDefinition('a schema must be an object or a boolean')
    const resource = this.#index.resourceOf(schema, parent)
    const nodes = this.#nodes.get(resource) ?? new Map<object, Node>()
    this.#nodes.set(resource, nodes)
    let node = nodes.get(schema)
    if (node === undefined) {
      node = { run: ACCEPT.run }
      nodes.set(schema, node)
      this.#queue.push({ schema, resource, node })
    }
    return node
  }

  #drain(): void {
    for (let i = 0; i < this.#queue.length; i++) {
      const { schema, resource, node } = this.#queue[i]!
      node.run = this.#build(schema, this.#site(resource))
    }
    this.#queue.length = 0
  }

  #build(schema: SchemaObject, site: Site): Check {
    // Definitions are compiled even if nothing refers to them, so that a faulty one is refused now and not later.
    for (const key of ['$defs', 'definitions']) {
      for (const [, child] of readEntries(schema, key) ?? []) site.child(child)
    }
    if (site.dialect === 'draft-07') {
      return reference(schema, site) ?? inOrder(type(schema, site), toChecks(KEYWORDS, schema, site))
    }
    const checks = toChecks(KEYWORDS, schema, site)
    const last = toChecks(NEWER, schema, site)
    const check = inOrder(type(schema, site), [...checks, ...last])
    return last.length === 0 ? check : withMarks(check)
  }

  #site(resource: Resource): Site {
    return {
      dialect: resource.dialect,
      formats: this.#options.formats,
      child: (schema) => this.#node(schema, resource),
      refer: (address) => this.#refer(address, resource),
      referDynamic: (address) => this.#referDynamic(address, resource),
      pattern: (source) => this.#pattern(source),
    }
  }

  #refer(address: string, from: Resource): Node {
    const target = this.#index.resolve(address, from)
    return this.#node(target.schema, target.resource)
  }

  #referDynamic(address: string, from: Resource): Check {
    const { anchor, resource, schema } = this.#index.resolve(address, from)
    const nearest = this.#node(schema, resource)
    if (anchor === undefined || !resource.dynamic.has(anchor)) return (value, state) => state.apply(nearest, value)
    return (value, state) => {
      let node = nearest
      // The outermost scope that knows the name decides.
      for (let scope = state.scope; scope !== undefined; scope = scope.outer) {
        state.budget.spend(1)
        node = scope.anchors.get(anchor) ?? node
      }
      return state.apply(node, value)
    }
  }

  #pattern(source: string): Pattern {
    let pattern = this.#patterns.get(source)
    if (pattern === undefined) {
      pattern = compilePattern(source, {
        trusted: this.#options.trusted,
        maxPatternSize: this.#options.maxPatternSize,
        used: this.#patternSize,
      })
      this.#patternSize += pattern.size
      this.#patterns.set(source, pattern)
    }
    return pattern
  }

  /** Makes every node note the resource it belongs to. Only schemas with a `$dynamicRef` pay for it. */
  #keepScope(): void {
    const anchors = new Map<Resource, Map<string, Node>>()
    // The loop also meets the resources that compiling an anchor leads to.
    for (const resource of this.#nodes.keys()) {
      const named = new Map<string, Node>()
      for (const name of resource.dynamic) named.set(name, this.#node(resource.anchors.get(name)!.schema, resource))
      anchors.set(resource, named)
      this.#drain()
    }
    for (const [resource, nodes] of this.#nodes) {
      for (const node of nodes.values()) node.run = withScope(node.run, anchors.get(resource) ?? new Map())
    }
  }
}

function toChecks(keywords: readonly Keywords[], schema: SchemaObject, site: Site): Check[] {
  return keywords.map((compile) => compile(schema, site)).filter((check) => check !== undefined)
}

/** A value of the wrong type is reported as that alone. */
function inOrder(first: Check | undefined, rest: readonly Check[]): Check {
  if (rest.length === 0) return first ?? ACCEPT.run
  const second = rest[0]!
  if (rest.length === 1) {
    return first === undefined ? second : (value, state) => first(value, state) && second(value, state)
  }
  return (value, state) => {
    if (first !== undefined && !first(value, state)) return false
    let ok = true
    for (let i = 0; i < rest.length; i++) {
      if (rest[i]!(value, state)) continue
      if (state.done) return false
      ok = false
    }
    return ok
  }
}

/** Gives a schema with `unevaluated…` keywords marks of its own, which an outer one then takes over. */
function withMarks(check: Check): Check {
  return (value, state) => {
    const outer = state.marks
    const marks = createMarks()
    state.marks = marks
    const ok = check(value, state)
    state.marks = outer
    if (ok && outer !== undefined) state.merge(outer, marks)
    return ok
  }
}

function withScope(check: Check, anchors: Scope['anchors']): Check {
  return (value, state) => {
    const outer = state.scope
    if (outer?.anchors === anchors) return check(value, state)
    state.scope = { anchors, outer }
    const ok = check(value, state)
    state.scope = outer
    return ok
  }
}
