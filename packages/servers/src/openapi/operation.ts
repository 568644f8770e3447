/**
 * Reads the operations of a description into plain records: what is sent where, and under which argument name a model
 * gives it. What cannot be used is left out with the reason. `selection.ts` chooses among them.
 */

import { FORBIDDEN_HEADERS } from '../network/environment.ts'
import { type Description, isRecord, type Json, Unusable } from './description.ts'

export type Location = 'path' | 'query' | 'header' | 'cookie'

export interface Parameter {
  readonly name: string
  readonly in: Location
  /** What the model calls it: the name itself, unless another location has it too or a schema could not hold it. */
  readonly argument: string
  readonly required: boolean
  readonly style: string
  readonly explode: boolean
  /** Sent as JSON text, where the description says `content`. */
  readonly asJson: boolean
  readonly schema: unknown
  readonly description: string | undefined
}

/** What the model calls the body; no parameter gets this name. */
export const BODY_ARGUMENT = 'body'

export interface RequestBody {
  readonly required: boolean
  readonly contentType: string
  readonly schema: unknown
  readonly description: string | undefined
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
  /** The schema of a successful JSON answer. */
  readonly response: unknown
  /** Security requirements; undefined where neither the operation nor the description has any. */
  readonly security: readonly Json[] | undefined
  /** Servers of its own. */
  readonly servers: readonly unknown[] | undefined
}

interface Operations {
  readonly operations: Operation[]
  /** What was left out, and why. */
  readonly skipped: string[]
}

export function readOperations(description: Description): Operations {
  const operations: Operation[] = []
  const skipped: string[] = []
  const ids = new Set<string>()
  for (const [path, given] of Object.entries((description.root.paths ?? {}) as Json)) {
    if (!path.startsWith('/')) continue
    for (const method of METHODS) {
      try {
        const item = description.follow(given)
        if (item[method] === undefined) continue
        operations.push(readOperation(description, { path, method, item }, ids))
      } catch (error) {
        if (!(error instanceof Unusable)) throw error
        skipped.push(`${method.toUpperCase()} ${path}: ${error.message}`)
      }
    }
  }
  return { operations, skipped }
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const
const MAX_ID = 64

function readOperation(
  description: Description,
  { path, method, item }: { readonly path: string; readonly method: string; readonly item: Json },
  ids: Set<string>,
): Operation {
  const raw = description.follow(item[method])
  const parameters = readParameters(description, [...listOf(item.parameters), ...listOf(raw.parameters)])
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (!parameters.some((parameter) => parameter.in === 'path' && parameter.name === name)) {
      throw new Unusable(`its path has {${name}}, which is not among its parameters`)
    }
  }
  const security = raw.security ?? description.root.security
  const servers = raw.servers ?? item.servers
  return {
    id: idOf(raw.operationId, method, path, ids),
    method: method.toUpperCase(),
    path,
    tags: listOf(raw.tags).filter((tag) => typeof tag === 'string'),
    summary: textOf(raw.summary) || textOf(item.summary),
    description: textOf(raw.description) || textOf(item.description),
    deprecated: raw.deprecated === true,
    parameters,
    body: method === 'get' || method === 'head' ? undefined : readBody(description, raw.requestBody),
    response: readResponse(description, raw.responses),
    security: Array.isArray(security) ? security.filter(isRecord) : undefined,
    servers: Array.isArray(servers) ? servers : undefined,
  }
}

function readParameters(description: Description, given: readonly unknown[]): Parameter[] {
  // Parameters of the operation come after those of its path, and replace them.
  const byPlace = new Map<string, Json>()
  for (const entry of given) {
    const raw = description.follow(entry)
    if (typeof raw.name !== 'string' || !isLocation(raw.in)) continue
    if (raw.in === 'header' && (SET_ELSEWHERE.has(raw.name.toLowerCase()) || FORBIDDEN_HEADERS.test(raw.name))) continue
    byPlace.set(`${raw.in} ${raw.name}`, raw)
  }
  const taken = new Set([BODY_ARGUMENT])
  return [...byPlace.values()].map((raw) => {
    // Checked when it was put there.
    const place = raw.in as Location
    const name = raw.name as string
    const style =
      typeof raw.style === 'string' ? raw.style : place === 'query' || place === 'cookie' ? 'form' : 'simple'
    const [content] = isRecord(raw.content) ? Object.values(raw.content) : []
    return {
      name,
      in: place,
      argument: argumentFor(name, place, taken),
      required: place === 'path' || raw.required === true,
      style,
      explode: typeof raw.explode === 'boolean' ? raw.explode : style === 'form',
      asJson: content !== undefined,
      schema: isRecord(content) ? content.schema : raw.schema,
      description: textOf(raw.description) || undefined,
    }
  })
}

/** Member names as models' programming interfaces accept them, each used once. */
function argumentFor(name: string, place: Location, taken: Set<string>): string {
  const plain =
    name
      .replace(/[^\w.-]+/g, '_')
      .replace(/^_+|(?<!_)_+$/g, '')
      .slice(0, MAX_ID) || place
  let argument = plain
  if (taken.has(argument)) argument = `${plain}_${place}`
  for (let count = 2; taken.has(argument); count++) argument = `${plain}_${place}_${count}`
  taken.add(argument)
  return argument
}

function readBody(description: Description, given: unknown): RequestBody | undefined {
  if (given === undefined) return undefined
  const raw = description.follow(given)
  const offered = isRecord(raw.content) ? Object.keys(raw.content) : []
  const contentType = BODY_TYPES.map((type) => offered.find((name) => type.test(name))).find(
    (name) => name !== undefined,
  )
  const isRequired = raw.required === true
  if (contentType === undefined) {
    if (!isRequired) return undefined
    throw new Unusable(`it sends ${offered.join(', ').slice(0, 100) || 'nothing known'}, which is not supported`)
  }
  const media = (raw.content as Json)[contentType]
  return {
    required: isRequired,
    contentType: contentType === '*/*' ? 'application/json' : contentType,
    schema: isRecord(media) ? media.schema : undefined,
    description: textOf(raw.description) || undefined,
  }
}

/** Kinds of body that can be written, best first. */
const BODY_TYPES = [
  /^application\/json\b/i,
  /^application\/[\w.-]+\+json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^text\/[\w.+-]+/i,
  /^\*\/\*$/,
]

function readResponse(description: Description, responses: unknown): unknown {
  if (!isRecord(responses)) return undefined
  const status = ['200', '201', '202', '203', '2XX', '2xx', 'default'].find((name) => Object.hasOwn(responses, name))
  if (status === undefined) return undefined
  try {
    const { content } = description.follow(responses[status])
    if (!isRecord(content)) return undefined
    const type = Object.keys(content).find((name) => /^application\/([\w.-]+\+)?json\b/i.test(name))
    const media = type === undefined ? undefined : content[type]
    return isRecord(media) ? media.schema : undefined
  } catch (error) {
    // An answer that is not described can still be had.
    if (error instanceof Unusable) return undefined
    throw error
  }
}

function idOf(given: unknown, method: string, path: string, ids: Set<string>): string {
  const wanted = typeof given === 'string' && given !== '' ? given : `${method}_${path}`
  const plain =
    wanted
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+|(?<!_)_+$/g, '')
      .slice(0, MAX_ID - 4) || method
  let id = plain
  for (let count = 2; ids.has(id); count++) id = `${plain}_${count}`
  ids.add(id)
  return id
}

/** Headers that are not parameters by the specification, and the ones that this server sets. */
const SET_ELSEWHERE: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'authorization',
  'cookie',
  'accept-encoding',
])

function isLocation(value: unknown): value is Location {
  return value === 'path' || value === 'query' || value === 'header' || value === 'cookie'
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
