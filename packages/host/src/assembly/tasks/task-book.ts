/**
 * The tasks that were begun here and whose server still works on them or keeps their result, for later processes with the
 * same state folder. The file is sealed and for its owner alone: whoever has the id of a task may fetch its result where a
 * server knows no principals, and the arguments of a call are nobody else's business.
 */

import { createHash } from 'node:crypto'
import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { createStateFile, type StateFile } from '../../config/state-file.ts'
import { createSeal } from '../../config/trust/seal.ts'

/** Where a task stands; the last three are final. */
export type TaskState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task as it is remembered: where it runs, what it is, and how it stood when it was last heard of. */
export interface KeptTask {
  /** What people and models call it: short, and good for nothing else. */
  readonly label: string
  /** What its server calls it. */
  readonly taskId: string
  readonly server: string
  /** Tells whether a server of that name is still the same one: the fingerprint of its entry, or a digest of its address. */
  readonly identity: string
  readonly tool: string
  readonly generation: 'core' | 'extension'
  readonly status: TaskState
  readonly message?: string
  /** Milliseconds since 1970, like the other times. */
  readonly startedAt: number
  readonly updatedAt: number
  /** From then on its server may have forgotten it. */
  readonly expiresAt?: number
  /** How it stood before, the oldest first; the last of them where there were many. */
  readonly history?: readonly TaskStep[]
  /** The call that it came from, where a host made it. */
  readonly call?: KeptCall
  /** The process that follows it. */
  readonly follower?: number
  /** Its result has been handed over. */
  readonly delivered?: boolean
}

/** How a task stood at a moment, and what its server said then. */
export interface TaskStep {
  readonly at: number
  readonly status: TaskState
  readonly message?: string
}

/** What a host has to know of a call to hand over its result: rules may look at the arguments again. */
export interface KeptCall {
  readonly session: string
  readonly arguments: JsonObject
  readonly byModel: boolean
}

/** Options of `createTaskBook`: the file, and whom to tell when it had to be set aside. */
export interface TaskBookOptions {
  /** Nothing outlives the process without it. */
  readonly file?: string
  readonly onWarning?: (message: string) => void
}

/** Remembers tasks, bounded in number and size; processes with the same file share it. */
export interface TaskBook {
  /** The oldest first; those that their server may have forgotten are left out. */
  list(): Promise<readonly KeptTask[]>
  /** Adds a task, or takes the place of what was known of it. What is too large to keep is left out: false. */
  keep(task: KeptTask): Promise<boolean>
  change(label: string, change: (task: KeptTask) => KeptTask): Promise<KeptTask | undefined>
  forget(label: string): Promise<void>
}

/** Tasks that are remembered, in all and of one server; the oldest that are over go first. */
export const MAX_KEPT_TASKS = 300
export const MAX_KEPT_OF_SERVER = 100
export const MAX_TASK_BYTES = 16_384
const MAX_MESSAGE = 500
const MARK = 'portico-tasks-1:'

/**
 * Opens the list of tasks that were begun with a state folder; in memory alone without a file.
 *
 * @example
 * ```ts
 * import { createTaskBook } from '@portico/host/tasks'
 *
 * const book = createTaskBook({ file: '/home/ann/.portico/tasks.json' })
 * for (const { label, tool, status } of await book.list()) console.log(label, tool, status)
 * ```
 */
export function createTaskBook(options: TaskBookOptions = {}): TaskBook {
  const state = options.file === undefined ? createMemory() : createSealed(options.file, options.onWarning)
  const current = (tasks: readonly KeptTask[]) => tasks.filter(({ expiresAt }) => !(Number(expiresAt) < Date.now()))
  return {
    list: async () => current(await state.get()),
    async keep(task) {
      const cut = withShortMessage(task)
      if (Buffer.byteLength(JSON.stringify(cut)) > MAX_TASK_BYTES) return false
      await state.update((tasks) => toBounded([...current(tasks).filter(({ label }) => label !== cut.label), cut]))
      return true
    },
    async change(label, change) {
      const tasks = await state.update((all) =>
        current(all).map((task) => (task.label === label ? withShortMessage(change(task)) : task)),
      )
      return tasks.find((task) => task.label === label)
    },
    async forget(label) {
      await state.update((tasks) => current(tasks).filter((task) => task.label !== label))
    },
  }
}

/**
 * The label of a task: the same wherever it is made, and not to be turned back into the id.
 *
 * @example
 * ```ts
 * import { labelOfTask } from '@portico/host/tasks'
 *
 * labelOfTask('fingerprint-of-the-server', 'id-of-the-task') // eight letters and digits
 * ```
 */
export function labelOfTask(identity: string, taskId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([identity, taskId]))
    .digest('hex')
    .slice(0, 8)
}

/**
 * Whether nothing more happens to a task.
 *
 * @example
 * ```ts
 * import { createTaskBook, isOver } from '@portico/host/tasks'
 *
 * const tasks = await createTaskBook({ file: '/home/ann/.portico/tasks.json' }).list()
 * const running = tasks.filter((task) => !isOver(task))
 * ```
 */
export function isOver({ status }: Pick<KeptTask, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

function withShortMessage(task: KeptTask): KeptTask {
  const { message } = task
  return message === undefined || message.length <= MAX_MESSAGE
    ? task
    : { ...task, message: message.slice(0, MAX_MESSAGE) }
}

/** What is over goes before what runs, the old before the new. */
function toBounded(tasks: readonly KeptTask[]): readonly KeptTask[] {
  const byWorth = [...tasks].reverse().sort((one, other) => Number(isOver(one)) - Number(isOver(other)))
  const counts = new Map<string, number>()
  const kept = byWorth.filter(({ identity }) => {
    const count = (counts.get(identity) ?? 0) + 1
    counts.set(identity, count)
    return count <= MAX_KEPT_OF_SERVER
  })
  const worth = new Set(kept.slice(0, MAX_KEPT_TASKS))
  return tasks.filter((task) => worth.has(task))
}

type Tasks = readonly KeptTask[]

function createMemory(): StateFile<Tasks> {
  let tasks: Tasks = []
  return {
    get: async () => tasks,
    update: async (change) => {
      tasks = change(tasks)
      return tasks
    },
  }
}

function createSealed(file: string, onWarning: TaskBookOptions['onWarning']): StateFile<Tasks> {
  const seal = createSeal({ file, mark: MARK, onWarning })
  return createStateFile<Tasks>({
    file,
    ...(onWarning !== undefined && { onWarning }),
    empty: [],
    // Sealed text is a third longer, and has a frame around it.
    maxBytes: (MAX_KEPT_TASKS * MAX_TASK_BYTES * 3) / 2,
    read: async (text) => fromText(await seal.open(text)),
    write: (tasks) => seal.close(JSON.stringify({ version: 1, tasks })),
  })
}

/** Throws for what is no such file; it is then set aside. */
function fromText(text: string): Tasks {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || !Array.isArray(value.tasks)) throw new TypeError('no list of tasks')
  return value.tasks.filter(isKept)
}

const STATUSES: ReadonlySet<unknown> = new Set<TaskState>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])

function isKept(value: unknown): value is KeptTask {
  if (!isObject(value)) return false
  const { label, taskId, server, identity, tool, status, startedAt, updatedAt, call } = value
  const texts = [label, taskId, server, identity, tool].every((one) => typeof one === 'string')
  const times = [startedAt, updatedAt].every((one) => typeof one === 'number')
  const isCall = call === undefined || (isObject(call) && typeof call.session === 'string' && isObject(call.arguments))
  return texts && times && isCall && STATUSES.has(status)
}
