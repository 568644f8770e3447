/**
 * The section `gateway` of portico.json: where the gateway listens, who is let in, what each sees and how much each may
 * do. Only the user's own files have a say; what is wrong is said by its place, all at once.
 */

import type { LoadedConfig } from '@portico/host/config'
import type { GatewayLimits, ViewRule, Views } from '@portico/host/gateway'
import { nearestName } from '@portico/host/text'
import { isObject } from '@portico/sdk/internal'
import type { Principal } from '@portico/sdk/server'
import type { StateSettings } from './gateway-state.ts'
import type { TasksSettings } from './gateway-tasks.ts'

export interface GatewaySettings {
  readonly port?: number
  readonly host?: string
  readonly path?: string
  readonly webSocketPath?: string
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string }
  readonly auth?: AuthSettings
  readonly signIn?: SignInSettings
  readonly name?: string
  readonly title?: string
  readonly instructions?: string
  readonly ownNames?: boolean
  readonly pageSize?: number
  readonly limits?: Partial<GatewayLimits>
  readonly views?: readonly ViewRow[]
  readonly operations?: OperationsSettings
  readonly tasks?: TasksSettings
  /** What all gateways with this file share. */
  readonly state?: StateSettings
}

/** The port for those who run the gateway: metrics, health, and actions for whoever has the token. */
export interface OperationsSettings {
  readonly port?: number
  readonly host?: string
  readonly allowedHosts?: readonly string[]
  /** The variable that holds the token for actions; `NAME_FILE` may name a file instead. */
  readonly token?: string
}

export type AuthSettings =
  | {
      readonly way: 'oauth'
      readonly issuer?: string
      readonly resource?: string
      readonly scopes?: readonly string[]
      readonly audiences?: readonly string[]
    }
  /** Names of callers, with the variables of the environment that hold their tokens. */
  | { readonly way: 'token'; readonly tokens?: { readonly [name: string]: string } }
  | { readonly way: 'certificate' }
  | { readonly way: 'none' }

/** The pages where users sign in to servers. */
interface SignInSettings {
  /** Where browsers find them; `/sign-in` at the gateway's own address unless given. */
  readonly url?: string
  /** How the pages are known to the issuer of `auth`, where it does not register clients. */
  readonly clientId?: string
  /** Nobody is asked whose browser it is. */
  readonly dangerouslyTrustLinks?: boolean
}

/** What those see who are named here; the first row that fits counts. */
interface ViewRow extends ViewRule {
  /** Ids with `*`; everybody unless given. */
  readonly principals?: readonly string[]
  /** One of these must be in the claim `roles`. */
  readonly roles?: readonly string[]
}

interface ReadGateway {
  readonly settings: GatewaySettings
  /** Each with its place: `gateway.port must be a whole number`. */
  readonly problems: readonly string[]
}

type Check = (value: unknown, at: string, problems: string[]) => void

const text: Check = (value, at, problems) => typeof value !== 'string' && problems.push(`${at} must be text`)
const flag: Check = (value, at, problems) => typeof value !== 'boolean' && problems.push(`${at} must be true or false`)
const count: Check = (value, at, problems) =>
  !(Number.isSafeInteger(value) && (value as number) >= 0) && problems.push(`${at} must be a whole number`)
const texts: Check = (value, at, problems) =>
  !(Array.isArray(value) && value.every((one) => typeof one === 'string')) &&
  problems.push(`${at} must be a list of texts`)

function object(members: { readonly [name: string]: Check }, other?: Check): Check {
  return (value, at, problems) => {
    if (!isObject(value)) {
      problems.push(`${at} must be an object`)
      return
    }
    for (const [name, member] of Object.entries(value)) {
      const check = Object.hasOwn(members, name) ? members[name] : other
      if (check === undefined) problems.push(`${at}.${name} is not known${insteadOf(name, Object.keys(members))}`)
      else check(member, `${at}.${name}`, problems)
    }
  }
}

/** Names of the options in code are written otherwise in the file. */
const IN_FILE: { readonly [name: string]: string } = {
  allowAnonymous: '; write "auth": { "way": "none" }',
}

function insteadOf(name: string, known: readonly string[]): string {
  if (Object.hasOwn(IN_FILE, name)) return IN_FILE[name] ?? ''
  const near = nearestName(name, known)
  return near === undefined ? '' : `; did you mean "${near}"?`
}

const auth: Check = (value, at, problems) => {
  const known = { oauth: OAUTH, token: TOKEN, certificate: object({ way: text }), none: object({ way: text }) }
  const way = isObject(value) ? value.way : undefined
  if (typeof way === 'string' && Object.hasOwn(known, way)) known[way as keyof typeof known](value, at, problems)
  else problems.push(`${at}.way must be one of ${Object.keys(known).join(', ')}`)
}
const OAUTH = object({ way: text, issuer: text, resource: text, scopes: texts, audiences: texts })
const TOKEN = object({ way: text, tokens: object({}, text) })
const VIEW = object({ principals: texts, roles: texts, servers: texts, items: texts, hidden: texts, search: flag })
const AMOUNTS = { callsPerMinute: count, maxConcurrent: count }

const SECTION = object({
  port: count,
  host: text,
  path: text,
  webSocketPath: text,
  allowedHosts: texts,
  allowedOrigins: texts,
  tls: object({ cert: text, key: text, clientCa: text }),
  auth,
  signIn: object({ url: text, clientId: text, dangerouslyTrustLinks: flag }),
  name: text,
  title: text,
  instructions: text,
  ownNames: flag,
  pageSize: count,
  limits: object({
    ...AMOUNTS,
    listsPerMinute: count,
    maxConnections: count,
    maxArgumentBytes: count,
    maxResultBytes: count,
    tools: object({}, object(AMOUNTS)),
  }),
  operations: object({ port: count, host: text, allowedHosts: texts, token: text }),
  tasks: object({ sqlite: text, ttlMs: count, pollIntervalMs: count }),
  state: object({
    sqlite: text,
    redis: text,
    postgres: text,
    prefix: text,
    schema: text,
    fullSync: flag,
    keys: texts,
    door: object({ host: text, port: count, url: text, folder: text }),
  }),
  views: (value, at, problems) => {
    if (!Array.isArray(value)) problems.push(`${at} must be a list`)
    else for (const [index, row] of value.entries()) VIEW(row, `${at}[${index}]`, problems)
  },
})

export function readGatewaySettings({ extras }: Pick<LoadedConfig, 'extras'>): ReadGateway {
  const problems: string[] = []
  let settings: GatewaySettings = {}
  for (const { scope, gateway } of extras) {
    if (gateway === undefined || scope !== 'user') continue
    const before = problems.length
    SECTION(gateway, 'gateway', problems)
    // Every member has just been held against its kind.
    if (problems.length === before) settings = { ...settings, ...(gateway as GatewaySettings) }
  }
  return { settings, problems }
}

/** The views as the gateway asks for them; everything for everybody where there are no rows. */
export function toViews(rows: readonly ViewRow[] | undefined): Views {
  if (rows === undefined) return () => EVERYTHING
  const ready = rows.map(({ principals, roles, ...rule }) => ({ rule, fits: fitting(principals, roles) }))
  return (principal) => ready.find(({ fits }) => fits(principal))?.rule
}

const EVERYTHING: ViewRule = {}

function fitting(
  principals: readonly string[] | undefined,
  roles: readonly string[] | undefined,
): (principal: Principal | undefined) => boolean {
  const patterns = principals?.map(toPattern)
  return (principal) => {
    const id = principal?.id ?? ''
    if (patterns !== undefined && !patterns.some((parts) => matches(id, parts))) return false
    if (roles === undefined) return true
    const own = principal?.claims?.roles
    return Array.isArray(own) && own.some((role) => roles.includes(String(role)))
  }
}

function toPattern(pattern: string): readonly string[] {
  return pattern.split('*')
}

/** The parts in order, the first at the beginning and the last at the end. */
function matches(name: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  const end = name.length - last.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
