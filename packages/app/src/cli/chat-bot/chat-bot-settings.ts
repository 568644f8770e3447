/**
 * The section `chatBot` of portico.json: where the bot answers, how much may be used up, and where its secrets are. Only the user's own
 * files have a say; what is wrong is said by its place, all at once.
 */

import { CHAT_LIMITS, type ChatSettings } from '@portico/host/chat'
import type { LoadedConfig } from '@portico/host/config'
import type { StateSetting } from '@portico/host/state'
import { nearestName } from '@portico/host/text'
import { isObject } from '@portico/sdk/internal'

export interface ChatBotSettings extends ChatSettings {
  /** Roles of people, by id, for rules. */
  readonly roles?: { readonly [person: string]: readonly string[] }
  readonly port?: number
  readonly host?: string
  /** Where browsers reach the pages for signing in. */
  readonly signInUrl?: string
  readonly state?: StateSetting | 'memory'
  /** The tokens are in variables of the environment; these are their names. */
  readonly slack?: {
    readonly mode?: 'socket' | 'http'
    readonly base?: string
    readonly botToken?: string
    readonly appToken?: string
    readonly signingSecret?: string
  }
  readonly webhook?: { readonly url?: string; readonly name?: string; readonly secret?: string }
}

type Check = (value: unknown) => string | undefined
type Shape = { readonly [member: string]: Check | Shape }

const text: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be text')
const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be a list of texts'
const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be a whole number'
const positive: Check = (value) => count(value) ?? (value === 0 ? 'must be 1 or more' : undefined)
const amount: Check = (value) => (typeof value === 'number' && value >= 0 ? undefined : 'must be a number')
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')
const mode: Check = (value) => (value === 'socket' || value === 'http' ? undefined : 'must be socket or http')

/** Names whatever is in an object, and checks each alike. */
const ANY = '*'
const PLACE: Shape = {
  project: text,
  model: text,
  system: text,
  tools: texts,
  followThreads: flag,
  budget: { turns: count, calls: count, tokens: count, cost: amount },
}
const SECTION: Shape = {
  channels: { [ANY]: PLACE },
  direct: PLACE,
  teams: texts,
  people: texts,
  roles: { [ANY]: texts },
  limits: Object.fromEntries(Object.keys(CHAT_LIMITS).map((name) => [name, positive])),
  port: count,
  host: text,
  signInUrl: text,
  state: { [ANY]: text },
  slack: { mode, base: text, botToken: text, appToken: text, signingSecret: text },
  webhook: { url: text, name: text, secret: text },
}

/** What may stand in place of an object. */
const INSTEAD: { readonly [at: string]: unknown } = { 'chatBot.direct': false, 'chatBot.state': 'memory' }

function check(value: unknown, shape: Check | Shape, at: string): string[] {
  if (typeof shape === 'function') {
    const problem = shape(value)
    return problem === undefined ? [] : [`${at} ${problem}`]
  }
  if (Object.hasOwn(INSTEAD, at) && value === INSTEAD[at]) return []
  if (!isObject(value)) return [`${at} must be an object`]
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(shape, ANY) ? shape[ANY] : Object.hasOwn(shape, name) ? shape[name] : undefined
    if (known !== undefined) return check(member, known, `${at}.${name}`)
    const near = nearestName(name, Object.keys(shape))
    return [`${at}.${name} is not known${near === undefined ? '' : `; did you mean "${near}"?`}`]
  })
}

/** Each problem with its place: `chatBot.port must be a whole number`. */
export function readChatBotSettings({ extras }: Pick<LoadedConfig, 'extras'>): {
  readonly settings: ChatBotSettings
  readonly problems: readonly string[]
  /** Whether any file has the section. */
  readonly isThere: boolean
} {
  const sections = extras.flatMap(({ scope, chatBot }) => (scope === 'user' && chatBot !== undefined ? [chatBot] : []))
  const problems = sections.flatMap((section) => check(section, SECTION, 'chatBot'))
  // Every member has just been held against its kind.
  const settings = problems.length > 0 ? {} : Object.assign({}, ...(sections as ChatBotSettings[]))
  return { settings, problems, isThere: sections.length > 0 }
}
