/**
 * Operations of a service that nobody described: written down by the operator, or read off an example of a call. They
 * become a description like any other, so that everything that holds for described operations holds for them.
 */

import { PorticoError } from '@portico/sdk/server'
import { isRecord, type Json } from './description.ts'

/** A JSON Schema, or words that say what it is. */
export type GivenParameter = string | { readonly [member: string]: unknown }

/** An operation of a web service, written down by hand for a service that has no OpenAPI description. */
export interface GivenOperation {
  /** What the tool is called; made of method and path unless given. */
  readonly name?: string
  /** GET unless given. */
  readonly method?: string
  /** Below the base URL, with `{name}` for each part that is an argument: `/pets/{id}`. */
  readonly path: string
  readonly description?: string
  readonly query?: { readonly [name: string]: GivenParameter }
  readonly headers?: { readonly [name: string]: GivenParameter }
  /** What the parts in braces are. */
  readonly pathParameters?: { readonly [name: string]: GivenParameter }
  /** The JSON Schema of a JSON body; `true` for any. */
  readonly body?: boolean | { readonly [member: string]: unknown }
  /** Names in `query` and `headers` that must be given, and `body`. */
  readonly required?: readonly string[]
}

const MAX_OPERATIONS = 500
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']

/**
 * The operations as an OpenAPI description. A text is an operation as JSON, or an example of a call:
 * `find_pets: GET /pets?limit=10 # Finds pets`, `POST https://pets.example/pets {"name":"Rex"}`.
 */
export function toDescriptionText(
  given: readonly (string | GivenOperation)[],
  baseUrl: string | undefined,
): { readonly text: string; readonly baseUrl: string } {
  if (given.length > MAX_OPERATIONS) throw invalid(`There are more than ${MAX_OPERATIONS} operations.`)
  const read = given.map((one) => (typeof one === 'string' ? fromText(one) : { operation: one }))
  const origins = new Set(read.flatMap(({ origin }) => origin ?? []))
  const base = baseUrl ?? [...origins][0]
  if (base === undefined) throw invalid('Say where the service is: option baseUrl.')
  const { origin, pathname } = toUrl(base)
  const elsewhere = [...origins].find((one) => one !== origin)
  if (elsewhere !== undefined) throw invalid(`An example is at ${elsewhere}, and the service at ${origin}.`)
  const prefix = pathname.replace(/(?<!\/)\/+$/, '')
  const paths: { [path: string]: { [method: string]: Json } } = {}
  for (const { operation, origin: own } of read) {
    const path = toPath(operation.path, own === undefined ? '' : prefix)
    const method = (operation.method ?? 'get').toLowerCase()
    if (!METHODS.includes(method)) throw invalid(`${JSON.stringify(operation.method)} is no method that can be sent.`)
    const methods = Object.hasOwn(paths, path) ? (paths[path] ?? {}) : {}
    if (Object.hasOwn(methods, method)) throw invalid(`${method.toUpperCase()} ${path} is there twice.`)
    Object.defineProperty(paths, path, { value: methods, enumerable: true, configurable: true, writable: true })
    const name = operation.name ?? `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`.replace(/_$/, '')
    methods[method] = toOperation({ ...operation, name }, path)
  }
  const info = { title: new URL(base).host, version: '0' }
  return { text: JSON.stringify({ openapi: '3.1.0', info, paths }), baseUrl: base }
}

function toOperation(operation: GivenOperation, path: string): Json {
  const { name, description, query = {}, headers = {}, pathParameters = {}, body, required = [] } = operation
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, part = '']) => part)
  const parameters = [
    ...inPath.map((part) => toParameter('path', part, pathParameters[part] ?? { type: 'string' }, true)),
    ...Object.entries(query).map(([one, schema]) => toParameter('query', one, schema, required.includes(one))),
    ...Object.entries(headers).map(([one, schema]) => toParameter('header', one, schema, required.includes(one))),
  ]
  const schema = typeof body === 'object' ? body : {}
  const content = { 'application/json': { schema } }
  const hasBody = body !== undefined && body !== false
  return {
    operationId: name,
    ...(description !== undefined && { summary: description }),
    parameters,
    ...(hasBody && { requestBody: { required: required.includes('body'), content } }),
    responses: { default: { description: 'What the service answers' } },
  }
}

function toParameter(place: string, name: string, given: GivenParameter, required: boolean): Json {
  const schema = typeof given === 'string' ? { type: 'string' } : given
  const about = typeof given === 'string' ? given : given.description
  return { in: place, name, required, schema, ...(typeof about === 'string' && { description: about }) }
}

const LINE =
  /^(?:([A-Za-z_][\w-]{0,63})\s*:\s+)?(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+(\S+)(?:\s+([{[].*[}\]]))?(?:\s+#\s*(.*))?$/is
const SECRET = /^(?:api[-_]?key|access[-_]?token|auth|token|secret|password|passwd|key|sig|signature)$/i

function fromText(text: string): { readonly operation: GivenOperation; readonly origin?: string } {
  if (text.trimStart().startsWith('{')) return { operation: fromJson(text) }
  const [, name, method = '', target = '', body, description] = LINE.exec(text.trim()) ?? []
  const shown = JSON.stringify(text.slice(0, 80))
  if (method === '') throw invalid(`${shown} is no operation. Write "name: GET /path/{part}?query=example # words"`)
  const isAbsolute = /^https?:\/\//i.test(target)
  if (!isAbsolute && !target.startsWith('/')) throw invalid(`The path in ${shown} must begin with "/".`)
  const [place = '', search = ''] = target.split('#', 1)[0]?.split(/\?(.*)/s, 2) ?? []
  const url = isAbsolute ? toUrl(place) : undefined
  const path = url === undefined ? place : toPlainPath(url.pathname)
  const operation: GivenOperation = {
    ...(name !== undefined && { name }),
    method,
    ...withParts(path),
    ...(description !== undefined && description !== '' && { description }),
    query: Object.fromEntries([...new URLSearchParams(search)].map(([one, value]) => [one, learn(one, value, shown)])),
    ...(body !== undefined && { body: learnSchema(fromJsonText(body, shown), 0), required: ['body'] }),
  }
  return url === undefined ? { operation } : { operation, origin: url.origin }
}

function fromJson(text: string): GivenOperation {
  const value = fromJsonText(text, JSON.stringify(text.slice(0, 80)))
  if (!isRecord(value) || typeof value.path !== 'string') throw invalid('An operation needs a "path".')
  // What else it has is judged as a description is.
  return value as unknown as GivenOperation
}

/** Numbers and long ids in the path of an example are arguments. */
function withParts(path: string): Pick<GivenOperation, 'path' | 'pathParameters'> {
  const pathParameters: { [name: string]: GivenParameter } = {}
  const parts = path.split('/').map((part) => {
    const isNumber = /^\d+$/.test(part)
    if (!isNumber && !/^[0-9a-f]{8}-[0-9a-f-]{27}$|^[0-9a-f]{24,64}$/i.test(part)) return part
    const count = Object.keys(pathParameters).length
    const name = count === 0 ? 'id' : `id_${count + 1}`
    pathParameters[name] = { type: isNumber ? 'integer' : 'string', examples: [isNumber ? Number(part) : part] }
    return `{${name}}`
  })
  return { path: parts.join('/'), pathParameters }
}

function learn(name: string, value: string, shown: string): GivenParameter {
  if (value === '') return { type: 'string' }
  if (SECRET.test(name)) {
    throw invalid(`${shown} seems to hold a secret ("${name}"). Leave it out, and name a variable: option apiKeyEnv.`)
  }
  if (/^-?\d{1,15}$/.test(value)) return { type: 'integer', examples: [Number(value)] }
  if (value === 'true' || value === 'false') return { type: 'boolean', examples: [value === 'true'] }
  return { type: 'string', examples: [value] }
}

const MAX_DEPTH = 10

/** What an example shows: which members there are and of which kind, not which of them must be there. */
function learnSchema(value: unknown, depth: number): { readonly [member: string]: unknown } {
  if (depth === MAX_DEPTH || value === null) return {}
  if (Array.isArray(value)) return { type: 'array', items: value.length === 0 ? {} : learnSchema(value[0], depth + 1) }
  if (isRecord(value)) {
    const members = Object.entries(value).map(([name, one]) => [name, learnSchema(one, depth + 1)])
    return { type: 'object', properties: Object.fromEntries(members) }
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number', examples: [value] }
  return { type: typeof value, examples: [value] }
}

function toPath(path: string, prefix: string): string {
  if (!path.startsWith('/')) throw invalid(`The path ${JSON.stringify(path.slice(0, 80))} must begin with "/".`)
  if (/[?#\s]|(?:^|\/)\.\.?(?:\/|$)/.test(path)) {
    throw invalid(`The path ${JSON.stringify(path.slice(0, 80))} has a query, a space or a step upward in it.`)
  }
  if (prefix === '') return path
  if (!path.startsWith(`${prefix}/`))
    throw invalid(`An example with the path ${path.slice(0, 80)} is not below baseUrl.`)
  return path.slice(prefix.length)
}

/** As it was written: braces are encoded in addresses. */
function toPlainPath(path: string): string {
  return path.replaceAll(/%7[bB]/g, '{').replaceAll(/%7[dD]/g, '}')
}

function toUrl(text: string): URL {
  if (!URL.canParse(text)) throw invalid(`${JSON.stringify(text.slice(0, 80))} is no address.`)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw invalid('An address must not hold a password.')
  return url
}

function fromJsonText(text: string, shown: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(`The JSON in ${shown} cannot be read.`, cause)
  }
}

function invalid(message: string, cause?: unknown): PorticoError {
  return new PorticoError('invalid-arguments', message, { cause })
}
