/** Waits for what a task comes to and prints that as `portico call` would; Ctrl-C leaves the task running. */

import { isOver, type KeptTask } from '@portico/host/tasks'
import type { TaskView } from '@portico/sdk/client'
import { CliError } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import type { OpenTarget } from '../target/open-target.ts'
import { requestOptionsOf } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'
import { handResult } from './hand-result.ts'
import { refresh } from './known-tasks.ts'
import { toQuestions, toTaskProgress } from './task-words.ts'

/** A command about the tasks of a server. */
export interface TaskCommand {
  readonly open: OpenTarget
  readonly input: CommandInput
  readonly io: Io
  /** The server as it may be typed again. */
  readonly server: string
}

export async function waitForResult(command: TaskCommand, task: KeptTask): Promise<number> {
  const { open, input, io, server } = command
  const name = task.tool === '' ? task.label : task.tool
  const watching = new AbortController()
  const signal = AbortSignal.any([watching.signal, io.signal])
  const followed = follow(command, task, name, signal)
  try {
    // Whoever fetches the result is asked the task's questions: where nobody can answer, that would refuse them.
    if (!io.interactive && !isOver(task)) await followed
    // Whoever waits for the result hears what is wrong.
    else followed.catch(() => {})
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

/** Shows how far a task is until it is over. A question ends it where nobody can be asked; the task goes on waiting. */
async function follow(
  { open, io, server }: TaskCommand,
  task: KeptTask,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const run = await open.client.resumeTask(task.taskId, { signal })
  const left = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const updates = run.updates()[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([updates.next(), left])
    if (next === undefined || next.done === true) return
    if (next.value.status === 'input_required' && !io.interactive) throw unanswered(task, next.value, server)
    io.progress(toTaskProgress(name, next.value))
  }
}

function unanswered({ label }: KeptTask, view: TaskView, server: string): CliError {
  const asked = toQuestions(view)
  const remedy = `Run \`portico tasks result ${server} ${label}\` in a terminal to answer. The task waits meanwhile.`
  const what = `Task ${label} has a question, and nobody can be asked here${asked === '' ? '' : `: ${asked}`}`
  return new CliError('denied', what, remedy)
}
