/**
 * What a schema says about types: `InferInput` and `InferOutput` over every kind of schema that `schema.ts` takes. Kept
 * apart because it is erased; kept shallow because a server may have hundreds of tools and the compiler pays for each.
 */

import type { StandardSchemaV1 } from './standard-schema.ts'

/** A JSON Schema as an object literal or as it came from the wire. */
type JsonSchemaObject = { readonly [key: string]: unknown }

/** For libraries that cannot describe themselves: `schema` checks, `json` goes on the wire. */
interface SchemaPair<S extends StandardSchemaV1 = StandardSchemaV1> {
  readonly schema: S
  readonly json: JsonSchemaObject
}

/**
 * Whatever can be a schema: one of a library (Zod, Valibot, ArkType), such a schema together with its JSON Schema, or
 * plain JSON Schema.
 */
export type AnySchema = LibrarySchema | SchemaPair | JsonSchemaObject

/**
 * A library's schema by its mark alone. To compare what is behind the mark with `StandardSchemaV1` would have the compiler
 * work out both sides of each schema before anybody asks for them; `isStandardSchema` looks at run time.
 */
interface LibrarySchema {
  readonly '~standard': unknown
}

/**
 * The type of what a caller passes, before the schema has applied defaults and conversions. It is read from the member
 * that each library puts on its schemas for this purpose, which costs the compiler less than inference.
 */
export type InferInput<S> = S extends ZodMark
  ? S['_zod']['input']
  : S extends StandardSchemaV1
    ? NonNullable<S['~standard']['types']>['input']
    : S extends SchemaPair<infer T>
      ? InferInput<T>
      : FromJsonSchema<S>

/** The type of what a handler gets, after the schema has applied defaults and conversions. */
export type InferOutput<S> = S extends ZodMark
  ? S['_zod']['output']
  : S extends StandardSchemaV1
    ? NonNullable<S['~standard']['types']>['output']
    : S extends SchemaPair<infer T>
      ? InferOutput<T>
      : FromJsonSchema<S>

/** Where Zod keeps the same two types, each by itself: `~standard` always costs both. */
interface ZodMark {
  readonly _zod: { readonly input: unknown; readonly output: unknown }
}

/**
 * The type that a JSON Schema literal describes, by its plainest keywords: `type`, `properties`, `required`, `items`,
 * `enum` and `const`. Whatever else it says, and anything deeper than four levels, is `unknown`.
 */
export type FromJsonSchema<S, Depth extends readonly unknown[] = []> = Depth['length'] extends 5
  ? unknown
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: infer Type }
        ? FromType<Type, S, Depth>
        : unknown

/** Distributes over `type: ['string', 'null']`. */
type FromType<Type, S, Depth extends readonly unknown[]> = Type extends readonly (infer Name)[]
  ? FromName<Name, S, Depth>
  : FromName<Type, S, Depth>

type FromName<Name, S, Depth extends readonly unknown[]> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? FromArray<S, Depth>
          : Name extends 'object'
            ? FromObject<S, Depth>
            : unknown

type FromArray<S, Depth extends readonly unknown[]> = S extends { readonly items: infer Item }
  ? FromJsonSchema<Item, [...Depth, 0]>[]
  : unknown[]

type FromObject<S, Depth extends readonly unknown[]> = S extends { readonly properties: infer Members }
  ? { [K in keyof Members as K extends RequiredKeys<S> ? K : never]: FromJsonSchema<Members[K], [...Depth, 0]> } & {
      [K in keyof Members as K extends RequiredKeys<S> ? never : K]?: FromJsonSchema<Members[K], [...Depth, 0]>
    }
  : { [key: string]: unknown }

type RequiredKeys<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never
