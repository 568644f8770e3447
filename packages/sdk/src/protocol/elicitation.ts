/** Elicitation as data: what a server may ask a person through the client, by form or by URL, and how it is answered. */

export interface StringField {
  type: 'string'
  title?: string
  description?: string
  minLength?: number
  maxLength?: number
  format?: 'email' | 'uri' | 'date' | 'date-time'
  default?: string
}

interface NumberField {
  type: 'number' | 'integer'
  title?: string
  description?: string
  minimum?: number
  maximum?: number
  default?: number
}

interface BooleanField {
  type: 'boolean'
  title?: string
  description?: string
  default?: boolean
}

export interface Choice {
  const: string
  title: string
}

/** One of several. `oneOf` and defaults came with 2025-11-25; `enumNames` is what 2025-06-18 had for titles. */
export interface SingleChoiceField {
  type: 'string'
  title?: string
  description?: string
  enum?: string[]
  enumNames?: string[]
  oneOf?: Choice[]
  default?: string
}

/** Several of several (from 2025-11-25). */
export interface MultiChoiceField {
  type: 'array'
  title?: string
  description?: string
  minItems?: number
  maxItems?: number
  items: { type: 'string'; enum: string[] } | { anyOf: Choice[] }
  default?: string[]
}

export type FormField = StringField | NumberField | BooleanField | SingleChoiceField | MultiChoiceField

export interface FormSchema {
  $schema?: string
  type: 'object'
  properties: { [name: string]: FormField }
  required?: string[]
}

/** A question that is answered by filling in a form. */
export interface ElicitFormParams {
  mode?: 'form'
  message: string
  requestedSchema: FormSchema
}

/** A question that is answered by visiting a page. */
export interface ElicitUrlParams {
  mode: 'url'
  message: string
  url: string
  /** On the wire in 2025-11-25 only. */
  elicitationId?: string
}

/** A server's question to the person who uses the client. */
export type ElicitParams = ElicitFormParams | ElicitUrlParams

export type ElicitValue = string | number | boolean | string[]

/** The answer to a question: accepted, declined or cancelled, with the form's content when accepted. */
export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel'
  content?: { [name: string]: ElicitValue }
}
