/** `portico tasks`: calls that a server works on by itself, looked at, waited for and ended. */

import { isOver } from '@portico/host/tasks'
import { nearestName } from '@portico/host/text'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import { againOf, targetOptionsOf, withTarget } from '../target/target.ts'
import { isPathOrUrl, splitTarget } from '../target/target-kind.ts'
import { toKept } from '../target/target-tasks.ts'
import { findTask, isForgotten, listTasks, refresh } from '../tasks/known-tasks.ts'
import { sayQuestions, sayTask, toTaskJson, toTaskRow } from '../tasks/task-words.ts'
import { type TaskCommand, waitForResult } from '../tasks/wait-for-result.ts'
import type { Io } from '../terminal/io.ts'
import { toTable } from '../terminal/table.ts'

const SEE_LIST = '`portico tasks list <server>` shows those that there are.'

type TaskAction = (command: TaskCommand, id: string | undefined) => Promise<number>

const ACTIONS: { readonly [action: string]: TaskAction } = { list, show, result, cancel, watch }

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [action, ...positionals] = input.positionals
  const act = action !== undefined && Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (act === undefined) throw unknownAction(action)
  const { target, rest } = splitTarget({ ...input, positionals }, isPathOrUrl)
  const [id, surplus] = rest
  if (surplus !== undefined) throw new CliError('usage', `"${surplus}" is too much: one task at a time`)
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    try {
      return await act({ open, input, io, server: againOf(target, input) }, id)
    } catch (error) {
      if (!isForgotten(error)) throw error
      const remedy = 'It is over for longer than the server keeps tasks, or was begun by somebody else.'
      throw new CliError('not-found', `${open.label} knows no such task`, remedy, error)
    }
  })
}

function unknownAction(action: string | undefined): CliError {
  const names = Object.keys(ACTIONS)
  const near = action === undefined ? undefined : nearestName(action, names)
  const hint = near === undefined ? `Use one of ${names.join(', ')}. ` : `Did you mean \`portico tasks ${near}\`? `
  const what = action === undefined ? 'tasks: what is to be done?' : `tasks: there is no action "${action}"`
  return new CliError('usage', what, `${hint}See \`portico tasks --help\`.`)
}

async function list({ open, input, io, server }: TaskCommand): Promise<number> {
  const tasks = await listTasks(open, io)
  if (input.json) io.out(JSON.stringify(tasks.map(toTaskJson)))
  else if (tasks.length > 0)
    io.out(
      toTable(
        tasks.map((task) => toTaskRow(task, io)),
        io,
      ),
    )
  sayQuestions(tasks, server, io)
  if (tasks.length === 0) io.say(`No tasks. \`portico call ${server} <tool> --task\` begins one.`)
  return EXIT_CODES.ok.code
}

async function show({ open, input, io, server }: TaskCommand, id: string | undefined): Promise<number> {
  const found = await findTask(open, id, io)
  const task = await refresh(open, found, io)
  if (task === undefined) {
    // What was never begun here was never known there, as far as anybody can tell.
    if (found.startedAt === 0) throw new CliError('not-found', `${open.label} knows no such task`, SEE_LIST)
    throw new CliError('not-found', `${open.label} has forgotten the task`, 'Begin it again.')
  }
  sayTask(task, input.json, io)
  sayQuestions([task], server, io)
  return EXIT_CODES.ok.code
}

async function result(command: TaskCommand, id: string | undefined): Promise<number> {
  const task = await findTask(command.open, id, command.io)
  if (task.status === 'cancelled') throw new CliError('not-found', 'The task was cancelled: there is no result')
  return waitForResult(command, task)
}

async function cancel({ open, input, io }: TaskCommand, id: string | undefined): Promise<number> {
  const task = await findTask(open, id, io)
  if (!isOver(task)) await open.tasks.cancel(task)
  const now = (await refresh(open, task, io)) ?? { ...task, status: 'cancelled' as const }
  if (input.json) io.out(JSON.stringify(toTaskJson(now)))
  else if (isOver(task)) io.say(`It is over already: ${now.status}.`)
  else io.say(now.status === 'cancelled' ? 'Cancelled.' : `It is ${now.status}: the server ends it when it can.`)
  return EXIT_CODES.ok.code
}

/** One line for each change, until the task is over. */
async function watch({ open, input, io, server: typed }: TaskCommand, id: string | undefined): Promise<number> {
  const task = await findTask(open, id, io)
  const run = await open.client.resumeTask(task.taskId, { signal: io.signal })
  const leave = new Promise<undefined>((resolve) => {
    io.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const updates = run.updates()[Symbol.asyncIterator]()
  let last = ''
  for (;;) {
    const next = await Promise.race([updates.next(), leave])
    if (next === undefined || next.done === true) break
    const { server, tool } = task
    const now = { ...toKept(run, next.value, task.identity), server, tool }
    // A server tells how a task is whenever it is asked, whether that has changed or not.
    const state = JSON.stringify([now.status, now.message])
    if (state === last) continue
    last = state
    sayTask(now, input.json, io)
    sayQuestions([now], typed, io)
  }
  await refresh(open, task, io).catch(() => undefined)
  return EXIT_CODES.ok.code
}
