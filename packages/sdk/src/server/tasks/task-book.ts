/**
 * The book of one server's tasks on a store: every write is a guarded transition, every reader is held against the owner, and
 * what changed is told on the bus. It knows neither tools nor the wire.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isFinal } from '../../protocol/tasks.ts'
import { randomToken } from '../../session/random-token.ts'
import type { Bus } from '../../state/bus.ts'
import { getOrDamaged } from '../../state/damaged-row.ts'
import type { Change, Store } from '../../state/store.ts'
import { type TaskObserver, tellOfTask } from './task-events.ts'
import { noRoom, ownerOf, type TaskLimits, tasksOf } from './task-limits.ts'
import { TaskPlaces } from './task-places.ts'
import { changed, isDue, type TaskChange, type TaskRecord, type TaskRequest, toStatusMessage } from './task-record.ts'
import type { TaskSealer } from './task-seal.ts'

const ID_BYTES = 24
const PAGE = 1000
const MOMENT_DIGITS = 16

/** What a book is made of. */
interface BookParts {
  readonly store: Store
  readonly bus: Bus
  readonly limits: TaskLimits
  readonly sealer: TaskSealer
  /** Whose tasks these are: servers that share a store do not see each other's. */
  readonly server: string
  /** How long a process may be silent before another takes its tasks over. */
  readonly leaseMs: number
  readonly observer?: TaskObserver | undefined
}

interface NewTask {
  /** Where its lease was taken before it is there; a new one unless given. */
  readonly id?: string
  readonly request: TaskRequest
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** What was done before it became a task. */
  readonly state?: string
  /** What its handler has said by then. */
  readonly statusMessage?: string
}

export class TaskBook {
  readonly store: Store
  readonly limits: TaskLimits
  readonly leaseMs: number
  /** Of the handlers that run in this process. */
  readonly places: TaskPlaces
  readonly #bus: Bus
  readonly #sealer: TaskSealer
  readonly #scope: string
  readonly #observer: TaskObserver | undefined
  /** The last creation of each owner here: one after the other, so that they do not stand in each other's way. */
  readonly #creating = new Map<string, Promise<unknown>>()

  constructor({ store, bus, limits, sealer, server, leaseMs, observer }: BookParts) {
    this.store = store
    this.limits = limits
    this.places = new TaskPlaces(limits)
    this.leaseMs = leaseMs
    this.#bus = bus
    this.#sealer = sealer
    this.#scope = encodeURIComponent(server).slice(0, 200)
    this.#observer = observer
  }

  /** Keeps a new task, due at once. It is durable when this resolves. */
  async create(task: NewTask): Promise<TaskRecord> {
    const owner = await ownerOf(task.request.principal?.id)
    const before = this.#creating.get(owner) ?? Promise.resolve()
    const created = before.then(() => this.#create(owner, task))
    const settled = created.catch(() => {})
    this.#creating.set(owner, settled)
    void settled.then(() => this.#creating.get(owner) === settled && this.#creating.delete(owner))
    const record = await created
    this.tell('created', record)
    return record
  }

  async #create(owner: string, task: NewTask): Promise<TaskRecord> {
    const { id = newTaskId(), request, ttlMs, pollIntervalMs, state, statusMessage } = task
    const now = Date.now()
    const record: TaskRecord = {
      id,
      owner,
      request,
      status: 'working',
      createdAt: now,
      updatedAt: now,
      ttlMs: Math.max(1, Math.trunc(Math.min(ttlMs, this.limits.maxTtlMs))),
      pollIntervalMs,
      epoch: 0,
      ...(state !== undefined && { state }),
      ...(statusMessage !== undefined && { statusMessage: toStatusMessage(statusMessage) }),
    }
    const changes = await this.#changes(record, 0, undefined)
    const owned = this.#owned(record, changes[0])
    const places = Number(owned.value)
    // The count is guarded by its version: two that are made at once, by whichever processes, are counted one after the other.
    for (;;) {
      const counted = await beforeAnything(this.#room(owner, places))
      this.places.require(owner)
      if ((await this.store.write([...changes, owned, counted])) !== undefined) return record
    }
  }

  /** A task of its owner's; undefined for all others, as if there were none. */
  async find(id: string, principal: string | undefined): Promise<TaskRecord | undefined> {
    const record = await beforeAnything(this.read(id))
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
    return (await this.#change(id, make))?.record
  }

  /**
   * Begins a run under a lease, if there is something to do. What the run notes in its log is guarded by the version that this
   * gives, which the next run makes another.
   */
  async take(
    id: string,
    epoch: number,
    mayRun: (owner: string) => boolean,
  ): Promise<{ record: TaskRecord; guard: number } | undefined> {
    const begin = (record: TaskRecord): TaskChange | undefined =>
      isDue(record, Date.now()) && record.epoch < epoch && mayRun(record.owner)
        ? { epoch, running: true, wakeAt: undefined }
        : undefined
    const taken = await this.#change(id, begin, `${this.#prefix('run')}${id}`)
    return taken && { record: taken.record, guard: taken.versions.at(-1) ?? 0 }
  }

  /** A change of a task's log, under the guard of its run. */
  guarded(id: string, guard: number, ttlMs: number): Change {
    return { key: `${this.#prefix('run')}${id}`, value: '', ifVersion: guard, ttlMs }
  }

  async #change(
    id: string,
    make: (record: TaskRecord) => TaskChange | undefined,
    also?: string,
  ): Promise<{ record: TaskRecord; versions: readonly number[] } | undefined> {
    for (;;) {
      const kept = await this.#kept(id)
      const change = kept && make(kept.record)
      if (kept === undefined || change === undefined) return undefined
      const { record, version } = kept
      const next = changed(record, change, Math.max(Date.now(), record.updatedAt))
      if (next === undefined) return undefined
      const changes = await this.#changes(next, version, record)
      const answers = next.questions !== record.questions
      if (answers || isOver(next)) changes.push(this.#owned(next, changes[0]))
      // What came with the answers may be long: the next task finds no count, and counts all anew.
      if (answers) changes.push({ key: `${this.#prefix('count')}${next.owner}` })
      if (also !== undefined) changes.push({ key: also, value: '', ttlMs: changes[0]?.ttlMs ?? 1 })
      const versions = await this.store.write(changes)
      if (versions === undefined) continue
      if (next.status !== record.status) this.tell(next.status, next)
      await this.#publish(topicOf(id), next.status)
      return { record: next, versions }
    }
  }

  /** Ends a task that is not over, wherever it runs. */
  async cancel(id: string): Promise<TaskRecord | undefined> {
    const cancelled = await this.change(id, () => ({ status: 'cancelled' }))
    await this.#publish(this.#cancelling, id)
    return cancelled
  }

  /** Calls `listener` with the id of every task that is cancelled; with undefined when some may have been missed. */
  watchCancelled(listener: (id: string | undefined) => void): Promise<() => void> {
    return this.#bus.subscribe(this.#cancelling, listener)
  }

  /** The tasks of an owner, oldest ids first by key, a page at a time. */
  async list(principal: string | undefined, after: string | undefined, limit: number): Promise<TaskRecord[]> {
    const prefix = `${this.#prefix('of')}${await ownerOf(principal)}/`
    const entries = await this.store.list(prefix, { limit, ...(after !== undefined && { after: `${prefix}${after}` }) })
    const records = await Promise.all(entries.map(({ key }) => this.read(key.slice(prefix.length))))
    return records.filter((record) => record !== undefined)
  }

  /** The ids of tasks that run, or could. */
  async *due(): AsyncIterable<string> {
    for await (const [id] of this.#under(this.#prefix('due'))) yield id
  }

  /** Tasks that sleep, and until when: the next first. */
  async *sleeping(): AsyncIterable<{ id: string; wakeAt: number }> {
    for await (const [moment, id = ''] of this.#under(this.#prefix('wake'))) yield { id, wakeAt: Number(moment) }
  }

  /** Where the steps of a task are noted. */
  logPrefix(id: string): string {
    return `${this.#prefix('log')}${id}/`
  }

  get sealer(): TaskSealer {
    return this.#sealer
  }

  /** Calls `listener` whenever a task changed, until the function that it gives is called. */
  watch(id: string, listener: () => void): Promise<() => void> {
    return this.#bus.subscribe(topicOf(id), listener)
  }

  /** Tells the observer of a task itself. */
  tell(type: string, { id, request }: TaskRecord): void {
    tellOfTask(this.#observer, { type, taskId: id, tool: request.params.name, principal: request.principal?.id })
  }

  /** Tells the observer that somebody asked for a task, and whether it is theirs. */
  tellAccess(event: { taskId?: string; method: string; principal: string | undefined; tool?: unknown }): void {
    const type = event.taskId === undefined || event.tool !== undefined ? 'accessed' : 'refused'
    tellOfTask(this.#observer, { type, ...event })
  }

  /** What was written is so, whether or not others hear of it at once: a bus that is away undoes nothing. */
  #publish(topic: string, text: string): Promise<void> {
    return this.#bus.publish(topic, text).catch(() => {})
  }

  get #cancelling(): string {
    return `task-cancelled/${this.#scope}`
  }

  #prefix(kind: 'task' | 'of' | 'due' | 'wake' | 'log' | 'run' | 'count'): string {
    return kind === 'task' ? `task/${this.#scope}/` : `task-${kind}/${this.#scope}/`
  }

  /** What follows a prefix, in parts, for all keys that have it. */
  async *#under(prefix: string): AsyncIterable<[string, string?]> {
    for (let after = prefix; ; ) {
      const page = await this.store.list(prefix, { limit: PAGE, after })
      for (const { key } of page) yield key.slice(prefix.length).split('/') as [string, string?]
      if (page.length < PAGE) return
      after = page.at(-1)?.key ?? prefix
    }
  }

  async #kept(id: string): Promise<{ record: TaskRecord; version: number } | undefined> {
    if (!ID.test(id)) return undefined
    const key = `${this.#prefix('task')}${id}`
    const kept = await this.store.get(key)
    // Only this class writes under such keys, so the shape is known.
    return kept && { record: (await this.#sealer.open(kept.value, key)) as TaskRecord, version: kept.version }
  }

  /** A record, and where workers find it. */
  async #changes(record: TaskRecord, ifVersion: number, before: TaskRecord | undefined): Promise<Change[]> {
    const { id, wakeAt } = record
    const key = `${this.#prefix('task')}${id}`
    const value = await this.#sealer.seal(record, key)
    if (value.length > this.limits.maxTaskLength) {
      throw new PorticoError('limit-exceeded', `The task is larger than maxTaskLength (${this.limits.maxTaskLength})`)
    }
    const ttlMs = Math.max(1, record.createdAt + record.ttlMs - Date.now())
    const sleeps = wakeAt !== undefined && !isOver(record)
    const due = !sleeps && isDue(record, 0)
    const changes: Change[] = [
      { key, value, ifVersion, ttlMs },
      { key: `${this.#prefix('due')}${id}`, ...(due && { value: '', ttlMs }) },
    ]
    const [old, next] = [before?.wakeAt, sleeps ? wakeAt : undefined].map(
      (at) => at !== undefined && this.#wakeKey(at, id),
    )
    if (old && old !== next) changes.push({ key: old })
    if (next) changes.push({ key: next, value: '', ttlMs })
    return changes
  }

  /** That a task is its owner's, and how many places it takes. */
  #owned(record: TaskRecord, { value = '', ttlMs }: Change = { key: '' }): Change {
    const places = (isOver(record) ? OVER_PLACES : 1) + Math.floor(value.length / PLACE_LENGTH)
    const key = `${this.#prefix('of')}${record.owner}/${record.id}`
    return { key, value: String(places), ...(ttlMs !== undefined && { ttlMs }) }
  }

  #wakeKey(moment: number, id: string): string {
    return `${this.#prefix('wake')}${String(Math.max(0, Math.ceil(moment))).padStart(MOMENT_DIGITS, '0')}/${id}`
  }

  async #placesOf(owner: string): Promise<number> {
    const prefix = `${this.#prefix('of')}${owner}/`
    let places = 0
    for (let after = prefix; ; ) {
      const page = await this.store.list(prefix, { limit: PAGE, after })
      for (const { value } of page) places += Number(value) || 1
      if (page.length < PAGE) return places
      after = page.at(-1)?.key ?? prefix
    }
  }

  /** The places of an owner's tasks with some more, or a refusal. Too many where some expired, and then counted anew. */
  async #room(owner: string, places: number): Promise<Change> {
    const bound = tasksOf(owner, this.limits)
    const { limit } = bound
    const key = `${this.#prefix('count')}${owner}`
    const kept = await getOrDamaged(this.store, key)
    let count = COUNT.test(kept?.value ?? '') ? Number(kept?.value) : Number.NaN
    // Without a count, or with one that nobody can have written here, all are counted.
    if (!(count >= 0 && count + places <= limit)) count = await this.#placesOf(owner)
    // Tenths do not add up to the last digit.
    count = Math.round(count * 10) / 10
    if (count + places > limit) {
      throw noRoom(bound, 'Cancel one that is no longer needed, or wait until one is over; those count as a tenth')
    }
    const { maxTtlMs } = this.limits
    const lasts = Number.isFinite(maxTtlMs) && { ttlMs: Math.max(1, Math.trunc(maxTtlMs)) }
    return { key, value: String(count + places), ifVersion: kept?.version ?? 0, ...lasts }
  }
}

/** An id that nobody can guess. */
export function newTaskId(): string {
  return randomToken(ID_BYTES)
}

const COUNT = /^\d{1,9}(\.\d+)?$/
const ID = /^[A-Za-z0-9_-]{1,64}$/
/** Characters that one task may have without counting as another. */
const PLACE_LENGTH = 65_536
/** What is over runs no more and asks nobody: only what is kept of it costs. */
const OVER_PLACES = 0.1

function topicOf(id: string): string {
  return `task/${id}`
}

/** Whether a task is over. */
export function isOver({ status }: TaskRecord): boolean {
  return isFinal(status)
}

/** A read that fails before anything was written says so: whoever asked is told that nothing was done, and to try again. */
async function beforeAnything<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof PorticoError) || error.code !== 'store-unavailable') throw error
    throw new PorticoError(error.code, error.message, { cause: error, delivery: 'not-sent' })
  }
}
