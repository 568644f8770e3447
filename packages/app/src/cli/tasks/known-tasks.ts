/** The tasks of one server, as they are remembered and as the server tells of them now. */

import { isOver, type KeptTask, labelOfTask } from '@portico/host/tasks'
import { PorticoError, type TaskView } from '@portico/sdk/client'
import { CliError } from '../../exit-codes.ts'
import type { OpenTarget } from '../target/open-target.ts'
import { taskBookOf, toKept } from '../target/target-tasks.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'

/** Pages of `tasks/list` that are read. */
const MAX_PAGES = 20

/** Those that were begun here, and on 2025-11-25 all that the server keeps for this caller; the oldest first. */
export async function listTasks(open: OpenTarget, io: Io): Promise<readonly KeptTask[]> {
  const { client, tasks } = open
  const known = (await taskBookOf(io).list()).filter(({ identity }) => identity === tasks.identity)
  const seen = (await Promise.all(known.map((task) => refresh(open, task, io)))).filter((task) => task !== undefined)
  const listed: KeptTask[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES && client.server.capabilities.tasks?.list !== undefined; page++) {
    const { tasks: views, nextCursor } = await client.listTasks(cursor, { signal: io.signal })
    for (const view of views) {
      if (!seen.some(({ taskId }) => taskId === view.taskId)) listed.push(toForeign(view, tasks.identity))
    }
    cursor = nextCursor
    if (cursor === undefined) break
  }
  return [...seen, ...listed].sort((one, other) => one.startedAt - other.startedAt)
}

/** The task that a command names by its label, by its id, or by the beginning of either; without a name, the only one. */
export async function findTask(open: OpenTarget, wanted: string | undefined, io: Io): Promise<KeptTask> {
  const { tasks, label } = open
  const known = (await taskBookOf(io).list()).filter(({ identity }) => identity === tasks.identity)
  if (wanted === undefined) {
    const running = known.filter((task) => !isOver(task))
    const [only] = running.length === 0 ? known : running
    if (only !== undefined && (running.length === 1 || known.length === 1)) return only
    const remedy = `\`portico tasks list <server>\` shows ${known.length === 0 ? 'that there is none' : 'them'}.`
    throw new CliError('usage', `Which task of ${label}? ${describe(known)}`, remedy)
  }
  const isMeant = ({ label: short, taskId }: KeptTask) => short === wanted || taskId === wanted
  const exact = known.find(isMeant)
  if (exact !== undefined) return exact
  const near = known.filter(({ label: short, taskId }) => short.startsWith(wanted) || taskId.startsWith(wanted))
  const [only] = near
  if (only !== undefined && near.length === 1) return only
  if (near.length > 1)
    throw new CliError('usage', `"${toLine(wanted)}" begins several tasks of ${label}: ${describe(near)}`)
  if (tasks.takesForeign) return foreign(wanted, open)
  throw new CliError(
    'not-found',
    `No task "${toLine(wanted)}" of ${label} was begun here. ${describe(known)}`,
    'What other programs began is fetched by them: rules can say nothing of a call that was not made here.',
  )
}

/** How it stands now; undefined, and no longer remembered, where its server has forgotten it. */
export async function refresh(open: OpenTarget, task: KeptTask, io: Io): Promise<KeptTask | undefined> {
  if (isOver(task)) return task
  const book = taskBookOf(io)
  try {
    const run = await open.client.resumeTask(task.taskId, { signal: io.signal })
    const { server, tool, identity } = task
    const now = { ...task, ...toKept(run, run.task ?? (await run.status()), identity), server, tool }
    await book.change(task.label, (kept) => ({ ...kept, ...now }))
    return now
  } catch (error) {
    if (!isForgotten(error)) throw error
    await book.forget(task.label)
    return undefined
  }
}

export function isForgotten(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'not-found'
}

function describe(tasks: readonly KeptTask[]): string {
  if (tasks.length === 0) return 'None is remembered.'
  return toLine(`There is ${tasks.map(({ label, tool, status }) => `${label} (${tool}, ${status})`).join(', ')}.`, 200)
}

function toForeign(view: TaskView, identity: string): KeptTask {
  return toKept({ generation: 'core' } as Parameters<typeof toKept>[0], view, identity)
}

/** An id that was not remembered: all that is known of it is what it is called. */
function foreign(taskId: string, { client, tasks: { identity } }: OpenTarget): KeptTask {
  const label = labelOfTask(identity, taskId)
  const generation = client.version === '2025-11-25' ? 'core' : 'extension'
  const about = { server: '', tool: '', generation, status: 'working' } as const
  return { label, taskId, identity, ...about, startedAt: 0, updatedAt: 0 }
}
