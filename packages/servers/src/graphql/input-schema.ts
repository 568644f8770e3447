/**
 * From GraphQL's input types to JSON Schema: what a tool for one root field takes. Written out where it is used;
 * only types that contain themselves become definitions, since not every model follows references.
 */

import {
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'

type Schema = { readonly [keyword: string]: unknown }

interface InputSchema {
  readonly properties: { readonly [name: string]: Schema }
  readonly required: string[]
  readonly $defs: { readonly [name: string]: Schema }
}

export function toInputSchema(args: readonly GraphQLArgument[]): InputSchema {
  const writing: Writing = { open: new Set(), definitions: new Map() }
  const properties = args.map((arg): [string, Schema] => [
    arg.name,
    described(write(arg.type, writing), arg.description),
  ])
  return {
    properties: Object.fromEntries(properties),
    required: args.filter(isRequiredArgument).map(({ name }) => name),
    $defs: Object.fromEntries(writing.definitions),
  }
}

const SCALARS: { readonly [name: string]: Schema } = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: ['string', 'integer'] },
}

/** What is being written, and what is referred to from within itself. */
interface Writing {
  readonly open: Set<string>
  readonly definitions: Map<string, Schema>
}

function write(type: GraphQLInputType, writing: Writing): Schema {
  if (isNonNullType(type)) return writeNullable(type.ofType, writing)
  const inner = writeNullable(type, writing)
  return Object.keys(inner).length === 0 ? inner : { anyOf: [inner, { type: 'null' }] }
}

function writeNullable(type: GraphQLInputType, writing: Writing): Schema {
  if (isListType(type)) return { type: 'array', items: write(type.ofType, writing) }
  // Neither a list nor non-null: what is left has a name.
  return writeNamed(type as GraphQLNamedInputType, writing)
}

function writeNamed(type: GraphQLNamedInputType, writing: Writing): Schema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  // What a service makes of its own scalars, it alone knows.
  if (!isInputObjectType(type)) return Object.hasOwn(SCALARS, type.name) ? (SCALARS[type.name] ?? {}) : {}
  const { open, definitions } = writing
  if (!open.has(type.name) && open.size < MAX_OPEN) {
    open.add(type.name)
    const written = writeObject(type, writing)
    open.delete(type.name)
    return written
  }
  if (!definitions.has(type.name)) {
    definitions.set(type.name, {})
    definitions.set(type.name, writeObject(type, writing))
  }
  return { $ref: `#/$defs/${type.name}` }
}

/** Levels that are written out; below them, definitions keep the schema from growing without end. */
const MAX_OPEN = 3

function writeObject(type: GraphQLInputObjectType, writing: Writing): Schema {
  const fields = Object.values(type.getFields())
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [field.name, described(write(field.type, writing), field.description)]),
    ),
    required: fields.filter(isRequiredInputField).map(({ name }) => name),
    additionalProperties: false,
  }
}

function described(schema: Schema, description: string | null | undefined): Schema {
  return description ? { ...schema, description: description.slice(0, 300) } : schema
}
