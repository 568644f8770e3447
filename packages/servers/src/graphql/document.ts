/**
 * Checks a document before it is sent: that it is one operation of the allowed kind, fits the schema, and asks for no
 * more than the limits of depth and cost. The service is never used to find out.
 */

import { ToolError } from '@portico/sdk/server'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { type Measure, measureOperation } from './measure.ts'

interface DocumentLimits {
  readonly maxDepth: number
  readonly maxCost: number
  readonly defaultListSize: number
}

interface CheckedDocument {
  readonly operation: OperationDefinitionNode
  readonly measure: Measure
}

export interface GivenDocument {
  readonly document: string
  readonly variables: { readonly [name: string]: unknown }
  readonly operationName: string | undefined
}

export function checkDocument(
  schema: GraphQLSchema,
  given: GivenDocument,
  kind: 'query' | 'mutation',
  limits: DocumentLimits,
): CheckedDocument {
  const document = parseDocument(given.document)
  const operation = chooseOperation(document, given.operationName)
  if (operation.operation !== kind) throw wrongKind(operation.operation, kind)
  const measured = { operation, fragments: fragmentsOf(document), variables: given.variables }
  // Measured before it is validated: the time that validation takes grows with what is measured.
  const measure = measureOperation(schema, measured, limits)
  const [fault] = validate(schema, document, specifiedRules, { maxErrors: 5 })
  if (fault !== undefined)
    throw new ToolError(`${place(fault)}${fault.message} describe_type and search_schema show what there is.`)
  const values = getVariableValues(schema, operation.variableDefinitions ?? [], given.variables, { maxErrors: 5 })
  if (values.errors !== undefined) throw new ToolError(values.errors.map(({ message }) => message).join('\n'))
  return { operation, measure }
}

const MAX_TOKENS = 4_000

function parseDocument(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: MAX_TOKENS })
  } catch (error) {
    if (error instanceof GraphQLError) throw new ToolError(`${place(error)}${error.message}`, { cause: error })
    // Selections nested by the thousand end the parser's own stack.
    throw new ToolError('The document is nested too deeply to be read.', { cause: error })
  }
}

/** One operation goes out, and nothing that was not chosen travels along. */
function chooseOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const other = document.definitions.find(
    (node) => node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION,
  )
  if (other !== undefined) throw new ToolError('Only operations and fragments can be sent.')
  const [first] = operations
  if (first === undefined) throw new ToolError('The document has no operation.')
  if (operations.length > 1) throw new ToolError('Send one operation at a time: leave the others out of the document.')
  if (name !== undefined && first.name?.value !== name) throw new ToolError(`The document has no operation ${name}.`)
  return first
}

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((node) => [node.name.value, node]))
}

function wrongKind(found: string, wanted: string): ToolError {
  if (found === 'subscription') return new ToolError('Subscriptions are not sent. Ask again with a query instead.')
  return new ToolError(
    found === 'mutation'
      ? 'That is a mutation. Mutations go through the tool mutate, if the operator has allowed them (option mutations).'
      : `That is a ${found}, and this tool sends a ${wanted}. Use the tool query for it.`,
  )
}

function place(error: GraphQLError): string {
  const [first] = error.locations ?? []
  return first === undefined ? '' : `Line ${first.line}, column ${first.column}: `
}
