/** The two databases that BullMQ can keep its jobs in, and how each is reached. */

import { withLimit } from '../link.ts'
import { unavailable } from '../opened-state.ts'
import type {
  BullBackend,
  BullLibrary,
  BullPool,
  BullPoolLibrary,
  RedisClientLibrary,
  RedisHandle,
} from './bull-library.ts'

/** A connection as BullMQ takes it, and how it ends. */
export interface BullHandle {
  readonly connection: object
  end(): Promise<void>
}

/** Where jobs are kept. */
export interface BullEngine {
  readonly prefix?: string
  readonly backend?: BullBackend
  /** A connection of its own, which comes back by itself. */
  connect(): BullHandle
}

const OPEN_MS = 10_000
const END_MS = 2000
const MAX_CONNECTIONS = 5
/** Where BullMQ looks for its tables when it is given connections. */
const SCHEMA = 'bullmq'

export function createRedisEngine(library: RedisClientLibrary, url: string, prefix: string): BullEngine {
  return {
    prefix: `{${prefix}}:bull`,
    connect() {
      const handle = library.createClient({ url, name: 'portico-tasks' })
      handle.on('error', () => {})
      handle.connect().catch(() => {})
      return { connection: handle, end: async () => endQuietly(handle) }
    },
  }
}

/** Makes the tables first: BullMQ itself does not, and refuses to work without them. */
export async function createPostgresEngine(
  bull: BullLibrary,
  library: BullPoolLibrary,
  url: string,
): Promise<BullEngine> {
  const connect = (): BullHandle & { readonly connection: BullPool } => {
    const connection = new library.Pool({
      connectionString: url,
      connectionTimeoutMillis: OPEN_MS,
      query_timeout: OPEN_MS,
      application_name: 'portico-tasks',
      keepAlive: true,
      max: MAX_CONNECTIONS,
      allowExitOnIdle: true,
      options: `-c search_path="${SCHEMA}"`,
    })
    // A connection that was idle when it broke; the next query opens another.
    connection.on('error', () => {})
    return { connection, end: () => withLimit(connection.end(), END_MS).catch(() => {}) }
  }
  const { connection, end } = connect()
  try {
    await withLimit(makeTables(bull, connection), OPEN_MS)
  } catch (error) {
    throw unavailable(
      'The queue of tasks cannot be opened: see that its PostgreSQL runs, and that this role may CREATE in the database',
      error,
    )
  } finally {
    await end()
  }
  return { backend: bull.createPostgresBackend, connect }
}

async function makeTables({ runMigrations }: BullLibrary, pool: BullPool): Promise<void> {
  const client = await pool.connect()
  try {
    await runMigrations(client, SCHEMA)
  } finally {
    client.release()
  }
}

function endQuietly(handle: RedisHandle): void {
  try {
    handle.destroy()
  } catch {
    // It was closed already.
  }
}
