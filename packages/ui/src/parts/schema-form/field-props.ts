/** What every field of a form is given. Paths tell problems apart: `filter.tags.0`. */

import type { JsonValue } from '../json.ts'
import type { Field } from './schema-model.ts'
import type { FieldProblem } from './schema-values.ts'

export interface FieldProps<F extends Field = Field> {
  readonly field: F
  readonly name: string
  readonly path: string
  readonly required: boolean
  readonly value: JsonValue | undefined
  readonly problems: readonly FieldProblem[]
  readonly onChange: (value: JsonValue | undefined) => void
}
