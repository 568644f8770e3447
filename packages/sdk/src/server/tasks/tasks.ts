/** Tasks as a feature of a server: `createTasks` makes it, `createServer({ tasks })` takes it. */

import { withoutUndefined } from '../../jsonrpc/members.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { requireOptions, toBoundTable } from '../../jsonrpc/option-table.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import type { Revision } from '../../protocol/revision.ts'
import { CORE_TASKS, EXTENSION_TASKS, generationOf, TASKS_EXTENSION, writeDetailedTask } from '../../protocol/tasks.ts'
import type { CallToolResult, Tool } from '../../protocol/tools.ts'
import type { Bus } from '../../state/bus.ts'
import { createMemoryBus } from '../../state/memory-bus.ts'
import { createMemoryStore } from '../../state/memory-store.ts'
import type { Store } from '../../state/store.ts'
import type { ServerCall } from '../call/call.ts'
import { defineFeature, type Feature, type FeatureHost, type Followed, type Notify } from '../feature.ts'
import type { ToolEntry, ToolTasks } from '../features/tools.ts'
import type { ToolDefinition } from '../items/definition.ts'
import type { DefinedTasks } from '../options.ts'
import { TASK_LIMITS, TaskBook, type TaskLimits } from './task-book.ts'
import { BECAME_TASK, declaresTasks, TaskCalls, taskRequired } from './task-calls.ts'
import { TaskEngine } from './task-engine.ts'
import { TaskMethods } from './task-methods.ts'
import { toTaskSettings } from './task-options.ts'
import { viewOf } from './task-record.ts'

/** Where tasks are kept, and how much of them. */
export interface TasksOptions {
  /** Where tasks are kept; in the memory of this process unless given. */
  readonly store?: Store
  /** How processes that share a store tell each other of changes. */
  readonly bus?: Bus
  readonly limits?: Partial<TaskLimits>
}

/** Tasks for one server, as `createTasks` makes them. */
export interface Tasks extends DefinedTasks {
  /** Stops looking for tasks whose process died. What runs here goes on. */
  close(): void
}

const OPTIONS = { store: 'record', bus: 'record', limits: toBoundTable(TASK_LIMITS) } as const
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
  const limits: TaskLimits = { ...TASK_LIMITS, ...withoutUndefined(options.limits ?? {}) }
  const book = new TaskBook(options.store ?? createMemoryStore(), options.bus ?? createMemoryBus(), limits)
  let made: TasksFeature | undefined
  return {
    feature: defineFeature('tasks', (server) => {
      // A server that adopts this one has the same tasks.
      const feature = new TasksFeature(server, book)
      made ??= feature
      // Only a store that was given can hold what another process left.
      if (options.store !== undefined && made === feature) feature.engine.start()
      return feature
    }),
    prepare: (entry, definition) => made?.prepare(entry, definition) ?? entry,
    close: () => made?.engine.stop(),
  }
}

class TasksFeature implements Feature, ToolTasks {
  readonly engine: TaskEngine
  readonly #book: TaskBook
  readonly #calls: TaskCalls
  readonly #methods: TaskMethods

  constructor(server: FeatureHost, book: TaskBook) {
    this.#book = book
    this.engine = new TaskEngine(server, book)
    this.#calls = new TaskCalls(server, book, this.engine)
    this.#methods = new TaskMethods(server, book, this.engine)
    this.follow = this.follow.bind(this)
  }

  /** Puts around a tool what makes tasks of its calls, or refuses to where it does not have them. */
  prepare(entry: ToolEntry, { options }: ToolDefinition): ToolEntry {
    const settings = toTaskSettings(options.task)
    const { mode } = settings
    const execution = mode === 'never' ? undefined : { taskSupport: mode === 'required' ? mode : ('optional' as const) }
    return {
      ...entry,
      tool: execution === undefined ? entry.tool : { ...entry.tool, execution },
      // A tool's work gives a tool's result.
      inside: (call, run) => this.#calls.call(settings, call, run as never) as never,
    }
  }

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
    const became = (result as { [BECAME_TASK]?: unknown })[BECAME_TASK]
    return isObject(became) ? became : undefined
  }

  /** `taskIds` of a listener: those that are its own are acknowledged, and each change of them is told in full. */
  async follow(asked: JsonObject, call: ServerCall, notify: Notify): Promise<Followed | undefined> {
    const { taskIds } = asked
    if (taskIds === undefined) return undefined
    if (!declaresTasks(call)) throw taskRequired(EXTENSION_TASKS)
    const { revision, principal } = call.conversation
    const wanted = Array.isArray(taskIds) ? [...new Set(taskIds.filter((id) => typeof id === 'string'))] : []
    const found = await Promise.all(wanted.slice(0, MAX_FOLLOWED).map((id) => this.#book.find(id, principal?.id)))
    const own = found.flatMap((record) => (record === undefined ? [] : [record.id]))
    const told = new Map<string, string>()
    const tell = async (id: string): Promise<void> => {
      const record = await this.#book.find(id, principal?.id)
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
