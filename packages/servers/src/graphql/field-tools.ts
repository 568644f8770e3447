/**
 * One tool for each root field, for schemas that are small: the field's arguments as the tool's, and `select` for what of
 * the result is wanted. The document is put together as a tree, so that no argument can add to it.
 */

import { type AskingContext, type ToolDefinition, ToolError, tool } from '@portico/sdk/server'
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  OperationTypeNode,
  parse,
  parseType,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { GivenDocument } from './document.ts'
import { toInputSchema } from './input-schema.ts'
import { ANSWER_SCHEMA } from './output.ts'

type Kinds = 'query' | 'mutation'
type Run = (kind: Kinds, given: GivenDocument, ctx: AskingContext) => Promise<object>

export function createFieldTools(
  schema: GraphQLSchema,
  kinds: readonly Kinds[],
  run: Run,
): { readonly [name: string]: ToolDefinition } {
  const tools: [string, ToolDefinition][] = []
  for (const kind of kinds) {
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
    for (const field of Object.values(root?.getFields() ?? {}))
      tools.push([`${kind}_${field.name}`, toTool(kind, field, run)])
  }
  return Object.fromEntries(tools)
}

/** How many tools there would be. */
export function countFieldTools(schema: GraphQLSchema, kinds: readonly Kinds[]): number {
  const roots = kinds.map((kind) => (kind === 'query' ? schema.getQueryType() : schema.getMutationType()))
  return roots.reduce((sum, root) => sum + Object.keys(root?.getFields() ?? {}).length, 0)
}

function toTool(kind: Kinds, field: GraphQLField<unknown, unknown>, run: Run): ToolDefinition {
  const args = toInputSchema(field.args)
  const selectable = !isLeafType(getNamedType(field.type))
  const select = {
    type: 'string',
    maxLength: 10_000,
    description: `What of ${field.type} is wanted, as "{ id name }"; its plain fields unless given`,
  }
  // An argument of that name wins; the result then comes with its plain fields.
  const taken = Object.hasOwn(args.properties, 'select')
  const input = {
    type: 'object',
    properties: { ...args.properties, ...(selectable && !taken && { select }) },
    required: args.required,
    additionalProperties: false,
    $defs: args.$defs,
  }
  const isReading = kind === 'query'
  return tool(
    {
      description: `${field.description?.slice(0, 500) ?? `The ${kind} ${field.name}`}\nGives ${field.type}`,
      input,
      output: ANSWER_SCHEMA,
      readOnly: isReading,
      destructive: !isReading,
      idempotent: isReading,
      openWorld: true,
    },
    async (given, ctx) => {
      const { select: wanted, ...rest } = given as { readonly [name: string]: unknown }
      const variables = taken ? { ...(given as object) } : rest
      const selection = selectable && !taken && typeof wanted === 'string' ? readSelection(wanted) : undefined
      const document = toDocument(kind, field, Object.keys(variables), selection)
      return run(kind, { document, variables, operationName: undefined }, ctx as AskingContext) as never
    },
  )
}

function toDocument(
  kind: Kinds,
  field: GraphQLField<unknown, unknown>,
  given: readonly string[],
  selection: SelectionSetNode | undefined,
): string {
  const name = (value: string) => ({ kind: Kind.NAME as const, value })
  const variable = (value: string) => ({ kind: Kind.VARIABLE as const, name: name(value) })
  const used = field.args.filter((arg) => given.includes(arg.name) || isRequiredArgument(arg))
  const node: FieldNode = {
    kind: Kind.FIELD,
    name: name(field.name),
    arguments: used.map((arg) => ({ kind: Kind.ARGUMENT, name: name(arg.name), value: variable(arg.name) })),
    selectionSet: selection ?? plainFields(field.type),
  }
  return print({
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: kind === 'query' ? OperationTypeNode.QUERY : OperationTypeNode.MUTATION,
        variableDefinitions: used.map((arg) => ({
          kind: Kind.VARIABLE_DEFINITION,
          variable: variable(arg.name),
          type: parseType(String(arg.type)),
        })),
        selectionSet: { kind: Kind.SELECTION_SET, selections: [node] },
      },
    ],
  })
}

/** Exactly one selection set and nothing after it. */
function readSelection(text: string): SelectionSetNode {
  try {
    const { definitions } = parse(text.trim().startsWith('{') ? text : `{ ${text} }`, { maxTokens: 2_000 })
    const [only, ...more] = definitions
    if (only?.kind === Kind.OPERATION_DEFINITION && more.length === 0 && only.name === undefined)
      return only.selectionSet
  } catch {
    // Told below, in the same words.
  }
  throw new ToolError('"select" must be one selection of fields, as "{ id name owner { id } }".')
}

/** Leaves only, and those that need no arguments. */
function plainFields(type: GraphQLOutputType): SelectionSetNode | undefined {
  const named = getNamedType(type)
  if (isLeafType(named)) return undefined
  const fields = isObjectType(named) || isInterfaceType(named) ? Object.values(named.getFields()) : []
  const plain = fields.filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument))
  const names = ['__typename', ...plain.map(({ name }) => name)]
  const selections: SelectionNode[] = names.map((value) => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value } }))
  return { kind: Kind.SELECTION_SET, selections }
}
