/** The databases of this suite: started when they are first needed, each giving as many fresh places as are asked for. */

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StateSetting } from '@portico/host/state'
import pg from 'pg'
import { eventually, makeDataFolder, startProcess } from '../support/database-process.ts'
import { freePort } from '../support/free-port.ts'
import { startPostgresProcess } from '../support/postgres-process.ts'
import { startValkey } from '../support/valkey-process.ts'

export type Kind = 'sqlite' | 'postgres' | 'valkey' | 'redis'

/** A database that runs. */
export interface Place {
  /** Where it listens; none for a file. */
  readonly port?: number
  /** A place of its own in it, reached by another port where one is given. */
  fresh(port?: number): StateSetting
  stop(): Promise<void>
}

const started = new Map<Kind, Promise<Place>>()
let given = 0

export const places = {
  get(kind: Kind): Promise<Place> {
    const found = started.get(kind) ?? STARTS[kind]()
    started.set(kind, found)
    return found
  },
  async stop(): Promise<void> {
    for (const place of started.values()) await (await place).stop()
  },
}

const STARTS: { readonly [kind in Kind]: () => Promise<Place> } = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'portico-scale-'))
    return {
      fresh: () => ({ sqlite: join(folder, `${++given}.db`) }),
      stop: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    }
  },
  async postgres() {
    const { port, running } = await startPostgresProcess(isPostgresReady)
    return {
      port,
      fresh: (at = port) => ({ postgres: postgresUrl(at), schema: `place_${++given}` }),
      stop: () => running.stop(),
    }
  },
  async valkey() {
    const { port, stop } = await startValkey()
    return redisPlace(port, stop)
  },
  async redis() {
    const port = await freePort()
    const folder = makeDataFolder('redis')
    const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const running = startProcess(REDIS, words, folder)
    await running.orStop(() => eventually(() => isOpen(port)))
    return redisPlace(port, () => running.stop())
  },
}

const REDIS = 'redis-server'

/** Why a database cannot be tried here. */
export function missingFor(kind: Kind): string | undefined {
  const lacks = kind === 'redis' && spawnSync(REDIS, ['--version']).error !== undefined
  return lacks ? 'there is no redis-server (apt-get install redis-server)' : undefined
}

function redisPlace(port: number, stop: () => Promise<void>): Place {
  const fresh = (at = port) => ({
    redis: `redis://127.0.0.1:${at}`,
    prefix: `place-${++given}`,
    library: redisLibrary,
  })
  return { port, fresh, stop }
}

async function isOpen(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

/** The suite's own installation of the library, which the host's package does not see. */
export function redisLibrary(): Promise<unknown> {
  return import('redis')
}

/** Where PostgreSQL is, with a password that must be told to nobody. */
export function postgresUrl(port: number): string {
  return `postgres://postgres:secret-word@127.0.0.1:${port}/postgres`
}

/** Whether it takes connections; rejects until it does. */
export async function isPostgresReady(port: number): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl(port) })
  await client.connect()
  await client.end()
}
