/** Tasks in words for a terminal, and as JSON for programs. */

import type { KeptTask } from '@portico/host/tasks'
import type { TaskView } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { toTable } from '../terminal/table.ts'

const GENERATIONS = { core: '2025-11-25 tasks', extension: '2026-07-28 tasks extension' } as const

/** Below that, a revision says enough of the kind. */
const NARROW = 72

/** The kind of task that it is on the wire. */
function generationOf({ generation }: Pick<KeptTask, 'generation'>, columns = NARROW): string {
  const name = GENERATIONS[generation]
  return columns < NARROW ? name.slice(0, '2025-11-25'.length) : name
}

export function toTaskJson(task: KeptTask): object {
  const { label, taskId, server, tool, status, message, startedAt, updatedAt, expiresAt } = task
  return {
    task: label,
    taskId,
    ...(server !== '' && { server }),
    ...(tool !== '' && { tool }),
    status,
    ...(message !== undefined && { statusMessage: message }),
    generation: generationOf(task),
    startedAt: new Date(startedAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  }
}

/** Cells of a table: the last one takes what room is left. */
export function toTaskRow(task: KeptTask, { terminal, columns }: Pick<Io, 'terminal' | 'columns'>): readonly string[] {
  const { label, tool, status, message = '' } = task
  const kind = generationOf(task, terminal ? columns : undefined)
  return [label, status, tool === '' ? '?' : toLine(tool), kind, toLine(message)]
}

/** What a task says of itself, as a line that replaces the last. */
export function toTaskProgress(name: string, { status, statusMessage }: TaskView): string {
  return toLine(`${name} ${status}${statusMessage === undefined ? '' : `: ${statusMessage}`}`)
}

/** What a task asks, as far as its server shows it: on 2025-11-25 only whoever answers is told. */
export function toQuestions({ questions = {} }: TaskView): string {
  const asked = Object.values(questions).flatMap((question) => {
    const params = isObject(question) && isObject(question.params) ? question.params : {}
    return typeof params.message === 'string' ? [`“${params.message}”`] : []
  })
  return toLine(asked.join(', '), 500)
}

export function sayTask(task: KeptTask, json: boolean, io: Io): void {
  io.out(json ? JSON.stringify(toTaskJson(task)) : toTable([toTaskRow(task, io)], io).trimEnd())
}

/** Who looks at a task that waits for an answer is told how to give one. */
export function sayQuestions(tasks: readonly KeptTask[], server: string, io: Io): void {
  for (const { status, label } of tasks) {
    if (status !== 'input_required') continue
    io.say(`${label} has a question: \`portico tasks result ${server} ${label}\` asks it, in a terminal.`)
  }
}
