/**
 * Measures what an operation asks for: how deep it goes, and how many values it may bring, with fragments unfolded,
 * aliases counted each, and lists multiplied by the size that is asked for. Stops at the limits, whatever the input.
 */

import { ToolError } from '@portico/sdk/server'
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'

export interface Measure {
  readonly depth: number
  readonly cost: number
}

interface MeasureLimits {
  readonly maxDepth: number
  readonly maxCost: number
  /** How many items a list is taken to have when the document does not say. */
  readonly defaultListSize: number
}

interface MeasuredOperation {
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: { readonly [name: string]: unknown }
}

export function measureOperation(
  schema: GraphQLSchema,
  { operation, fragments, variables }: MeasuredOperation,
  limits: MeasureLimits,
): Measure {
  const ruler = new Ruler(schema, fragments, withDefaults(operation, variables), limits)
  const root = schema.getRootType(operation.operation) ?? undefined
  ruler.add(operation.selectionSet, root, { depth: 1, times: 1, size: undefined })
  return { depth: ruler.depth, cost: ruler.cost }
}

interface Position {
  readonly depth: number
  /** How often this selection may occur in the answer. */
  readonly times: number
  /** The size that a field above asked for, for the list that lies below it: `users(first: 5) { edges { … } }`. */
  readonly size: number | undefined
}

/** A document may name the same fragment again and again: what is walked is bounded, too. */
const MAX_STEPS = 20_000
const SIZE_ARGUMENTS = new Set([
  'first',
  'last',
  'limit',
  'size',
  'pageSize',
  'perPage',
  'per_page',
  'count',
  'take',
  'top',
])

class Ruler {
  depth = 0
  cost = 0
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #variables: ReadonlyMap<string, unknown>
  readonly #limits: MeasureLimits
  readonly #open = new Set<string>()
  #steps = 0

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: ReadonlyMap<string, unknown>,
    limits: MeasureLimits,
  ) {
    this.#schema = schema
    this.#fragments = fragments
    this.#variables = variables
    this.#limits = limits
  }

  add({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined, at: Position): void {
    for (const node of selections) {
      if (++this.#steps > MAX_STEPS) throw new ToolError('The document unfolds into too many fields. Ask for fewer.')
      if (node.kind === Kind.FIELD) this.#addField(node, parent, at)
      else if (node.kind === Kind.INLINE_FRAGMENT) {
        this.add(node.selectionSet, this.#typeNamed(node.typeCondition?.name.value) ?? parent, at)
      } else this.#addFragment(node.name.value, parent, at)
    }
  }

  #addFragment(name: string, parent: GraphQLNamedType | undefined, at: Position): void {
    const fragment = this.#fragments.get(name)
    if (fragment === undefined) return
    if (this.#open.has(name)) throw new ToolError(`The fragment ${name} contains itself.`)
    this.#open.add(name)
    this.add(fragment.selectionSet, this.#typeNamed(fragment.typeCondition.name.value) ?? parent, at)
    this.#open.delete(name)
  }

  #addField(node: FieldNode, parent: GraphQLNamedType | undefined, at: Position): void {
    const { maxDepth, maxCost, defaultListSize } = this.#limits
    this.depth = Math.max(this.depth, at.depth)
    this.cost += at.times
    if (at.depth > maxDepth) throw new ToolError(`The document is more than ${maxDepth} levels deep (option maxDepth).`)
    if (this.cost > maxCost) {
      throw new ToolError(
        `The document may bring more than ${maxCost} values (option maxCost). Ask for fewer fields, or give lists a small "first" or "limit".`,
      )
    }
    if (node.selectionSet === undefined) return
    const type = fieldType(parent, node.name.value)
    const asked = this.#sizeOf(node)
    // Fields that the schema does not have are told by validation; until then they count once.
    const isList = type !== undefined && isListed(type)
    const times = isList ? at.times * Math.max(1, asked ?? at.size ?? defaultListSize) : at.times
    const below = type === undefined ? undefined : getNamedType(type)
    const size = isList ? undefined : (asked ?? at.size)
    this.add(node.selectionSet, below, { depth: at.depth + 1, times, size })
  }

  /** The largest size among the arguments, also where they are gathered in one object: `page: { limit: 50 }`. */
  #sizeOf({ arguments: given = [] }: FieldNode): number | undefined {
    const sizes = given.flatMap(({ name, value }) => {
      const plain = this.#plain(value)
      if (SIZE_ARGUMENTS.has(name.value)) return [plain]
      if (typeof plain !== 'object' || plain === null) return []
      return Object.entries(plain).flatMap(([member, size]) => (SIZE_ARGUMENTS.has(member) ? [size] : []))
    })
    const known = sizes.filter((size) => typeof size === 'number' && size >= 0).map((size) => Math.floor(Number(size)))
    return known.length === 0 ? undefined : Math.max(...known)
  }

  /** A number, or an object whose members are looked at. */
  #plain(value: ValueNode): unknown {
    if (value.kind === Kind.INT) return Number(value.value)
    if (value.kind === Kind.VARIABLE) return this.#variables.get(value.name.value)
    if (value.kind !== Kind.OBJECT) return undefined
    return Object.fromEntries(
      value.fields.map((field) => [
        field.name.value,
        field.value.kind === Kind.OBJECT ? undefined : this.#plain(field.value),
      ]),
    )
  }

  #typeNamed(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.#schema.getType(name)
  }
}

function fieldType(parent: GraphQLNamedType | undefined, name: string): GraphQLOutputType | undefined {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined
  const fields = parent.getFields()
  return Object.hasOwn(fields, name) ? fields[name]?.type : undefined
}

function isListed(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}

function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: { readonly [name: string]: unknown },
): ReadonlyMap<string, unknown> {
  const defaults = variableDefinitions.map(({ variable, defaultValue }): [string, unknown] => [
    variable.name.value,
    defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : undefined,
  ])
  return new Map([...defaults, ...Object.entries(given)])
}
