/**
 * The section `gateway.state` of portico.json: where everything is kept that several gateways have in common. The same command,
 * any number of times with the same file, is then one gateway.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import { access, chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type OpenedState, openState, type SharedState, type StateSetting, shareState } from '@portico/host/state'
import { CliError } from '../../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import { NEW_KEY, readSecretSetting } from './secret-setting.ts'

export interface StateSettings {
  /** A file that processes of this machine share. */
  readonly sqlite?: string
  /** `redis://…`, or the variable that holds it. */
  readonly redis?: string
  /** `postgres://…`, or the variable that holds it. */
  readonly postgres?: string
  readonly prefix?: string
  readonly schema?: string
  readonly fullSync?: boolean
  /** Variables that hold the keys, newest first. */
  readonly keys?: readonly string[]
  /** Where the other replicas reach this one. */
  readonly door?: DoorSettings
}

interface DoorSettings {
  readonly host?: string
  readonly port?: number
  /** As others reach it, or the variable that holds that. */
  readonly url?: string
  /** Unix sockets in place of a port, for replicas of one machine. */
  readonly folder?: string
}

/** What is shared, with the keys for those who share sessions. */
export interface OwnState {
  readonly shared: SharedState
  readonly keys: readonly Uint8Array[]
}

const KEY_VARIABLE = 'PORTICO_STATE_KEY'
const PATIENCE_MS = 30_000
const VARIABLE = /^[A-Z_][A-Z0-9_]*$/

/** Opens it and joins the others; undefined where the file has no such section. */
export async function openSharedState(settings: StateSettings | undefined, io: Io): Promise<OwnState | undefined> {
  if (settings === undefined) return undefined
  const keys = await readKeys(settings, io, keyBeside)
  const opened = await openState(await toSetting(settings, io))
  return { shared: await join(opened, keys, io), keys }
}

/** The place and its keys, for one who only looks: nothing is made. Where no gateway has made a file yet, its path alone. */
export async function openStateToLook(
  settings: StateSettings,
  io: Io,
): Promise<{ readonly opened: OpenedState; readonly keys: readonly Uint8Array[] } | string> {
  const file = settings.sqlite === undefined ? undefined : resolve(io.cwd, settings.sqlite)
  const isThere =
    file === undefined ||
    (await access(file).then(
      () => true,
      () => false,
    ))
  if (file !== undefined && !isThere) return file
  const keys = await readKeys(settings, io, readKeyFile)
  return { opened: await openState(await toSetting(settings, io)), keys }
}

/** A database that starts together with us gets a moment. */
async function join(opened: OpenedState, keys: readonly Uint8Array[], io: Io): Promise<SharedState> {
  const until = performance.now() + PATIENCE_MS
  let isTold = false
  for (;;) {
    try {
      return await shareState(opened, { keys })
    } catch (error) {
      if (!isAway(error) || performance.now() > until || io.signal.aborted) {
        await opened.close()
        throw error
      }
      if (!isTold) io.say(`${io.paint.yellow('waiting')}: ${(error as Error).message}`)
      isTold = true
      await pause(500)
    }
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'store-unavailable'
}

async function toSetting(
  { sqlite, redis, postgres, prefix, schema, fullSync }: StateSettings,
  io: Io,
): Promise<StateSetting> {
  const named = { sqlite, redis, postgres }
  if (Object.values(named).filter((one) => one !== undefined).length !== 1) {
    throw new CliError('config', 'gateway.state is in one place', 'Give one of `sqlite`, `redis` and `postgres`.')
  }
  if (sqlite !== undefined) return { sqlite: resolve(io.cwd, sqlite), ...(fullSync !== undefined && { fullSync }) }
  if (redis !== undefined) return { redis: await urlOf(redis, 'redis', io), ...(prefix !== undefined && { prefix }) }
  return { postgres: await urlOf(postgres ?? '', 'postgres', io), ...(schema !== undefined && { schema }) }
}

/** The address as it is, or in the variable that is named in its place. */
export async function urlOf(given: string, member: keyof typeof ADDRESSES, { env }: Io): Promise<string> {
  if (!VARIABLE.test(given)) return given
  const [what, example] = ADDRESSES[member]
  return readSecretSetting({ variable: given, what, setting: `gateway.state.${member}`, example }, env)
}

const ADDRESSES = {
  redis: ['the address of Redis', 'redis://127.0.0.1:6379'],
  postgres: ['the address of PostgreSQL', 'postgres://127.0.0.1/portico'],
  'door.url': ['the address under which the other replicas reach this one', 'tcp://10.0.3.7:4100'],
} as const

/** What is sealed at one replica is opened at all of them: away from this machine, the key has to be given. */
async function readKeys(
  { keys, sqlite }: StateSettings,
  io: Io,
  keyOf: (file: string) => Promise<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  const named = keys ?? [KEY_VARIABLE]
  const isGiven =
    keys !== undefined || io.env[KEY_VARIABLE] !== undefined || (io.env[`${KEY_VARIABLE}_FILE`] ?? '') !== ''
  const keyOfState = { what: 'a key that seals the state', setting: 'gateway.state.keys', example: NEW_KEY }
  const read = (variable: string): Promise<string> => readSecretSetting({ ...keyOfState, variable }, io.env)
  if (isGiven) return Promise.all(named.map(async (name) => toKey(await read(name), name)))
  if (sqlite !== undefined) return [await keyOf(resolve(io.cwd, sqlite))]
  throw new CliError(
    'config',
    'What is kept in gateway.state is sealed, and there is no key',
    `Set ${KEY_VARIABLE} (or ${KEY_VARIABLE}_FILE) to the same in every replica: \`openssl rand -base64 32\` makes one.`,
  )
}

const KEY_BYTES = 32
const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[\w+/-]{43}=?$/

function toKey(text: string, name: string): Uint8Array {
  const trimmed = text.trim()
  if (HEX.test(trimmed)) return Buffer.from(trimmed, 'hex')
  const bytes = BASE64.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined
  if (bytes?.length === KEY_BYTES) return bytes
  throw new CliError('config', `${name} is no key`, 'A key is 32 bytes in base64 or hex: `openssl rand -base64 32`.')
}

/** Made once: of several processes that begin at the same time, one makes the key and all use it. */
async function keyBeside(file: string): Promise<Uint8Array> {
  const path = `${file}.key`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const found = await readFile(path).catch(() => undefined)
  if (found === undefined) {
    const draft = `${path}.${randomUUID()}`
    await writeFile(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' })
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(draft, { force: true })
  }
  await chmod(path, 0o600)
  return readKeyFile(file)
}

async function readKeyFile(file: string): Promise<Uint8Array> {
  const path = `${file}.key`
  const key = await readFile(path)
  if (key.length === KEY_BYTES) return key
  throw new CliError(
    'config',
    `${path} is no key of 32 bytes`,
    'Bring back the right file, or remove it with the state.',
  )
}
