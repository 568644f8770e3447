/** The settings of our own form, each with its reader; other programs' files have none of them. */

import type { LogLevel } from '@portico/sdk/server'
import type { ConfigText, Spot } from './formats/config-text.ts'
import { boolean, type Field, list, object, record, string, whole, word } from './formats/entry-fields.ts'
import { DEFAULT_SETTINGS, type ItemOverride, type ServerSettings } from './server-config.ts'

/** Reads what is set; undefined when something in it cannot be used. */
export function readSettings(text: ConfigText, members: ReadonlyMap<string, Spot>): ServerSettings | undefined {
  const given: { [name: string]: unknown } = {}
  let usable = true
  for (const [name, field] of SETTINGS) {
    const spot = members.get(name)
    if (spot === undefined) continue
    const value = field(text, spot)
    if (value === undefined) usable = false
    given[name] = value
  }
  // The readers of the table give what the type says for each name.
  return usable ? ({ ...DEFAULT_SETTINGS, ...given } as ServerSettings) : undefined
}

/** What differs from the defaults, as our form has it. */
export function writeSettings(settings: ServerSettings): { [name: string]: unknown } {
  const written: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const value = settings[name]
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[name])) written[name] = value
  }
  return written
}

const DAY_MS = 86_400_000

/** From the most talkative to the most urgent. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const satisfies readonly LogLevel[]

const tasks = word(['auto', 'off'] as const)
const tasksAfterMs = whole(0, DAY_MS)

const override = parts<ItemOverride>(
  { rename: string, hide: boolean, describe: string, presets: object, tasks, tasksAfterMs },
  {},
)

const sampling = parts<ServerSettings['sampling']>(
  { models: list(string), requestsPerMinute: whole(0, 1_000_000), tokensPerDay: whole(0, Number.MAX_SAFE_INTEGER) },
  DEFAULT_SETTINGS.sampling,
)

const READERS: { readonly [name in keyof Required<ServerSettings>]: Field<unknown> } = {
  disabled: boolean,
  lazy: boolean,
  startMs: whole(1, DAY_MS),
  callMs: whole(1, DAY_MS),
  maxConcurrent: whole(1, 100_000),
  callsPerMinute: whole(0, 1_000_000),
  shareable: boolean,
  tasks,
  tasksAfterMs,
  trusted: boolean,
  roots: list(string),
  logLevel: word(LOG_LEVELS),
  tools: record(override),
  resources: record(override),
  prompts: record(override),
  sampling,
  auth: object,
  tls: object,
}

const SETTINGS = Object.entries(READERS)
// The keys of a record that has exactly these.
export const SETTING_NAMES = Object.keys(READERS) as readonly (keyof ServerSettings)[]

/** An object of known members; what it does not say is as in `otherwise`. */
function parts<T extends object>(fields: { readonly [name in keyof T]-?: Field<unknown> }, otherwise: T): Field<T> {
  return (text, spot) => {
    if (spot.node.type !== 'object') return object(text, spot) && undefined
    const values: { [name: string]: unknown } = {}
    let usable = true
    for (const [name, member] of text.members(spot)) {
      const field: Field<unknown> | undefined = Object.hasOwn(fields, name) ? fields[name as keyof T] : undefined
      if (field === undefined) {
        text.warn(member, 'This name is not known here', `Known are ${Object.keys(fields).join(', ')}`)
        continue
      }
      const value = field(text, member)
      if (value === undefined) usable = false
      values[name] = value
    }
    // Every member came from the reader for its name.
    return usable ? ({ ...otherwise, ...values } as T) : undefined
  }
}
