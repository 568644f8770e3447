/** Tasks as a feature of a server: `createTasks` makes it, `createServer({ tasks })` takes it. */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { withoutUndefined } from '../../jsonrpc/members.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { type OptionTable, requireOptions, toBoundTable } from '../../jsonrpc/option-table.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import type { Revision } from '../../protocol/revision.ts'
import { CORE_TASKS, EXTENSION_TASKS, generationOf, TASKS_EXTENSION, writeDetailedTask } from '../../protocol/tasks.ts'
import type { CallToolResult, Tool } from '../../protocol/tools.ts'
import type { Bus } from '../../state/bus.ts'
import { createMemoryBus } from '../../state/memory-bus.ts'
import { createMemoryStore, isMemoryStore } from '../../state/memory-store.ts'
import type { Store } from '../../state/store.ts'
import type { ServerCall } from '../call/call.ts'
import { invalidParam } from '../call/method.ts'
import { defineFeature, type Feature, type FeatureHost, type Followed, type Notify } from '../feature.ts'
import type { ToolEntry, ToolTasks } from '../features/tools.ts'
import type { ToolDefinition } from '../items/definition.ts'
import type { DefinedTasks } from '../options.ts'
import { OwnTasks, type TaskAdmission } from './own-tasks.ts'
import { answerIn, declaresTasks, taskRequired } from './task-answer.ts'
import { TaskBook } from './task-book.ts'
import { TaskCalls } from './task-calls.ts'
import { TaskEngine } from './task-engine.ts'
import type { TaskObserver } from './task-events.ts'
import { HELPER_NAMES, needsHelpers, TaskHelpers, withHelpers } from './task-helpers.ts'
import { TASK_LIMITS, type TaskLimits } from './task-limits.ts'
import { TaskMethods } from './task-methods.ts'
import { NEVER, toTaskSettings } from './task-options.ts'
import { leaveToOthers, type TaskQueue } from './task-queue.ts'
import { viewOf } from './task-record.ts'
import { createTaskSealer } from './task-seal.ts'
import { TaskWait } from './task-wait.ts'

/** Where tasks are kept, how much of them, and how callers come to them. */
export interface TasksOptions {
  /** Where tasks are kept; in the memory of this process unless given. */
  readonly store?: Store
  /** How processes that share a store tell each other of changes. */
  readonly bus?: Bus
  /** What hands tasks to workers in several processes. Without one, each process runs what it is asked for. */
  readonly queue?: TaskQueue
  /**
   * Whether this process runs tasks. On by default; off for processes that only answer callers while others work
   * (`portico worker`). A call that becomes a task while it runs goes on where it is.
   */
  readonly work?: boolean
  readonly limits?: Partial<TaskLimits>
  /** 32-byte keys that seal what the store keeps of a task, newest first: the first seals, all open. Nothing is sealed without. */
  readonly keys?: readonly Uint8Array[]
  /**
   * How long, in milliseconds, the request of a caller that knows no tasks stays open before it is told how to come back for
   * the result; 45,000 unless given, since most clients wait a minute.
   */
  readonly holdMs?: number
  /**
   * Whether callers that know no tasks find `task_status`, `task_result` and `task_cancel` among the tools. On by default;
   * without them such requests stay open for as long as the work takes.
   */
  readonly helperTools?: boolean
  /**
   * How long a process may be silent, in milliseconds, before another takes up the tasks that it works on; 30,000 unless given.
   * A handler that keeps its process from doing anything else for longer loses its task.
   */
  readonly leaseMs?: number
  /**
   * Asked before every request about tasks, with the parameters of the call that became the task, or with none where it is about
   * all of the caller's, or a task that is not there. `ctx.method` says what is wanted. What it throws is the answer.
   */
  readonly admit?: TaskAdmission
  /** Told who made, looked at and ended tasks: for an audit trail. */
  readonly onTask?: TaskObserver
}

/** Tasks for one server, as `createTasks` makes them. */
export interface Tasks extends DefinedTasks {
  /** Stops taking up tasks. What runs here goes on. */
  close(): void
}

const OPTIONS: OptionTable<TasksOptions> = {
  store: 'record',
  bus: 'record',
  queue: 'record',
  work: 'flag',
  limits: toBoundTable(TASK_LIMITS),
  keys: 'any',
  holdMs: 'time',
  helperTools: 'flag',
  leaseMs: 'count',
  admit: 'function',
  onTask: 'function',
}
const HOLD_MS = 45_000
const LEASE_MS = 30_000
const MAX_FOLLOWED = 100

/**
 * Lets calls of a server's tools become tasks: work that outlives the request, and with a store that several processes share
 * also the process.
 *
 * @example
 * ```ts
 * import { createServer, tool } from '@portico/sdk/server'
 * import { createTasks } from '@portico/sdk/tasks'
 *
 * const report = tool({ description: 'Writes the yearly report', task: 'auto' }, async (_args, ctx) => {
 *   const figures = await ctx.step('figures', () => fetch('https://example.com/figures').then((r) => r.text()))
 *   await ctx.sleep(60_000)
 *   return `The year in figures: ${figures}`
 * })
 * const server = createServer({ name: 'office', version: '1.0.0', tasks: createTasks(), tools: { report } })
 * ```
 */
export function createTasks(options: TasksOptions = {}): Tasks {
  requireOptions('createTasks', options, OPTIONS)
  const works = options.work !== false
  if (options.store === undefined && (options.queue !== undefined || !works)) {
    throw invalidDefinition('createTasks: `queue` and `work: false` need a `store` that the processes share')
  }
  const {
    store = createMemoryStore(),
    bus = createMemoryBus(),
    onTask,
    helperTools = true,
    leaseMs = LEASE_MS,
  } = options
  const limits: TaskLimits = { ...TASK_LIMITS, ...withoutUndefined(options.limits ?? {}) }
  const sealer = createTaskSealer(options.keys)
  const engines: TaskEngine[] = []
  return {
    feature: defineFeature('tasks', (server) => {
      const book = new TaskBook({ store, bus, limits, sealer, leaseMs, server: server.info.name, observer: onTask })
      const holdMs = helperTools ? (options.holdMs ?? HOLD_MS) : undefined
      const queue = options.queue ?? (works ? undefined : leaveToOthers(bus))
      const feature = new TasksFeature(server, book, { holdMs, admit: options.admit, queue })
      engines.push(feature.engine)
      // Only a store that was given can hold what another process left.
      if (options.store !== undefined && works && engines.length === 1) feature.engine.start(bus)
      return feature
    }),
    prepare: (entry, definition) => prepareTool(entry, definition, helperTools),
    shared: !isMemoryStore(store),
    close: () => {
      for (const engine of engines) engine.stop()
    },
  }
}

/** A tool with what is to be known of its tasks. */
function prepareTool(entry: ToolEntry, { options }: ToolDefinition, helperTools: boolean): ToolEntry {
  const { name } = entry.tool
  if (helperTools && HELPER_NAMES.has(name)) {
    throw invalidDefinition(
      `Tool "${name}" has the name of a helper tool: rename it, or createTasks({ helperTools: false })`,
    )
  }
  const task = toTaskSettings(options.task, entry.output !== undefined)
  if (task.mode === 'never') return { ...entry, task }
  const taskSupport = task.mode === 'required' ? task.mode : 'optional'
  return { ...entry, task, tool: { ...entry.tool, execution: { taskSupport } } }
}

interface FeatureSettings {
  readonly holdMs: number | undefined
  readonly admit: TaskAdmission | undefined
  readonly queue: TaskQueue | undefined
}

class TasksFeature implements Feature, ToolTasks {
  readonly engine: TaskEngine
  holds: boolean
  #own: OwnTasks
  #book: TaskBook
  #calls: TaskCalls
  #methods: TaskMethods
  #helpers: TaskHelpers | undefined
  /** Lists of a relay with helper tools: the same list gives the same, whose text is kept. */
  readonly #helped = new WeakMap<readonly Tool[], readonly Tool[]>()

  constructor(server: FeatureHost, book: TaskBook, { holdMs, admit, queue }: FeatureSettings) {
    this.#book = book
    const own = new OwnTasks(server, book, admit)
    this.#own = own
    this.engine = new TaskEngine(server, book, queue)
    const { engine } = this
    const wait = new TaskWait(server, { book, engine, own })
    this.#calls = new TaskCalls(server, { book, engine, wait, holdMs })
    this.#methods = new TaskMethods(book, wait, own)
    this.holds = holdMs !== undefined
    if (holdMs !== undefined) this.#helpers = new TaskHelpers({ asker: () => server.asker, book, own, wait, holdMs })
    this.follow = this.follow.bind(this)
  }

  /** A server that becomes another has the tasks of that one. */
  takeOver(other: TasksFeature): void {
    this.#book = other.#book
    this.#own = other.#own
    this.#calls = other.#calls
    this.#methods = other.#methods
    this.#helpers = other.#helpers
    this.holds = other.holds
  }

  call: ToolTasks['call'] = (task, call, run) => this.#calls.call(task ?? NEVER, call, run)

  helper(name: string, call: ServerCall): ToolEntry | undefined {
    return needsHelpers(call) ? this.#helpers?.get(name) : undefined
  }

  helped(tools: readonly Tool[], call: ServerCall): readonly Tool[] {
    if (this.#helpers === undefined || !needsHelpers(call)) return tools
    const known = this.#helped.get(tools)
    if (known !== undefined) return known
    const made = [...tools, ...this.#helpers.tools]
    this.#helped.set(tools, made)
    return made
  }

  list: ToolTasks['list'] = (tools, listed) =>
    this.#helpers === undefined ? listed : withHelpers(this.#helpers, tools, listed)

  capability(call?: ServerCall): ServerCapabilities {
    const generation = call && generationOf(call.conversation.revision)
    const core = {
      ...(call?.conversation.principal !== undefined && { list: {} }),
      cancel: {},
      requests: { tools: { call: {} } },
    }
    return {
      ...(generation !== EXTENSION_TASKS && { tasks: core }),
      ...(generation === EXTENSION_TASKS && { extensions: { [TASKS_EXTENSION]: {} } }),
    }
  }

  methods(): ReturnType<TaskMethods['methods']> {
    return this.#methods.methods()
  }

  nameSource(method: string): string | undefined {
    return EXTENSION_TASKS.methods.has(method) ? 'taskId' : undefined
  }

  writeTool(tool: Tool, revision: Revision): JsonObject | undefined {
    if (tool.execution === undefined || generationOf(revision) !== CORE_TASKS) return undefined
    return { ...revision.writeTool(tool), execution: tool.execution }
  }

  writeResult(result: CallToolResult): JsonObject | undefined {
    return answerIn(result)
  }

  concerns(call: ServerCall): boolean {
    return this.#calls.concerns(call)
  }

  /** `taskIds` of a listener: those that are its own are acknowledged, and each change of them is told in full. */
  async follow(asked: JsonObject, call: ServerCall, notify: Notify): Promise<Followed | undefined> {
    const { taskIds } = asked
    if (taskIds === undefined) return undefined
    if (!declaresTasks(call)) throw taskRequired(EXTENSION_TASKS)
    const { revision } = call.conversation
    // What may not be asked about is left out like what is not there.
    const find = (id: string) => this.#own.findAgain(id, call).catch(() => undefined)
    if (!Array.isArray(taskIds) || taskIds.length > MAX_FOLLOWED)
      throw invalidParam('notifications', `taskIds must be a list of at most ${MAX_FOLLOWED} ids`)
    const wanted = [...new Set(taskIds.filter((id) => typeof id === 'string'))]
    this.#own.looks.take(call)
    this.#own.looks.spend(call, wanted.length)
    const found = await Promise.all(wanted.map(find))
    const own = found.flatMap((record) => (record === undefined ? [] : [record.id]))
    const told = new Map<string, string>()
    const tell = async (id: string): Promise<void> => {
      const record = await find(id)
      if (record === undefined) return
      const params = writeDetailedTask(viewOf(record), EXTENSION_TASKS, revision)
      const text = JSON.stringify(params)
      if (told.get(id) === text) return
      told.set(id, text)
      notify(EXTENSION_TASKS.notice, params)
    }
    const tellSoon = (id: string): void => void tell(id).catch(() => {})
    const stops = await Promise.all(own.map((id) => this.#book.watch(id, () => tellSoon(id))))
    return {
      filter: { taskIds: own },
      begin() {
        for (const id of own) tellSoon(id)
      },
      end() {
        for (const stop of stops) stop()
      },
    }
  }
}
