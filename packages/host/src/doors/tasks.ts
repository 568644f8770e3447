/** `@portico/host/tasks`: the tasks that were begun with a state folder, for programs that ask after them without a host. */

export {
  createTaskBook,
  isOver,
  type KeptCall,
  type KeptTask,
  labelOfTask,
  type TaskBook,
  type TaskBookOptions,
  type TaskState,
  type TaskStep,
} from '../assembly/tasks/task-book.ts'
