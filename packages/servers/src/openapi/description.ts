/**
 * Loads an OpenAPI description from a file or an address and answers what its local references point at. Nothing
 * outside of the one document is ever read: a reference to another file makes its operation unusable, and is reported.
 */

import { PorticoError } from '@portico/sdk/server'
import { askProcess } from '../machine/ask-process.ts'
import { readNamedFile } from '../machine/named-file.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import { toPlainJson } from '../text/plain-text.ts'
import type { CheckReply, CheckRequest } from './check-protocol.ts'

export type Json = { readonly [member: string]: unknown }

export interface Description {
  readonly root: Json
  /** 3.0 has a schema language of its own; later versions use JSON Schema 2020-12. */
  readonly legacySchemas: boolean
  /** Where it was loaded from, when that was an address. */
  readonly source: URL | undefined
  readonly problems: string[]
  /** The object that a value is or refers to. Throws `Unusable`. */
  follow(value: unknown): Json
  /** What a local reference points at. Throws `Unusable`. */
  pointee(reference: string): unknown
}

/** Thrown for a part of the description that cannot be used; whoever walks over it leaves that part out. */
export class Unusable extends Error {}

export async function loadDescription(place: string, fetch: GuardedFetch, maxBytes: number): Promise<Description> {
  const source = /^https?:\/\//i.test(place) ? new URL(place) : undefined
  const text = source === undefined ? await readText(place, maxBytes) : await download(source, fetch)
  return readDescription(text, source)
}

export async function readDescription(text: string, source?: URL): Promise<Description> {
  const parsed = toDescription(await parse(text), source)
  return { ...parsed, problems: await check(parsed.root, text.length) }
}

/** A description out of a value that nobody has looked at yet. */
export function toDescription(value: unknown, source?: URL): Description {
  // Names and descriptions become those of tools: cleaned once, here, they hold nothing that cannot be seen.
  const root = toPlainJson(value)
  const version = isRecord(root) && typeof root.openapi === 'string' ? root.openapi : ''
  if (!isRecord(root) || !/^3\.\d/.test(version) || !isRecord(root.paths ?? {})) {
    throw invalid('The file is not an OpenAPI 3 description (it has no "openapi: 3.x").')
  }
  const pointee = (reference: string) => lookUp(root, reference)
  return {
    root,
    legacySchemas: version.startsWith('3.0'),
    source,
    problems: [],
    pointee,
    follow(given) {
      let current = given
      for (let hops = 0; isRecord(current) && typeof current.$ref === 'string'; hops++) {
        if (hops === MAX_HOPS) throw new Unusable('its references go in circles')
        current = pointee(current.$ref)
      }
      if (!isRecord(current)) throw new Unusable('a part of it is not an object')
      return current
    },
  }
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_HOPS = 32
/** Checking takes time in proportion to the text; what is larger is used as it is. */
const MAX_CHECKED = 2_000_000
/** A description is used whether or not it could be checked in this time. */
const BOUNDS = { timeoutMs: 5_000, memoryMb: 512 }

function readText(path: string, maxBytes: number): Promise<string> {
  return readNamedFile(path, { what: 'The description', maxBytes, option: 'maxDescriptionBytes' })
}

async function download(url: URL, fetch: GuardedFetch): Promise<string> {
  const answer = await fetch(url, {
    redirects: 'follow',
    headers: { accept: 'application/json, application/yaml, */*' },
  })
  if (answer.status !== 200) throw invalid(`${url.host} answered ${answer.status} instead of a description.`)
  return new TextDecoder().decode(answer.body)
}

async function parse(text: string): Promise<unknown> {
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text)
    return (await ask({ kind: 'yaml', text })).value
  } catch (cause) {
    throw invalid('The description is neither JSON nor YAML that can be read.', cause)
  }
}

/** Throws what went wrong there, or which bound was met. */
async function ask(request: CheckRequest): Promise<CheckReply> {
  const reply = await askProcess<CheckReply>(import.meta.url, 'check-process', request, BOUNDS)
  if (reply.failed !== undefined) throw new Error(reply.failed)
  return reply
}

function lookUp(root: Json, reference: string): unknown {
  if (!reference.startsWith('#')) throw new Unusable('it refers to another file, and only this one is read')
  if (reference !== '#' && !reference.startsWith('#/')) throw new Unusable(`it refers to ${reference}`)
  let current: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    const known = typeof current === 'object' && current !== null && Object.hasOwn(current, key)
    // Own members only: a reference to "__proto__" or "constructor" finds nothing.
    current = known ? (current as Json)[key] : undefined
  }
  if (current === undefined) throw new Unusable(`it refers to ${reference.slice(0, 100)}, which does not exist`)
  return current
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What a validator has to say. Many descriptions in use have small mistakes, so that this is told, not enforced. */
async function check(root: Json, length: number): Promise<string[]> {
  if (length > MAX_CHECKED) return []
  try {
    return (await ask({ kind: 'check', root })).problems ?? []
  } catch (error) {
    return [`The description could not be checked: ${error instanceof Error ? error.message.slice(0, 500) : 'unknown'}`]
  }
}

function invalid(message: string, cause?: unknown): PorticoError {
  return new PorticoError('invalid-definition', message, { cause })
}
