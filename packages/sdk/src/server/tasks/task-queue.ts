/** What hands tasks that are due to workers in several processes, where the look around of `task-engine.ts` is not enough. */

import type { Bus } from '../../state/bus.ts'

/** That a task is due, and nothing of the task itself. */
export interface TaskJob {
  readonly id: string
  /** Of the run before. A job of a run that is over by now is dropped. */
  readonly epoch: number
  /** When it is due, by the clock of the one who says so; at once unless given. */
  readonly at?: number
}

/**
 * A queue of jobs. The store decides what is true, so a job may come late, twice or never: whoever takes one reads the task
 * and takes its lease first, and what was lost is found by the next look around.
 */
export interface TaskQueue {
  /** Hands on a job. Where one of the same id and epoch waits already, nothing has to happen. */
  push(job: TaskJob): Promise<void>
  /** Gives jobs to `run`, which resolves when the work is over, until the function that this gives is called. */
  take(run: (job: TaskJob) => Promise<void>): Promise<() => Promise<void>>
}

const DUE = 'task-due'

/** For a process that leaves work to others, where there is no queue: workers that hear it look around at once. */
export function leaveToOthers(bus: Bus): TaskQueue {
  return { push: () => bus.publish(DUE, ''), take: async () => async () => {} }
}

/** Calls `look` whenever another process left work. */
export function hearOfWork(bus: Bus, look: () => void): Promise<() => void> {
  return bus.subscribe(DUE, look)
}
