/**
 * Tasks by BullMQ: a job says which task is due, and nothing of the task itself. What is true is in the store of
 * `createTasks`, so a job that is late, doubled or lost does no harm.
 */

import type { TaskJob, TaskQueue } from '@portico/sdk/tasks'
import { HostError } from '../../errors.ts'
import { withLimit } from '../link.ts'
import { loadPeer, unavailable } from '../opened-state.ts'
import { type BullEngine, type BullHandle, createPostgresEngine, createRedisEngine } from './bull-engines.ts'
import type { BullLibrary, BullPoolLibrary, BullWorker, RedisClientLibrary } from './bull-library.ts'

/** Where the queue is, and how much of it one process takes at a time. */
export type BullQueueSetting = BullRedisSetting | BullPostgresSetting

/** What both kinds of queue have. */
export interface BullQueueOptions {
  /** The name of the queue, one for each kind of server; `tasks` unless given. */
  readonly name?: string
  /** How many tasks one process runs at a time; 10 unless given. */
  readonly concurrency?: number
  /** `() => import('bullmq')` where a bundler has to see the name; by default it is looked for at run time. */
  readonly bullmq?: () => Promise<unknown>
}

/** A queue in Redis or Valkey. Needs the package `redis`. */
export interface BullRedisSetting extends BullQueueOptions {
  /** `redis://name:password@host:6379/0`; `rediss://` encrypts the way there. */
  readonly redis: string
  /** Before the name of every key, in braces; `portico` unless given. */
  readonly prefix?: string
  /** `() => import('redis')`, as for `bullmq`. */
  readonly library?: () => Promise<unknown>
}

/** A queue in PostgreSQL 13 or newer, in a schema `bullmq` that is made where there is none. Needs the package `pg`. */
export interface BullPostgresSetting extends BullQueueOptions {
  /** `postgres://name:password@host/database`. */
  readonly postgres: string
  /** `() => import('pg')`, as for `bullmq`. */
  readonly library?: () => Promise<unknown>
}

/** A queue for `createTasks`. Close it when the program ends. */
export interface BullQueue extends TaskQueue {
  /** Takes no more jobs, waits a little for those under way, and disconnects. */
  close(): Promise<void>
}

const PUSH_MS = 5000
const CLOSE_MS = 5000
const WHAT = 'A queue of tasks'

/**
 * Opens a queue of tasks by BullMQ, in Redis, Valkey or PostgreSQL. Needs the package `bullmq`, and `redis` or `pg`.
 *
 * @example
 * ```ts
 * import { openBullQueue } from '@portico/host/bullmq'
 * import { openState } from '@portico/host/state'
 * import { createTasks } from '@portico/sdk/tasks'
 *
 * const redis = 'redis://127.0.0.1:6379'
 * const { store, bus } = await openState({ redis })
 * const tasks = createTasks({ store, bus, queue: await openBullQueue({ redis }) })
 * ```
 */
export async function openBullQueue(setting: BullQueueSetting): Promise<BullQueue> {
  const { name = 'tasks', concurrency = 10 } = setting
  const prefix = 'redis' in setting ? (setting.prefix ?? 'portico') : 'portico'
  if (!/^[\w.-]{1,64}$/.test(prefix) || !/^[\w.-]{1,64}$/.test(name) || !(concurrency >= 1)) {
    throw invalidSetting(
      '`prefix` and `name` are made of letters, digits, dots and dashes, and `concurrency` is 1 at least',
    )
  }
  if ('redis' in setting === 'postgres' in setting) throw invalidSetting('A queue is in `redis` or in `postgres`')
  // Whoever names another library answers for what it has.
  const bull = (await (setting.bullmq?.() ?? loadPeer(WHAT, 'bullmq'))) as BullLibrary
  const engine = await toEngine(setting, bull, prefix)
  return new OpenedBullQueue(bull, engine, { name, concurrency })
}

async function toEngine(setting: BullQueueSetting, bull: BullLibrary, prefix: string): Promise<BullEngine> {
  if ('redis' in setting) {
    const clients = (await (setting.library?.() ?? loadPeer(WHAT, 'redis'))) as RedisClientLibrary
    return createRedisEngine(clients, setting.redis, prefix)
  }
  const found = (await (setting.library?.() ?? loadPeer(WHAT, 'pg'))) as { readonly default?: unknown }
  // A package of the older kind has its names under `default` too, or only there.
  const pools = ('Pool' in found ? found : found.default) as BullPoolLibrary
  return createPostgresEngine(bull, pools, setting.postgres)
}

function invalidSetting(problem: string): HostError {
  return new HostError('invalid-config', problem, { data: { problems: [problem] } })
}

interface QueuePlace {
  readonly name: string
  readonly concurrency: number
}

class OpenedBullQueue implements BullQueue {
  readonly #bull: BullLibrary
  readonly #engine: BullEngine
  readonly #place: QueuePlace
  readonly #queue: InstanceType<BullLibrary['Queue']>
  readonly #handles: BullHandle[] = []
  /** Each with how it ends, once. */
  readonly #workers = new Map<BullWorker, () => Promise<void>>()

  constructor(bull: BullLibrary, engine: BullEngine, place: QueuePlace) {
    this.#bull = bull
    this.#engine = engine
    this.#place = place
    this.#queue = new bull.Queue(place.name, this.#options(), engine.backend)
    this.#queue.on('error', () => {})
  }

  async push({ id, epoch, at }: TaskJob): Promise<void> {
    // One that waits for its moment does not stand in for one that is due now.
    const jobId = at === undefined ? `${id}.${epoch}` : `${id}.${epoch}.${Math.ceil(at)}`
    const delay = at === undefined ? 0 : Math.max(0, Math.ceil(at - Date.now()))
    const options = { jobId, delay, removeOnComplete: true, removeOnFail: true }
    try {
      await withLimit(this.#queue.add('task', { id, epoch }, options), PUSH_MS)
    } catch (error) {
      throw unavailable(
        'The queue of tasks cannot be reached: see that its database runs and can be reached from here',
        error,
      )
    }
  }

  async take(run: (job: TaskJob) => Promise<void>): Promise<() => Promise<void>> {
    const { name, concurrency } = this.#place
    const work = async ({ data }: { readonly data: unknown }): Promise<void> => {
      // Whoever else writes into that database can at most name a task that is there.
      const { id, epoch } = (data ?? {}) as { readonly id?: unknown; readonly epoch?: unknown }
      if (typeof id === 'string' && typeof epoch === 'number') await run({ id, epoch })
    }
    const worker = new this.#bull.Worker(name, work, { ...this.#options(), concurrency }, this.#engine.backend)
    worker.on('error', () => {})
    let ending: Promise<void> | undefined
    const end = (): Promise<void> => {
      ending ??= withLimit(worker.close(), CLOSE_MS)
        .catch(() => worker.close(true))
        .finally(() => this.#workers.delete(worker))
      return ending
    }
    this.#workers.set(worker, end)
    return end
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#workers.values()].map((end) => end()))
    await withLimit(this.#queue.close(), CLOSE_MS).catch(() => {})
    await Promise.all(this.#handles.map(({ end }) => end()))
  }

  /** With a connection of its own. */
  #options(): { readonly connection: object; readonly prefix?: string } {
    const { prefix } = this.#engine
    const handle = this.#engine.connect()
    this.#handles.push(handle)
    return { connection: handle.connection, ...(prefix !== undefined && { prefix }) }
  }
}
