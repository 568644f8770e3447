/** The one way to open a place for shared state; the code of each kind of database is loaded when that kind is asked for. */

import { HostError } from '../errors.ts'
import { loadPeer, type OpenedState } from './opened-state.ts'
import type { PostgresLibrary } from './postgres/postgres-library.ts'
import type { RedisLibrary } from './redis/redis-library.ts'

/** Where state is kept that several processes share. */
export type StateSetting = SqliteSetting | PostgresSetting | RedisSetting

/** A file that processes of one machine share. */
export interface SqliteSetting {
  /** The file, on a disk of this machine (not on a network's); it is made where there is none. */
  readonly sqlite: string
  /** Whether each write also survives a power cut, at the cost of a wait for the disk. Otherwise the last moments may be lost. */
  readonly fullSync?: boolean
}

/** A PostgreSQL that processes of several machines share. Needs the package `pg`. */
export interface PostgresSetting {
  /** `postgres://name:password@host/database`; `?sslmode=verify-full` encrypts the way there. */
  readonly postgres: string
  /** Where its tables are; `portico` unless given. Made where there is none. */
  readonly schema?: string
  /** `() => import('pg')` where a bundler has to see the name; by default it is looked for at run time. */
  readonly library?: () => Promise<unknown>
}

/** A Redis or Valkey that processes of several machines share. Needs the package `redis`. */
export interface RedisSetting {
  /** `redis://name:password@host:6379/0`; `rediss://` encrypts the way there. */
  readonly redis: string
  /** Before the name of every key, in braces; `portico` unless given. */
  readonly prefix?: string
  /** `() => import('redis')` where a bundler has to see the name; by default it is looked for at run time. */
  readonly library?: () => Promise<unknown>
}

/**
 * Opens a place for state that outlives the process and that several processes share. The database itself is reached with the
 * first call, and again by itself after it was away; until then calls reject with `store-unavailable`.
 *
 * @example
 * ```ts
 * import { openState } from '@portico/host/state'
 * import { createTasks } from '@portico/sdk/tasks'
 *
 * const { store, bus } = await openState({ sqlite: '/var/lib/office/state.db' })
 * const tasks = createTasks({ store, bus })
 * ```
 */
export async function openState(setting: StateSetting): Promise<OpenedState> {
  const kinds = ['sqlite', 'postgres', 'redis'].filter((kind) => kind in setting)
  if (kinds.length !== 1) throw invalidSetting('State is kept in one place: name `sqlite`, `postgres` or `redis`')
  if ('sqlite' in setting) return openSqlite(setting)
  return 'postgres' in setting ? openPostgres(setting) : openRedis(setting)
}

async function openSqlite({ sqlite, fullSync }: SqliteSetting): Promise<OpenedState> {
  if (typeof sqlite !== 'string' || sqlite === '' || sqlite.startsWith(':') || sqlite.startsWith('file:')) {
    throw invalidSetting(
      '`sqlite` is the path of a file; for state in memory use createMemoryStore of @portico/sdk/state',
    )
  }
  const { openSqliteState } = await import('./sqlite/sqlite-state.ts')
  return openSqliteState(sqlite, fullSync === true)
}

async function openPostgres({ postgres, schema = 'portico', library }: PostgresSetting): Promise<OpenedState> {
  requireUrl('postgres', postgres, ['postgres:', 'postgresql:'])
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw invalidSetting('`schema` is made of small letters, digits and underscores, 40 at most')
  }
  const found = await (library?.() ?? loadPeer('State in PostgreSQL', 'pg'))
  const { openPostgresState } = await import('./postgres/postgres-state.ts')
  return openPostgresState(toLibrary<PostgresLibrary>(found, 'Pool'), { url: postgres, schema })
}

async function openRedis({ redis, prefix = 'portico', library }: RedisSetting): Promise<OpenedState> {
  requireUrl('redis', redis, ['redis:', 'rediss:'])
  if (!/^[\w.:-]{1,64}$/.test(prefix)) {
    throw invalidSetting('`prefix` is made of letters, digits, dots, colons and dashes, 64 at most')
  }
  const found = await (library?.() ?? loadPeer('State in Redis', 'redis'))
  const { openRedisState } = await import('./redis/redis-state.ts')
  return openRedisState(toLibrary<RedisLibrary>(found, 'createClient'), { url: redis, prefix })
}

/** A package of the older kind has its names under `default` too, or only there. */
function toLibrary<Library extends object>(found: unknown, member: keyof Library): Library {
  const { default: inner } = found as { readonly default?: unknown }
  const library = [found, inner].find((one) => typeof one === 'object' && one !== null && member in one)
  if (library === undefined) throw invalidSetting(`\`library\` gives a package without ${String(member)}`)
  // It has the member by which the package is known.
  return library as Library
}

function requireUrl(name: string, url: unknown, schemes: readonly string[]): void {
  const isFit = typeof url === 'string' && URL.canParse(url) && schemes.includes(new URL(url).protocol)
  // The URL may hold a password, so it is not repeated.
  if (!isFit)
    throw invalidSetting(`\`${name}\` is a URL that begins with ${schemes.map((one) => `${one}//`).join(' or ')}`)
}

function invalidSetting(problem: string): HostError {
  return new HostError('invalid-config', problem, { data: { problems: [problem] } })
}
