/** A call of a tool that may have become a task, as its caller sees it. `tool-run.ts` is what follows one. */

import type { TaskView } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/tools.ts'

/** A call of a tool that was started, as `client.startTool` and `client.resumeTask` give it. */
export interface ToolRun {
  /** The task as it was last seen; undefined when the tool answered at once. */
  readonly task?: TaskView
  /** Which of the two kinds of task it is: the core feature of 2025-11-25, or the extension of 2026-07-28. */
  readonly generation?: 'core' | 'extension'
  /** What a model may be told until there is a result, where the server said so (2025-11-25). */
  readonly immediateResponse?: string
  /** Asks the server where the task stands. */
  status(): Promise<TaskView>
  /** The task now, and again whenever it is seen to have changed, until it is over. Answers no question. */
  updates(): AsyncIterable<TaskView>
  /**
   * Waits for what the tool answers, and meanwhile has its questions answered by the client's handlers. Fails as `callTool` does. The
   * signal ends the waiting alone; `cancel` ends the task.
   */
  result(options?: { readonly signal?: AbortSignal }): Promise<CallToolResult>
  /** Asks the server to end the task. Does nothing where it is over. */
  cancel(): Promise<void>
}

/** A page of the tasks that a server of 2025-11-25 keeps for this client. */
export interface TaskPage {
  readonly tasks: TaskView[]
  readonly nextCursor?: string
}
