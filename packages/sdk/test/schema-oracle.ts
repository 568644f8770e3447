/**
 * An independent judge of what we put on the wire: the official JSON Schema of each revision, checked by a validator that
 * shares no code with ours. The schemas are kept as they were published, in `official/schema/`.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { isObject, type JsonObject } from '../src/jsonrpc/message.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'

const ROOT = fileURLToPath(new URL('official/schema/', import.meta.url))

/** The errors of a value against a definition (`Tool`, or a place in one: `ElicitRequest/properties/params`). */
export function validateAgainst(version: ProtocolVersion, definition: string, value: unknown): string[] {
  const validate = validatorOf(version, definition)
  // What JSON leaves out (undefined members) never reaches the wire.
  if (validate(JSON.parse(JSON.stringify(value)))) return []
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

/** The paths of members that the revision's definition does not name, where the definition is not open by its own words. */
export function unknownMembers(version: ProtocolVersion, definition: string, value: unknown): string[] {
  return strangers(version, refOf(version, definition), JSON.parse(JSON.stringify(value)), '')
}

export function hasDefinition(version: ProtocolVersion, definition: string): boolean {
  return resolve(version, refOf(version, definition)) !== undefined
}

/** The methods that a union such as `ClientRequest` names. */
export function methodsOf(version: ProtocolVersion, union: string): string[] {
  const schema = resolve(version, refOf(version, union))
  if (schema === undefined) return []
  const members = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  return members.map((member) => {
    const target = typeof member.$ref === 'string' ? resolve(version, member.$ref) : member
    const properties = target?.properties as { method: { const: string } }
    return properties.method.const
  })
}

export interface Example {
  readonly definition: string
  readonly file: string
  readonly value: JsonObject
}

/** The official examples of 2026-07-28. */
export function officialExamples(): Example[] {
  const folder = join(ROOT, '2026-07-28', 'examples')
  return readdirSync(folder).flatMap((definition) =>
    readdirSync(join(folder, definition)).map((file) => ({
      definition,
      file,
      value: JSON.parse(readFileSync(join(folder, definition, file), 'utf8')),
    })),
  )
}

const documents = new Map<string, JsonObject>()
const judges = new Map<string, Ajv>()
const validators = new Map<string, ValidateFunction>()

function documentOf(version: ProtocolVersion): JsonObject {
  let document = documents.get(version)
  if (document === undefined) {
    document = JSON.parse(readFileSync(join(ROOT, version, 'schema.json'), 'utf8')) as JsonObject
    documents.set(version, document)
  }
  return document
}

function refOf(version: ProtocolVersion, definition: string): string {
  return `#/${'$defs' in documentOf(version) ? '$defs' : 'definitions'}/${definition}`
}

function resolve(version: ProtocolVersion, ref: string): JsonObject | undefined {
  let at: unknown = documentOf(version)
  for (const step of ref.slice(2).split('/')) {
    at = Array.isArray(at) ? at[Number(step)] : isObject(at) ? at[step] : undefined
  }
  return isObject(at) ? at : undefined
}

function validatorOf(version: ProtocolVersion, definition: string): ValidateFunction {
  return compiled(version, refOf(version, definition), { $ref: `mcp:${version}${refOf(version, definition)}` })
}

function compiled(version: ProtocolVersion, key: string, schema: JsonObject): ValidateFunction {
  const name = `${version} ${key}`
  let validate = validators.get(name)
  if (validate === undefined) {
    validate = judgeOf(version).compile(schema)
    validators.set(name, validate)
  }
  return validate
}

function judgeOf(version: ProtocolVersion): Ajv {
  let judge = judges.get(version)
  if (judge === undefined) {
    const document = documentOf(version)
    const options = { strict: false, allErrors: true, formats: fullFormats }
    judge = '$defs' in document ? new Ajv2020(options) : new Ajv(options)
    judge.addSchema({ ...document, $id: `mcp:${version}` })
    judges.set(version, judge)
  }
  return judge
}

/** Schemas of tools are the user's own: what is in them is no business of the revision. */
const VERBATIM = /\/(?:inputSchema|outputSchema|_meta)$/

function strangers(version: ProtocolVersion, ref: string, value: unknown, path: string): string[] {
  const schema = resolve(version, ref)
  if (schema === undefined || VERBATIM.test(path)) return []
  if (typeof schema.$ref === 'string') return strangers(version, schema.$ref, value, path)
  if (Array.isArray(schema.anyOf)) {
    const fitting = schema.anyOf
      .map((_, index) => `${ref}/anyOf/${index}`)
      .filter((option) => compiled(version, option, { $ref: `mcp:${version}${option}` })(value))
      .map((option) => strangers(version, option, value, path))
    return fitting.sort((a, b) => a.length - b.length)[0] ?? [`${path} fits no alternative`]
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => strangers(version, `${ref}/items`, item, `${path}/${index}`))
  }
  if (!isObject(value)) return []
  const known = isObject(schema.properties) ? schema.properties : {}
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  return Object.entries(value).flatMap(([name, member]) => {
    if (Object.hasOwn(known, name)) return strangers(version, `${ref}/properties/${name}`, member, `${path}/${name}`)
    if (!open) return [`${path}/${name}`]
    return strangers(version, `${ref}/additionalProperties`, member, `${path}/${name}`)
  })
}
