/** Tasks of conversations in the terminal: taken up from earlier ones, told of when they are over, and left behind with a word. */

import { randomUUID } from 'node:crypto'
import type { Host, HostTask, TaskArrival } from '@portico/host'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'

/** Tells these conversations from those of the workbench, which come back under their own ids. */
const PREFIX = 'terminal-'

export function newSession(): string {
  return `${PREFIX}${randomUUID()}`
}

export function sayArrival({ task, problem }: TaskArrival, io: Io): void {
  const what =
    problem === undefined
      ? 'is done: its result goes along with your next message; Enter alone has the model go on with it'
      : `has no result: ${problem}`
  io.say(io.paint.cyan(toLine(`Task ${task.label} (${task.tool}) ${what}.`, 300)))
}

/** A conversation in the terminal ends with its process, and its tasks do not: the next one has what they come to. */
export async function takeUpTasks(host: Host, session: string, io: Io): Promise<void> {
  for (const task of await host.tasks.list()) {
    if (task.session?.startsWith(PREFIX) !== true || task.delivered || task.followed) continue
    if (!(await host.tasks.handTo(task.label, session))) continue
    io.say(io.paint.cyan(toLine(`Task ${nameOf(task)} of an earlier conversation: its result comes to this one.`, 300)))
  }
}

/** Whoever leaves knows what goes on without them. */
export async function sayLeft(host: Host, session: string, io: Io): Promise<void> {
  for (const task of await host.tasks.list()) {
    if (task.session !== session || !task.followed) continue
    const fetch = `portico tasks result ${toLine(task.server)} ${task.label}`
    io.say(`Task ${toLine(nameOf(task))} goes on. Your next \`portico chat\` has its result, or \`${fetch}\`.`)
  }
}

function nameOf({ label, tool }: HostTask): string {
  return `${label} (${tool})`
}
