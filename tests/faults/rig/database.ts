/** The databases behind the last link: real processes, each with a proxy before it. One of a kind for each worker. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { StateSetting } from '@portico/host/state'
import { FaultProxy } from '@portico/sdk/testing/faults'
import { places, redisLibrary } from '../../scale/places.ts'
import { makeDataFolder, unprivileged } from '../../support/database-process.ts'
import { freePort } from '../../support/free-port.ts'
import { until, withLimit } from '../../support/wait.ts'

export interface Database {
  readonly port: number
  readonly proxy: FaultProxy
  /** A place of its own in it, reached by a port. */
  fresh(): (port: number) => StateSetting
  signal(signal: NodeJS.Signals): void
  /** Ends it and waits until it has. */
  end(signal: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Takes every fault back. */
  calm(): void
  stop(): Promise<void>
}

export type DatabaseKind = 'redis' | 'postgres'

const opened = new Map<DatabaseKind, Promise<Database>>()

export const databases = {
  get(kind: DatabaseKind): Promise<Database> {
    const found = opened.get(kind) ?? (kind === 'redis' ? openRedis() : openPostgres())
    opened.set(kind, found)
    return found
  },
}

export async function closeDatabases(): Promise<void> {
  for (const database of opened.values()) await (await database).stop()
  opened.clear()
}

/** Why a database cannot be tried here. */
export function missingDatabase(kind: DatabaseKind): string | undefined {
  const lacks = kind === 'redis' && spawnSync('redis-server', ['--version']).error !== undefined
  return lacks ? 'there is no redis-server (apt-get install redis-server)' : undefined
}

let given = 0

/** It keeps every write on disk before it answers, so that what it has said is true after its end. */
async function openRedis(): Promise<Database> {
  const port = await freePort()
  const folder = makeDataFolder('faults-redis')
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes']
  const proxy = await FaultProxy.open({ port })
  let child: ChildProcess | undefined
  const database: Database = {
    port,
    proxy,
    fresh() {
      const prefix = `faults-${++given}`
      return (at) => ({ redis: `redis://127.0.0.1:${at}`, prefix, library: redisLibrary })
    },
    signal: (signal) => child?.kill(signal),
    async end(signal) {
      if (child?.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await withLimit(ended, 20_000, 'the end of the database')
    },
    async start() {
      const started = spawn('redis-server', [...words, '--appendfsync', 'always'], {
        cwd: folder,
        stdio: 'ignore',
        ...unprivileged(),
      })
      child = started
      await until(() => isOpen(port), 'the database listens', 20_000)
    },
    calm: () => calm(proxy),
    async stop() {
      await proxy.close()
      await database.end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await database.start()
  return database
}

/** Its own process is not ended here: that is what the other database is for. */
async function openPostgres(): Promise<Database> {
  const place = await places.get('postgres')
  const port = place.port ?? 0
  const proxy = await FaultProxy.open({ port })
  const never = (): never => {
    throw new Error('this database is not ended')
  }
  return {
    port,
    proxy,
    fresh() {
      const setting = place.fresh(port)
      return (at) => JSON.parse(JSON.stringify(setting).replace(`:${port}/`, `:${at}/`))
    },
    signal: never,
    end: never,
    start: never,
    calm: () => calm(proxy),
    async stop() {
      await proxy.close()
      await places.stop()
    },
  }
}

function calm(proxy: FaultProxy): void {
  proxy.hooks = {}
  proxy.pace = undefined
  proxy.release()
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const answered = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return answered
}
