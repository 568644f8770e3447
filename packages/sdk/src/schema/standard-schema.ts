/**
 * The Standard Schema interfaces as Portico reads them: any library whose schemas carry `~standard` can check values
 * (version 1), and some can also say what they accept as JSON Schema. Types and guards only; `schema.ts` uses them.
 */

/** A schema of some library: checks a value and may transform it on the way. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  /** Never there at run time; carries the types to `InferInput` and `InferOutput`. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
}

/** Success has no `issues`; failure has at least one. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema that can also describe itself, separately for what goes in and what comes out. */
interface StandardJSONSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema: {
      readonly input: (options: StandardJSONSchemaOptions) => { [key: string]: unknown }
      readonly output: (options: StandardJSONSchemaOptions) => { [key: string]: unknown }
    }
  }
}

interface StandardJSONSchemaOptions {
  readonly target: string
}

/** ArkType's schemas are functions, so objects alone are not looked for. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  const props = standardProps(value)
  return props !== undefined && typeof props.validate === 'function'
}

export function isStandardJsonSchema(value: unknown): value is StandardJSONSchemaV1 {
  const props = standardProps(value)
  return typeof props?.jsonSchema === 'object' && props.jsonSchema !== null
}

function standardProps(value: unknown): { readonly [key: string]: unknown } | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  const props = (value as { readonly '~standard'?: unknown })['~standard']
  // Libraries may build this object lazily or inherit it; only its shape counts.
  return typeof props === 'object' && props !== null ? (props as { readonly [key: string]: unknown }) : undefined
}
