/** Waits for what a task comes to and prints that as `portico call` would; Ctrl-C leaves the task running. */

import type { KeptTask } from '@portico/host/tasks'
import type { CommandInput } from '../parse/command.ts'
import type { OpenTarget } from '../target/open-target.ts'
import { requestOptionsOf } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'
import { handResult } from './hand-result.ts'
import { refresh } from './known-tasks.ts'
import { toTaskProgress } from './task-words.ts'

/** A command about the tasks of a server. */
export interface TaskCommand {
  readonly open: OpenTarget
  readonly input: CommandInput
  readonly io: Io
  /** The server as it may be typed again. */
  readonly server: string
}

export async function waitForResult({ open, input, io, server }: TaskCommand, task: KeptTask): Promise<number> {
  const name = task.tool === '' ? task.label : task.tool
  const watching = new AbortController()
  void tellProgress({ open, io }, task, name, watching.signal)
  try {
    const answer = await open.tasks.result(task, requestOptionsOf(input, io))
    watching.abort()
    io.progress(undefined)
    await refresh(open, task, io).catch(() => undefined)
    return await handResult(name, answer, input, io)
  } catch (error) {
    if (io.signal.aborted) io.say(`The task goes on: \`portico tasks result ${server} ${task.label}\` waits for it.`)
    throw error
  } finally {
    watching.abort()
  }
}

async function tellProgress(
  { open, io }: Pick<TaskCommand, 'open' | 'io'>,
  task: KeptTask,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const run = await open.client.resumeTask(task.taskId, { signal })
    for await (const view of run.updates()) {
      if (signal.aborted) return
      io.progress(toTaskProgress(name, view))
    }
  } catch {
    // Whoever waits for the result hears of it.
  }
}
