/**
 * The book of tasks on a store: every write is a guarded transition, every reader is held against the owner, and what
 * changed is told on the bus. It knows neither tools nor the wire.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isFinal } from '../../protocol/tasks.ts'
import { randomToken } from '../../session/random-token.ts'
import { digestOf } from '../../session/sealed-state.ts'
import type { Bus } from '../../state/bus.ts'
import type { Change, Store } from '../../state/store.ts'
import { changed, type TaskChange, type TaskRecord, type TaskRequest } from './task-record.ts'

/** How much tasks may take. */
export interface TaskLimits {
  /** Tasks that one principal may have at a time, those that are over but still kept included. */
  readonly maxTasksPerPrincipal: number
  /** The same for all who are not known by name together. */
  readonly maxAnonymousTasks: number
  /** Characters of one task with its arguments, answers and result. */
  readonly maxTaskLength: number
  /** The longest time that a client may ask a task to be kept. */
  readonly maxTtlMs: number
}

export const TASK_LIMITS: TaskLimits = {
  maxTasksPerPrincipal: 100,
  maxAnonymousTasks: 1000,
  maxTaskLength: 2 * 1024 * 1024,
  maxTtlMs: 24 * 3_600_000,
}

const ID_BYTES = 24
const ANONYMOUS = 'anonymous'
const PAGE = 1000

interface NewTask {
  readonly request: TaskRequest
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** What was done before it became a task. */
  readonly state?: string
}

export class TaskBook {
  readonly store: Store
  readonly #bus: Bus
  readonly limits: TaskLimits
  /** The last creation of each owner: one after the other, so that none is counted before the one ahead of it is kept. */
  readonly #creating = new Map<string, Promise<unknown>>()

  constructor(store: Store, bus: Bus, limits: TaskLimits) {
    this.store = store
    this.#bus = bus
    this.limits = limits
  }

  /** Keeps a new task, due at once. It is durable when this resolves. */
  async create(task: NewTask): Promise<TaskRecord> {
    const owner = await ownerOf(task.request.principal?.id)
    const before = this.#creating.get(owner) ?? Promise.resolve()
    const created = before.then(() => this.#create(owner, task))
    const settled = created.catch(() => {})
    this.#creating.set(owner, settled)
    void settled.then(() => this.#creating.get(owner) === settled && this.#creating.delete(owner))
    return created
  }

  async #create(owner: string, { request, ttlMs, pollIntervalMs, state }: NewTask): Promise<TaskRecord> {
    await this.#requireRoom(owner)
    const now = Date.now()
    const record: TaskRecord = {
      id: randomToken(ID_BYTES),
      owner,
      request,
      status: 'working',
      createdAt: now,
      updatedAt: now,
      ttlMs: Math.max(1, Math.min(ttlMs, this.limits.maxTtlMs)),
      pollIntervalMs,
      epoch: 0,
      ...(state !== undefined && { state }),
    }
    const written = await this.store.write([
      ...this.#changes(record, 0),
      { key: `${ofOwner(owner)}${record.id}`, value: '', ttlMs: record.ttlMs },
    ])
    if (written === undefined) throw new PorticoError('invalid-definition', 'An id was given twice')
    return record
  }

  /** A task of its owner's; undefined for all others, as if there were none. */
  async find(id: string, principal: string | undefined): Promise<TaskRecord | undefined> {
    const record = await this.read(id)
    return record?.owner === (await ownerOf(principal)) ? record : undefined
  }

  /** A task, for those who work on it. */
  async read(id: string): Promise<TaskRecord | undefined> {
    return (await this.#kept(id))?.record
  }

  /**
   * Changes a task from what it is at this moment; undefined when it is gone, `make` gave nothing, or its status does not allow
   * it. What others wrote meanwhile is read again, never overwritten.
   */
  async change(id: string, make: (record: TaskRecord) => TaskChange | undefined): Promise<TaskRecord | undefined> {
    for (;;) {
      const kept = await this.#kept(id)
      const change = kept && make(kept.record)
      if (kept === undefined || change === undefined) return undefined
      const next = changed(kept.record, change, Math.max(Date.now(), kept.record.updatedAt))
      if (next === undefined) return undefined
      if ((await this.store.write(this.#changes(next, kept.version))) === undefined) continue
      await this.#bus.publish(topicOf(id), next.status)
      return next
    }
  }

  /** The tasks of an owner, oldest ids first by key, a page at a time. */
  async list(principal: string | undefined, after: string | undefined, limit: number): Promise<TaskRecord[]> {
    const prefix = ofOwner(await ownerOf(principal))
    const entries = await this.store.list(prefix, { limit, ...(after !== undefined && { after: `${prefix}${after}` }) })
    const records = await Promise.all(entries.map(({ key }) => this.read(key.slice(prefix.length))))
    return records.filter((record) => record !== undefined)
  }

  /** The ids of tasks that wait for a worker. */
  async due(): Promise<string[]> {
    return (await this.store.list(DUE, { limit: PAGE })).map(({ key }) => key.slice(DUE.length))
  }

  /** Calls `listener` whenever a task changed, until the function that it gives is called. */
  watch(id: string, listener: () => void): Promise<() => void> {
    return this.#bus.subscribe(topicOf(id), listener)
  }

  async #kept(id: string): Promise<{ record: TaskRecord; version: number } | undefined> {
    if (!ID.test(id)) return undefined
    const kept = await this.store.get(keyOf(id))
    // Only this class writes under such keys, so the shape is known.
    return kept && { record: JSON.parse(kept.value) as TaskRecord, version: kept.version }
  }

  #changes(record: TaskRecord, ifVersion: number): Change[] {
    const value = JSON.stringify(record)
    if (value.length > this.limits.maxTaskLength) {
      throw new PorticoError('limit-exceeded', `The task is larger than maxTaskLength (${this.limits.maxTaskLength})`)
    }
    const ttlMs = Math.max(1, record.createdAt + record.ttlMs - Date.now())
    const waits = record.status === 'working'
    const due: Change = waits ? { key: `${DUE}${record.id}`, value: '', ttlMs } : { key: `${DUE}${record.id}` }
    return [{ key: keyOf(record.id), value, ifVersion, ttlMs }, due]
  }

  async #requireRoom(owner: string): Promise<void> {
    const [name, limit] =
      owner === ANONYMOUS
        ? (['maxAnonymousTasks', this.limits.maxAnonymousTasks] as const)
        : (['maxTasksPerPrincipal', this.limits.maxTasksPerPrincipal] as const)
    let kept = 0
    for (let after: string | undefined; kept < limit; ) {
      const page = await this.store.list(ofOwner(owner), { limit: PAGE, ...(after !== undefined && { after }) })
      kept += page.length
      if (page.length < PAGE) break
      after = page.at(-1)?.key
    }
    if (kept >= limit) {
      throw new PorticoError('limit-exceeded', `No room for another task: ${name} (${limit}) reached`)
    }
  }
}

const DUE = 'task-due/'
const ID = /^[A-Za-z0-9_-]{1,64}$/

function keyOf(id: string): string {
  return `task/${id}`
}

function topicOf(id: string): string {
  return `task/${id}`
}

function ofOwner(owner: string): string {
  return `task-of/${owner}/`
}

async function ownerOf(principal: string | undefined): Promise<string> {
  return principal === undefined ? ANONYMOUS : digestOf(principal)
}

/** Whether a task is over. */
export function isOver({ status }: TaskRecord): boolean {
  return isFinal(status)
}
