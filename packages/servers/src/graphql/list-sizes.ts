/** How many items the arguments of a field ask for: what they say, what the schema says where they are silent, and how many they name. */

import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
  Kind,
  type ValueNode,
} from 'graphql'

/** A field as the schema has it. */
export type OutputField = ReturnType<GraphQLObjectType['getFields']>[string]

type Variables = ReadonlyMap<string, unknown>

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

/** The arguments as plain values, with those that the schema fills in. */
export function argumentsOf(
  { arguments: given = [] }: FieldNode,
  field: OutputField | undefined,
  variables: Variables,
): { readonly [name: string]: unknown } {
  const said = new Map(given.map(({ name, value }) => [name.value, toPlain(value, variables)]))
  for (const { name, type, defaultValue } of field?.args ?? []) {
    said.set(name, filledIn(said.get(name) ?? defaultValue, type))
  }
  return Object.fromEntries(said)
}

/** The largest size that is asked for anywhere among the arguments, and the longest list among them: each item may bring one. */
export function sizesOf(value: unknown): { readonly asked: number | undefined; readonly listed: number } {
  let asked: number | undefined
  let listed = 0
  const look = (one: unknown, name: string | undefined): void => {
    const size = name !== undefined && SIZE_ARGUMENTS.has(name) ? toSize(one) : undefined
    if (size !== undefined) asked = Math.max(asked ?? 0, size)
    if (typeof one !== 'object' || one === null) return
    if (Array.isArray(one)) {
      listed = Math.max(listed, one.length)
      for (const item of one) look(item, name)
    } else for (const [member, item] of Object.entries(one)) look(item, member)
  }
  look(value, undefined)
  return { asked, listed }
}

/** A value of a document as JSON would have it. */
export function toPlain(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) return variables.get(value.name.value)
  if (value.kind === Kind.LIST) return value.values.map((one) => toPlain(one, variables))
  if (value.kind === Kind.OBJECT)
    return Object.fromEntries(value.fields.map(({ name, value: one }) => [name.value, toPlain(one, variables)]))
  if (value.kind === Kind.NULL) return undefined
  if (value.kind === Kind.INT || value.kind === Kind.FLOAT) return Number(value.value)
  return value.value
}

/** Scalars of a schema's own may have their numbers written as text. */
function toSize(value: unknown): number | undefined {
  const isWritten = typeof value === 'string' && value.length <= 40 && value.trim() !== ''
  const size = isWritten ? Number(value) : value
  return typeof size === 'number' && size >= 0 ? Math.floor(size) : undefined
}

function filledIn(value: unknown, type: GraphQLInputType): unknown {
  if (Array.isArray(value)) return value.map((one) => filledIn(one, type))
  const named = getNamedType(type)
  if (typeof value !== 'object' || value === null || !isInputObjectType(named)) return value
  const said = new Map(Object.entries(value))
  for (const { name, type: below, defaultValue } of Object.values(named.getFields())) {
    // Defaults come with those within them.
    said.set(name, said.has(name) ? filledIn(said.get(name), below) : defaultValue)
  }
  return Object.fromEntries(said)
}
