/** Tasks in words for a terminal, and as JSON for programs. */

import type { KeptTask } from '@portico/host/tasks'
import type { TaskView } from '@portico/sdk/client'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'

const GENERATIONS = { core: '2025-11-25 tasks', extension: '2026-07-28 tasks extension' } as const

/** The kind of task that it is on the wire. */
function generationOf({ generation }: Pick<KeptTask, 'generation'>): string {
  return GENERATIONS[generation]
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
export function toTaskRow(task: KeptTask): readonly string[] {
  const { label, tool, status, message = '' } = task
  return [label, status, tool === '' ? '?' : toLine(tool), generationOf(task), toLine(message)]
}

/** What a task says of itself, as a line that replaces the last. */
export function toTaskProgress(name: string, { status, statusMessage }: TaskView): string {
  return toLine(`${name} ${status}${statusMessage === undefined ? '' : `: ${statusMessage}`}`)
}

export function sayTask(task: KeptTask, json: boolean, io: Io): void {
  if (json) io.out(JSON.stringify(toTaskJson(task)))
  else
    io.out(
      toTaskRow(task)
        .join(io.terminal ? '  ' : '\t')
        .trimEnd(),
    )
}
