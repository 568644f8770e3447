/**
 * The form that a server asks to be filled in, as fields of the page's one form. The schema is a stranger's: whatever it
 * is, an object with fields comes of it.
 */

import type { Question } from '../../app/data/question-store.ts'
import { isRecord, type JsonRecord, memberOf } from '../../parts/json.ts'
import { type Field, type FieldOf, toField } from '../../parts/schema-form/schema-model.ts'

export type Schema = Extract<Question['body'], { readonly kind: 'form' }>['schema']

export function toForm(schema: Schema): FieldOf<'object'> {
  const { properties, required, $defs } = schema
  const members = isRecord(properties) ? Object.entries(properties) : []
  const field = toField({
    type: 'object',
    properties: Object.fromEntries(members.map(([name, one]) => [name, asMember(one)])),
    required,
    $defs,
  })
  return field.kind === 'object' ? field : EMPTY
}

const EMPTY: FieldOf<'object'> = {
  kind: 'object',
  members: [],
  additional: true,
  examples: [],
  nullable: false,
  deprecated: false,
}

/** Several of some choices, each once, are the only lists that a server may ask for (elicitation, requested schema). */
function asMember(schema: unknown): unknown {
  return isRecord(schema) && memberOf(schema, 'type') === 'array' ? { uniqueItems: true, ...schema } : schema
}

/** What is sent: fields that were left empty are left out. */
export function toContent(value: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== ''))
}

const SECRET = /passw|secret|token|api[-_ ]?key|private[-_ ]?key|credential|\bcvv\b|\bpin\b|\bssn\b|card[-_ ]?number/i

/** Whether it asks for what should never go through a form (sec-101), at whatever depth. */
export function asksForSecret(field: Field): boolean {
  switch (field.kind) {
    case 'object':
      return field.members.some(
        ({ name, field: member }) => SECRET.test(`${name} ${member.title ?? ''}`) || asksForSecret(member),
      )
    case 'list':
      return asksForSecret(field.item)
    case 'pick':
      return field.options.some((option) => asksForSecret(option.field))
    default:
      return false
  }
}
