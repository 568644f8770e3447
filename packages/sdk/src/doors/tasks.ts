/** `@portico/sdk/tasks`: tools whose work outlives the request. */

export type { TaskAdmission } from '../server/tasks/own-tasks.ts'
export type { TaskEvent, TaskObserver } from '../server/tasks/task-events.ts'
export type { TaskLimits } from '../server/tasks/task-limits.ts'
export type { TaskMode, TaskOptions } from '../server/tasks/task-options.ts'
export type { TaskJob, TaskQueue } from '../server/tasks/task-queue.ts'
export { createTasks, type Tasks, type TasksOptions } from '../server/tasks/tasks.ts'
