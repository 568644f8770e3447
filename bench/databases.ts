/** The databases that axes with shared state need, on this machine and for one run: started by whoever first asks. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../tests/support/install.ts'
import { startPostgresProcess } from '../tests/support/postgres-process.ts'
import { redisLibraryFile, startValkey } from '../tests/support/valkey-process.ts'
import { rootFolder } from './prepare.ts'
import type { Contestant, Plan } from './programs/driver.ts'

interface Databases {
  /** What a program is told of its store. */
  readonly env: { readonly [store in NonNullable<Contestant['store']>]: { readonly [name: string]: string } }
  stop(): Promise<void>
}

export class Stores {
  #started: Promise<Databases> | undefined

  /** The plan, with everybody told where the store is that they ask for. */
  async tell(plan: Plan): Promise<Plan> {
    if (plan.contestants.every(({ store }) => store === undefined)) return plan
    this.#started ??= startDatabases()
    const { env } = await this.#started
    const contestants = plan.contestants.map((one) =>
      one.store === undefined ? one : { ...one, env: { ...one.env, ...env[one.store] } },
    )
    return { ...plan, contestants }
  }

  async stop(): Promise<void> {
    await (await this.#started)?.stop()
  }
}

async function startDatabases(): Promise<Databases> {
  installPackages(join(rootFolder, 'tests', 'scale'))
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const valkey = await startValkey()
  const postgres = await startPostgresProcess(isReady)
  const BENCH_REDIS = redisLibraryFile()
  return {
    env: {
      SQLite: { BENCH_STATE: JSON.stringify({ sqlite: join(folder, 'state.db') }) },
      Valkey: { BENCH_STATE: JSON.stringify({ redis: `redis://127.0.0.1:${valkey.port}` }), BENCH_REDIS },
      PostgreSQL: { BENCH_STATE: JSON.stringify({ postgres: urlOf(postgres.port) }) },
    },
    stop: async () => {
      await valkey.stop()
      await postgres.running.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

async function isReady(port: number): Promise<void> {
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString: urlOf(port) })
  await client.connect()
  await client.end()
}
