/**
 * Tasks by BullMQ: a job says which task is due, and nothing of the task itself. What is true is in the store of
 * `createTasks`, so a job that is late, doubled or lost does no harm.
 */

import type { TaskJob, TaskQueue } from '@portico/sdk/tasks'
import { HostError } from '../../errors.ts'
import { withLimit } from '../link.ts'
import { loadPeer, unavailable } from '../opened-state.ts'
import type { BullLibrary, BullWorker, RedisClientLibrary, RedisHandle } from './bull-library.ts'

/** Where the queue is, and how much of it one process takes at a time. */
export interface BullQueueSetting {
  /** `redis://name:password@host:6379/0`; `rediss://` encrypts the way there. */
  readonly redis: string
  /** Before the name of every key, in braces; `portico` unless given. */
  readonly prefix?: string
  /** The name of the queue, one for each kind of server; `tasks` unless given. */
  readonly name?: string
  /** How many tasks one process runs at a time; 10 unless given. */
  readonly concurrency?: number
  /** `() => import('bullmq')` where a bundler has to see the name; by default it is looked for at run time. */
  readonly bullmq?: () => Promise<unknown>
  /** `() => import('redis')`, likewise. */
  readonly library?: () => Promise<unknown>
}

/** A queue for `createTasks`. Close it when the program ends. */
export interface BullQueue extends TaskQueue {
  /** Takes no more jobs, waits a little for those under way, and disconnects. */
  close(): Promise<void>
}

const PUSH_MS = 5000
const CLOSE_MS = 5000

/**
 * Opens a queue of tasks in Redis or Valkey by BullMQ. Needs the packages `bullmq` and `redis`.
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
  const { redis, prefix = 'portico', name = 'tasks', concurrency = 10 } = setting
  if (!/^[\w.-]{1,64}$/.test(prefix) || !/^[\w.-]{1,64}$/.test(name) || !(concurrency >= 1)) {
    const problem = '`prefix` and `name` are made of letters, digits, dots and dashes, and `concurrency` is 1 at least'
    throw new HostError('invalid-config', problem, { data: { problems: [problem] } })
  }
  const what = 'A queue of tasks'
  // Whoever names another library answers for what it has.
  const bull = (await (setting.bullmq?.() ?? loadPeer(what, 'bullmq'))) as BullLibrary
  const clients = (await (setting.library?.() ?? loadPeer(what, 'redis'))) as RedisClientLibrary
  return new OpenedBullQueue(bull, () => connect(clients, redis), { prefix: `{${prefix}}:bull`, name, concurrency })
}

interface QueuePlace {
  readonly prefix: string
  readonly name: string
  readonly concurrency: number
}

class OpenedBullQueue implements BullQueue {
  readonly #bull: BullLibrary
  readonly #connect: () => RedisHandle
  readonly #place: QueuePlace
  readonly #queue: InstanceType<BullLibrary['Queue']>
  readonly #handles: RedisHandle[] = []
  /** Each with how it ends, once. */
  readonly #workers = new Map<BullWorker, () => Promise<void>>()

  constructor(bull: BullLibrary, connect: () => RedisHandle, place: QueuePlace) {
    this.#bull = bull
    this.#connect = connect
    this.#place = place
    this.#queue = new bull.Queue(place.name, { connection: this.#handle(), prefix: place.prefix })
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
        'The queue of tasks cannot be reached: see that its Redis runs and can be reached from here',
        error,
      )
    }
  }

  async take(run: (job: TaskJob) => Promise<void>): Promise<() => Promise<void>> {
    const { name, prefix, concurrency } = this.#place
    const work = async ({ data }: { readonly data: unknown }): Promise<void> => {
      // Whoever else writes into that Redis can at most name a task that is there.
      const { id, epoch } = (data ?? {}) as { readonly id?: unknown; readonly epoch?: unknown }
      if (typeof id === 'string' && typeof epoch === 'number') await run({ id, epoch })
    }
    const worker = new this.#bull.Worker(name, work, { connection: this.#handle(), prefix, concurrency })
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
    for (const handle of this.#handles) endQuietly(handle)
  }

  #handle(): RedisHandle {
    const handle = this.#connect()
    this.#handles.push(handle)
    return handle
  }
}

/** Reconnects by itself. */
function connect({ createClient }: RedisClientLibrary, url: string): RedisHandle {
  const handle = createClient({ url, name: 'portico-tasks' })
  handle.on('error', () => {})
  handle.connect().catch(() => {})
  return handle
}

function endQuietly(handle: RedisHandle): void {
  try {
    handle.destroy()
  } catch {
    // It was closed already.
  }
}
