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
} from 'graphql'
import { argumentsOf, type OutputField, sizesOf, toPlain } from './list-sizes.ts'

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
    const field = fieldOf(parent, node.name.value)
    const type = field?.type
    const { asked, listed } = sizesOf(argumentsOf(node, field, this.#variables))
    // Fields that the schema does not have are told by validation; until then they count once.
    const isList = type !== undefined && isListed(type)
    const times = isList ? at.times * Math.max(1, asked ?? at.size ?? defaultListSize, listed) : at.times
    const below = type === undefined ? undefined : getNamedType(type)
    const size = isList ? undefined : (asked ?? at.size)
    this.add(node.selectionSet, below, { depth: at.depth + 1, times, size })
  }

  #typeNamed(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.#schema.getType(name)
  }
}

function fieldOf(parent: GraphQLNamedType | undefined, name: string): OutputField | undefined {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined
  const fields = parent.getFields()
  return Object.hasOwn(fields, name) ? fields[name] : undefined
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
    defaultValue === undefined ? undefined : toPlain(defaultValue, new Map()),
  ])
  return new Map([...defaults, ...Object.entries(given)])
}
