/** Looks through a schema: a model finds what there is by words, without reading the whole of it. */

import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { toWords } from '../network/search-words.ts'

export interface Found {
  /** `Query.user`, or a type's name. */
  readonly name: string
  /** As the schema writes it: `user(id: ID!): User`, `type User`. */
  readonly signature: string
  readonly description?: string
}

interface Indexed extends Found {
  readonly lower: string
  readonly about: string
}

export function createSchemaIndex(schema: GraphQLSchema): (query: string) => readonly Found[] {
  const roots = [schema.getQueryType()?.name, schema.getMutationType()?.name]
  const entries = typesOf(schema).flatMap((type) => entriesOf(type))
  // What can be asked for first comes first where words fit equally well.
  const first = (entry: Indexed) => (roots.includes(entry.name.split('.', 1)[0]) ? 1 : 0)
  const indexed = entries.map((entry, at) => ({ entry, at, root: first(entry) }))
  return (query) => {
    const words = toWords(query)
    const scored = indexed.map(({ entry, at, root }) => ({ entry, at, root, score: score(entry, words) }))
    const found = words.length === 0 ? scored.filter(({ root }) => root === 1) : scored.filter(({ score }) => score > 0)
    return found
      .sort((a, b) => b.score - a.score || b.root - a.root || a.at - b.at)
      .map(({ entry: { name, signature, description } }) => ({ name, signature, ...(description && { description }) }))
  }
}

/** Every type that a person wrote; those of introspection itself are left out. */
export function typesOf(schema: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
}

function score({ lower, about }: Indexed, words: readonly string[]): number {
  const hits = words.map((word) => (lower.includes(word) ? 3 : 0) + (about.includes(word) ? 1 : 0))
  const whole = hits.every((hit) => hit > 0) ? 10 : 0
  return hits.reduce((sum, hit) => sum + hit, 0) === 0 ? 0 : hits.reduce((sum, hit) => sum + hit, whole)
}

function entriesOf(type: GraphQLNamedType): Indexed[] {
  const own = toEntry(type.name, `${keywordOf(type)} ${type.name}`, type.description)
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name.toLowerCase())
    return [{ ...own, about: `${own.about} ${values.join(' ')}` }]
  }
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [own]
  const fields = Object.values(type.getFields()).map((field) => {
    const args = 'args' in field && field.args.length > 0 ? `(${field.args.map(argumentText).join(', ')})` : ''
    return toEntry(`${type.name}.${field.name}`, `${field.name}${args}: ${field.type}`, field.description)
  })
  return [own, ...fields]
}

function toEntry(name: string, signature: string, description: string | null | undefined): Indexed {
  const text = description?.slice(0, 300)
  const about = `${signature} ${text ?? ''}`.toLowerCase()
  return {
    name,
    signature: signature.slice(0, 500),
    ...(text && { description: text }),
    lower: name.toLowerCase(),
    about,
  }
}

function argumentText({ name, type }: GraphQLArgument): string {
  return `${name}: ${type}`
}

function keywordOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'type'
  if (isInterfaceType(type)) return 'interface'
  if (isInputObjectType(type)) return 'input'
  return isEnumType(type) ? 'enum' : 'scalar or union'
}
