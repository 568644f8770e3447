/** Tasks of a server that is reached without the host: its ids are remembered in the state folder, like those of the host. */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createTaskBook, type KeptTask, labelOfTask, type TaskBook } from '@portico/host/tasks'
import type { CallToolResult, Client, JsonObject, RequestOptions, TaskView, ToolRun } from '@portico/sdk/client'
import { stateOf } from '../host-places.ts'
import type { Unanswered } from '../tasks/unanswered.ts'
import type { Io } from '../terminal/io.ts'
import type { TargetKind } from './target-kind.ts'

/** What a command can do with the tasks of a server. */
export interface TargetTasks {
  /** Tells whether a remembered task is of this very server. */
  readonly identity: string
  /** Whether ids that were not remembered may be asked for: rules can say nothing of a call that nobody here has made. */
  readonly takesForeign: boolean
  /** The server is a program of this command: what it does not keep elsewhere ends with it. */
  readonly endsWithCommand: boolean
  start(tool: string, args: JsonObject, options?: RequestOptions): Promise<StartedTask>
  result(task: KeptTask, options?: RequestOptions): Promise<CallToolResult>
  cancel(task: KeptTask): Promise<void>
}

/** A task, or the result of a tool that answered at once. */
type StartedTask =
  | { readonly task: KeptTask; readonly result?: undefined }
  | { readonly result: CallToolResult; readonly task?: undefined }

/** The tasks that were begun with this state folder, by commands and by the host. */
export function taskBookOf(io: Pick<Io, 'env' | 'say' | 'paint'>): TaskBook {
  const onWarning = (message: string): void => io.say(`${io.paint.yellow('warning')}: ${message}`)
  return createTaskBook({ file: join(stateOf(io), 'tasks.json'), onWarning })
}

interface DirectParts {
  readonly io: Io
  /** Where questions wait for somebody else. */
  readonly unanswered?: Unanswered | undefined
}

/** `where` is what was typed to reach the server: addresses may hold secrets, so that a digest of it is kept. */
export function createDirectTasks(
  client: Client,
  label: string,
  where: TargetKind,
  { io, unanswered }: DirectParts,
): TargetTasks {
  const identity = createHash('sha256').update(JSON.stringify(where)).digest('hex')
  const book = taskBookOf(io)
  const begin: TargetTasks['start'] = async (tool, args, options) => {
    const run = await client.startTool(tool, args, options)
    const { task: view } = run
    if (view === undefined) return { result: await run.result() }
    const task = { ...toKept(run, view, identity), server: label, tool, startedAt: view.createdAt }
    await book.keep(task)
    return { task }
  }
  return {
    identity,
    takesForeign: true,
    endsWithCommand: where.kind !== 'url',
    async start(tool, args, options) {
      const start = () => begin(tool, args, options)
      return unanswered === undefined ? start() : unanswered.during(tool, start)
    },
    result: async ({ taskId }, options) => (await client.resumeTask(taskId, options)).result(options),
    cancel: async ({ taskId }) => (await client.resumeTask(taskId)).cancel(),
  }
}

/** What is known of a task from its server alone. */
export function toKept({ generation = 'extension' }: ToolRun, view: TaskView, identity: string): KeptTask {
  const { taskId, status, statusMessage, createdAt, updatedAt, ttlMs } = view
  return {
    label: labelOfTask(identity, taskId),
    taskId,
    server: '',
    identity,
    tool: '',
    generation,
    status,
    ...(statusMessage !== undefined && { message: statusMessage }),
    startedAt: createdAt,
    updatedAt,
    ...(Number.isFinite(ttlMs) && { expiresAt: createdAt + ttlMs }),
  }
}
