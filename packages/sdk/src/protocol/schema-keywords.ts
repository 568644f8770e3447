/** JSON Schema as the walks of this folder see it: where subschemas have names of their own, and where none can be. */

/** Keywords whose members are named by the schema's author, each a schema. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** Keywords that hold data, in which a keyword would be nothing but a member. */
export const SCHEMA_DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
