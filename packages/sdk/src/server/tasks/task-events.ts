/** What operators are told of tasks: who made, looked at and ended them. Never what they hold. */

import { tellObserver } from '../../jsonrpc/observer.ts'
import type { TaskStatus } from '../../protocol/tasks.ts'

/** Something that happened to a task. It never has arguments, answers, messages or results. */
export interface TaskEvent {
  /**
   * `created`; the status that it came to; `accessed` when its owner looked, answered, cancelled or listed; `refused` when
   * somebody asked for a task that is unknown or another's.
   */
  readonly type: 'created' | TaskStatus | 'accessed' | 'refused'
  /** Absent where many are listed. */
  readonly taskId?: string
  /** The tool, where the task is known. */
  readonly tool?: string
  /** Who did it: the owner where the task itself went on. Absent for callers without a name. */
  readonly principal?: string
  /** The method, or the helper tool, by which it was accessed. */
  readonly method?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Told of tasks as things happen to them, in the process in which they do. */
export type TaskObserver = (event: TaskEvent) => void

const MAX_LENGTH = 256

/** Tells an observer, whose own errors harm nobody; texts of others are cut. */
export function tellOfTask(
  observer: TaskObserver | undefined,
  event: { readonly [K in keyof TaskEvent]?: unknown },
): void {
  if (observer === undefined) return
  const bounded = Object.entries(event).flatMap(([name, value]): [string, unknown][] =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value.slice(0, MAX_LENGTH) : value]],
  )
  // The members are those of an event; only their lengths were changed.
  tellObserver(() => observer({ ...Object.fromEntries(bounded), at: Date.now() } as unknown as TaskEvent))
}
