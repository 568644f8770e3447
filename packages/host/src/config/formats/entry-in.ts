/**
 * One entry of any program's file, read into what it means: where the server is, and our settings where the form has
 * them. Reports what is wrong with the entry and leaves the others alone.
 */

import { fromPieces, toPieces } from '../command/variables.ts'
import { insteadOf } from '../nearest-name.ts'
import { DEFAULT_SETTINGS, type ServerConfig, type ServerSettings, type ServerTarget } from '../server-config.ts'
import { readSettings, SETTING_NAMES } from '../settings.ts'
import { fingerprintOf } from '../trust/fingerprint.ts'
import { CONFIG_LIMITS, type Spot } from './config-text.ts'
import { boolean, type Field, list, object, record, scalar, string } from './entry-fields.ts'
import { checkText, type EntryContext, type TextUse } from './entry-text.ts'

/** The server that an entry describes, or undefined after its problems were reported. */
export function readEntry(context: EntryContext, name: string, spot: Spot): ServerConfig | undefined {
  const { text, form } = context
  if (!isUsableName(name)) {
    const remedy = `Use 1 to ${CONFIG_LIMITS.maxNameLength} characters without control characters`
    text.error(spot, 'A server cannot have this name', remedy)
    return undefined
  }
  if (spot.node.type !== 'object') {
    text.error(spot, 'A server must be an object', 'Write { "command": … } or { "url": … }')
    return undefined
  }
  const fields = new EntryFields(context, text.members(spot))
  const target = readTarget(fields, spot)
  const settings = form === 'portico' ? readSettings(text, fields.members) : foreignSettings(fields)
  if (form === 'portico') fields.warnOfUnknown()
  if (target === undefined || settings === undefined || fields.failed) return undefined
  return { name, target, settings, place: text.place(spot), fingerprint: fingerprintOf(target, settings) }
}

/** The members of one entry; remembers whether any of them could not be used. */
class EntryFields {
  readonly context: EntryContext
  readonly members: ReadonlyMap<string, Spot>
  failed = false

  constructor(context: EntryContext, members: ReadonlyMap<string, Spot>) {
    this.context = context
    this.members = members
  }

  get<T>(name: string, field: Field<T>): T | undefined {
    const spot = this.members.get(name)
    // Programs write null for what is not set.
    if (spot === undefined || spot.node.type === 'null') return undefined
    const value = field(this.context.text, spot)
    if (value === undefined) this.failed = true
    return value
  }

  /** A value that may hold variables, checked for its use. */
  text(name: string, use: TextUse): string | undefined {
    return this.get(name, checked(this.context, use, string))
  }

  texts(name: string, use: TextUse): string[] | undefined {
    return this.get(name, list(checked(this.context, use, scalar)))
  }

  named(name: string, use: TextUse): { [name: string]: string } | undefined {
    return this.get(name, record(checked(this.context, use, scalar)))
  }

  error(spot: Spot, message: string, remedy: string): undefined {
    this.failed = true
    this.context.text.error(spot, message, remedy)
    return undefined
  }

  warnOfUnknown(): void {
    for (const [name, spot] of this.members) {
      if (!KNOWN.has(name))
        this.context.text.warn(spot, 'This name is not known here and does nothing', insteadOf(name, [...KNOWN]))
    }
  }
}

function checked(context: EntryContext, use: TextUse, field: Field<string>): Field<string> {
  return (text, spot) => {
    const value = field(text, spot)
    // One spelling for all, so that equal meanings have equal fingerprints.
    return value !== undefined && checkText(context, spot, use, value) ? fromPieces(toPieces(value)) : undefined
  }
}

/** What programs call the ways to a server. */
const TYPES: ReadonlyMap<string, ServerTarget['kind']> = new Map([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['streamable_http', 'http'],
  ['sse', 'sse'],
  ['ws', 'websocket'],
  ['websocket', 'websocket'],
  ['in-process', 'in-process'],
])

const URL_KEYS = ['url', 'serverUrl', 'httpUrl'] as const

const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'command', 'args', 'env', 'cwd', 'envFile', ...URL_KEYS, 'headers', 'module', 'options', 'description'],
  ...SETTING_NAMES,
])

function readTarget(fields: EntryFields, spot: Spot): ServerTarget | undefined {
  const named = fields.get('type', string)
  const kind = named === undefined ? undefined : TYPES.get(named)
  // `type` was there, or it would have no name.
  const typeSpot = fields.members.get('type') ?? spot
  if (named !== undefined && kind === undefined) {
    return fields.error(typeSpot, 'This type of server is not known', `Use one of ${[...TYPES.keys()].join(', ')}`)
  }
  const ways = [
    ...(fields.members.has('command') ? ['command' as const] : []),
    ...URL_KEYS.filter((key) => fields.members.has(key)),
    ...(fields.members.has('module') ? ['module' as const] : []),
  ]
  const [way] = ways
  if (way === undefined) {
    return fields.error(spot, 'The entry says neither `command` nor `url`', 'Add one of them, or remove the entry')
  }
  if (ways.length > 1) return fields.error(spot, `The entry has both \`${way}\` and \`${ways[1]}\``, 'Keep one of them')
  const fits = way === 'command' ? 'stdio' : way === 'module' ? 'in-process' : 'url'
  if (kind !== undefined && fits !== (kind === 'stdio' || kind === 'in-process' ? kind : 'url')) {
    return fields.error(typeSpot, `The type does not go with \`${way}\``, 'Correct `type`, or leave it out')
  }
  if (way === 'command') return readCommand(fields)
  if (way === 'module') return readModule(fields)
  return readUrl(fields, way, kind)
}

function readCommand(fields: EntryFields): ServerTarget | undefined {
  const spot = fields.members.get('command')
  // Zed has written the program and its arguments into one object.
  const inner = spot?.node.type === 'object' ? nestedCommand(fields, spot) : fields
  const command = inner.text(inner === fields ? 'command' : 'path', 'command')
  const args = inner.texts('args', 'argument') ?? []
  const env = inner.named('env', 'environment') ?? {}
  const cwd = inner.text('cwd', 'path')
  const envFile = inner.text('envFile', 'path')
  if (inner.failed) fields.failed = true
  if (fields.failed) return undefined
  if (command === undefined || command.trim() === '') {
    return spot && fields.error(spot, 'The command is empty', 'Write the program to start')
  }
  for (const name of Object.keys(env)) {
    if (name === '' || /[=\0]/.test(name)) {
      const message = 'An environment variable has a name that no system allows'
      return fields.error(fields.members.get('env') ?? spot!, message, 'Use letters, digits and underscores')
    }
  }
  return { kind: 'stdio', command, args, env, ...(cwd && { cwd }), ...(envFile && { envFile }) }
}

function nestedCommand({ context }: EntryFields, spot: Spot): EntryFields {
  const members = context.text.members(spot)
  const inner = new EntryFields(context, members)
  if (!members.has('path')) inner.error(spot, 'The command has no `path`', 'Write the program to start')
  return inner
}

function readModule(fields: EntryFields): ServerTarget | undefined {
  const module = fields.get('module', string)
  const options = fields.get('options', object) ?? {}
  return fields.failed || module === undefined ? undefined : { kind: 'in-process', module, options }
}

function readUrl(fields: EntryFields, key: string, named: ServerTarget['kind'] | undefined): ServerTarget | undefined {
  const url = fields.text(key, 'url')
  const headers = fields.named('headers', 'header') ?? {}
  if (fields.failed || url === undefined) return undefined
  const guessed = /^wss?:/i.test(url) ? 'websocket' : 'http'
  const kind = named === 'http' || named === 'sse' || named === 'websocket' ? named : guessed
  // A URL that begins with a variable is checked when that is known.
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  const allowed = kind === 'websocket' ? ['ws', 'wss'] : ['http', 'https']
  // `fields.text` has found it.
  const spot = fields.members.get(key)!
  if (!url.startsWith('${') && (scheme === undefined || !allowed.includes(scheme))) {
    return fields.error(spot, `The address must begin with ${allowed.join(':// or ')}://`, 'Correct the address')
  }
  if (/^(?:http|ws):\/\/(?!(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/?#]|$))/i.test(url)) {
    const remedy = 'Use https:// or wss:// unless the network is yours alone'
    fields.context.text.warn(spot, 'What is said to this server can be read on the way', remedy)
  }
  for (const name of Object.keys(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      return fields.error(
        fields.members.get('headers') ?? spot,
        'A header has a name that HTTP does not allow',
        'Correct it',
      )
    }
  }
  return { kind, url, headers }
}

/** Of other programs' members only what switches a server off has a meaning here. */
function foreignSettings(fields: EntryFields): ServerSettings {
  const isOff = fields.get('disabled', boolean) === true || fields.get('enabled', boolean) === false
  return isOff ? { ...DEFAULT_SETTINGS, disabled: true } : DEFAULT_SETTINGS
}

function isUsableName(name: string): boolean {
  if (name === '__proto__' || name.trim() === '' || name.length > CONFIG_LIMITS.maxNameLength) return false
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
}
