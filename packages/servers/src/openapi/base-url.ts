/** Where a description's operations are: the operator's word, else the description's first server with its variables. */

import { PorticoError } from '@portico/sdk/server'
import { type Description, isRecord, Unusable } from './description.ts'
import type { Operation } from './operation.ts'

export interface BaseUrlOptions {
  readonly baseUrl?: string | undefined
  /** `name=value` for variables of a server's URL. */
  readonly serverVariables?: readonly string[] | undefined
}

export function readBaseUrl(description: Description, options: BaseUrlOptions): URL {
  const { baseUrl } = options
  if (baseUrl !== undefined) return toBase(baseUrl, undefined)
  const servers = Array.isArray(description.root.servers) ? description.root.servers : []
  return toBase(expand(servers[0], options), description.source)
}

/** The base of one operation; only its path may differ from the base of all. */
export function baseUrlOf(operation: Operation, base: URL, description: Description, options: BaseUrlOptions): URL {
  const [own] = operation.servers ?? []
  if (own === undefined || options.baseUrl !== undefined) return base
  const url = toBase(expand(own, options), description.source)
  if (url.origin !== base.origin) {
    throw new Unusable(`it is at ${url.host}, not at ${base.host}; give baseUrl to send it there`)
  }
  return url
}

function expand(server: unknown, { serverVariables = [] }: BaseUrlOptions): string {
  if (!isRecord(server) || typeof server.url !== 'string') return '/'
  const given = new Map(serverVariables.map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]))
  const variables = isRecord(server.variables) ? server.variables : {}
  return server.url.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    const fallback = isRecord(variable) && typeof variable.default === 'string' ? variable.default : undefined
    const value = given.get(name) ?? fallback
    const choices = isRecord(variable) && Array.isArray(variable.enum) ? variable.enum : undefined
    if (value === undefined) throw invalid(`The server's address needs "${name}" (option serverVariables).`)
    if (choices !== undefined && !choices.includes(value)) {
      throw invalid(`"${name}" in serverVariables must be one of ${choices.join(', ')}.`)
    }
    return value
  })
}

function toBase(text: string, relativeTo: URL | undefined): URL {
  if (!URL.canParse(text, relativeTo?.href)) {
    throw invalid('The description does not say where the service is. Give its address: option baseUrl.')
  }
  const url = new URL(text, relativeTo)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('baseUrl must be an http or https address.')
  url.hash = ''
  url.search = ''
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  return url
}

function invalid(message: string): PorticoError {
  return new PorticoError('invalid-arguments', message)
}
