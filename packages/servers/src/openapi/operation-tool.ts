/** One operation as a tool: its parameters and body as one input schema, its answer as structured output. */

import { type AskingContext, result, type ToolDefinition, text, tool } from '@portico/sdk/server'
import type { Description, Json } from './description.ts'
import { BODY_ARGUMENT, type Operation } from './operation.ts'
import { SchemaWriter, writeOrAny } from './schema.ts'
import { isReading } from './selection.ts'
import { type Answer, callOperation, type Service } from './service.ts'

export function toTool(description: Description, service: Service, operation: Operation): ToolDefinition {
  return tool(
    {
      title: operation.summary.slice(0, 100) || operation.id,
      description: describe(operation),
      input: toInputSchema(description, operation),
      output: toOutputSchema(description, operation),
      ...hintsOf(operation),
    },
    async (args, ctx) => toResult(await callOperation(service, operation, args as Json, ctx as AskingContext)),
  )
}

/** What the model may be told of an operation before it uses it. */
export function describe(operation: Operation): string {
  const { summary, description, method, path, deprecated } = operation
  const words = [summary, description === summary ? '' : description].filter((part) => part !== '').join('\n')
  const text = words.length > MAX_DESCRIPTION ? `${words.slice(0, MAX_DESCRIPTION)}…` : words
  return [deprecated ? 'Deprecated.' : '', text, `${method} ${path}`].filter((part) => part !== '').join('\n')
}

function hintsOf({ method }: Operation): {
  readOnly: boolean
  destructive: boolean
  idempotent: boolean
  openWorld: boolean
} {
  const readOnly = method === 'GET' || method === 'HEAD'
  return {
    readOnly,
    // A description does not say what a POST does; what may overwrite or delete is taken to do so.
    destructive: !readOnly && method !== 'OPTIONS',
    idempotent: readOnly || method === 'PUT' || method === 'DELETE' || method === 'OPTIONS',
    openWorld: true,
  }
}

/** Schemas are written out where they are used, since not every model follows references; unless that gets too long. */
export function toInputSchema(description: Description, operation: Operation, loosely = false): Json {
  if (loosely) return writeInput(new SchemaWriter(description, { side: 'request', maxNodes: 0 }), operation)
  const inline = new SchemaWriter(description, { side: 'request', maxNodes: MAX_INPUT_NODES, inline: true })
  const schema = writeInput(inline, operation)
  if (!inline.exhausted) return schema
  return writeInput(new SchemaWriter(description, { side: 'request', maxNodes: MAX_INPUT_NODES }), operation)
}

function writeInput(writer: SchemaWriter, { parameters, body }: Operation): Json {
  const properties = parameters.map(({ argument, schema, description: about, name, in: place }) => {
    const note = [about, argument === name ? '' : `Sent as "${name}" in the ${place}.`].filter(Boolean).join(' ')
    return [argument, withDescription(writer.write(schema ?? {}), note)] as const
  })
  const required = parameters.filter((parameter) => parameter.required).map(({ argument }) => argument)
  if (body !== undefined) {
    properties.push([BODY_ARGUMENT, withDescription(writer.write(body.schema ?? {}), body.description ?? '')])
    if (body.required) required.push(BODY_ARGUMENT)
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...writer.definitions,
  }
}

export function toResult(answer: Answer): ReturnType<typeof result> {
  const { media, ...structured } = answer
  const shown = JSON.stringify(structured)
  return result({ content: media === undefined ? [text(shown)] : [media, text(shown)], structuredContent: structured })
}

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    status: { type: 'integer', description: 'HTTP status' },
    body: { description: 'The answer: a JSON value, or text' },
    contentType: { type: 'string', description: 'Media type of the answer' },
    next: {
      type: 'object',
      description: 'There is more: call again with these arguments, or this cursor',
      properties: {
        arguments: { type: 'object', description: 'For the same operation' },
        url: { type: 'string', description: 'As the service gave it' },
        cursor: { type: 'string', description: 'As the service gave it' },
      },
    },
  },
  required: ['status'],
} as const

const MAX_DESCRIPTION = 1_000
const MAX_INPUT_NODES = 400
/** Tools are read by models at every turn; a long answer schema costs more than it tells. */
const MAX_OUTPUT_NODES = 60

function toOutputSchema(description: Description, operation: Operation): Json {
  if (operation.response === undefined || !isReading(operation)) return ANSWER_SCHEMA
  const writer = new SchemaWriter(description, { side: 'response', maxNodes: MAX_OUTPUT_NODES, inline: true })
  const body = writeOrAny(writer, operation.response)
  if (writer.exhausted) return ANSWER_SCHEMA
  const described = {
    description: 'The answer. Services sometimes send other than they describe, which then arrives as it is.',
    anyOf: [body, true],
  }
  return { ...ANSWER_SCHEMA, properties: { ...ANSWER_SCHEMA.properties, body: described }, ...writer.definitions }
}

function withDescription(schema: unknown, note: string): unknown {
  if (note === '' || typeof schema !== 'object' || schema === null) return schema
  return { ...schema, description: note.slice(0, 600) }
}
