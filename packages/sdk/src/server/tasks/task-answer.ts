/** What requests are answered with where tasks are concerned: in the place of a result, or with a refusal. */

import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { TASKS_EXTENSION, type TaskGeneration } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { ServerCall } from '../call/call.ts'

/** The member of a result that has what the request is answered with in its place. Handlers cannot set it: it is taken out of what they return. */
const BECAME_TASK = '~task'
/** What was made here: a relay passes on what others wrote, and nothing of that is such an answer. */
const ANSWERS = new WeakSet<object>()

/** A result for middleware to look at, which has no content: what the request is answered with stands beside it. */
export function answered(written: JsonObject): CallToolResult {
  ANSWERS.add(written)
  return { content: [], [BECAME_TASK]: written } as CallToolResult
}

/** What a request is answered with in the place of a result, where that is so. */
export function answerIn(result: CallToolResult): JsonObject | undefined {
  const written = (result as { [BECAME_TASK]?: unknown })[BECAME_TASK]
  return isObject(written) && ANSWERS.has(written) ? written : undefined
}

/** What a handler passes on from elsewhere cannot pretend that its call became a task. */
export function clean(result: CallToolResult): CallToolResult {
  if (!Object.hasOwn(result, BECAME_TASK)) return result
  return Object.fromEntries(
    Object.entries(result).filter(([name]) => name !== BECAME_TASK),
  ) as unknown as CallToolResult
}

/** Whether this request declares the extension; what earlier ones said does not count. */
export function declaresTasks({ conversation: { capabilities } }: ServerCall): boolean {
  return isObject(capabilities.extensions) && Object.hasOwn(capabilities.extensions, TASKS_EXTENSION)
}

/** The refusal of a caller that would have to know tasks. */
export function taskRequired({ taskRequiredCode, name }: TaskGeneration): RpcError {
  if (name === 'core') return new RpcError(taskRequiredCode, 'This tool runs as a task only: send `task` with the call')
  return new RpcError(taskRequiredCode, `This needs the extension "${TASKS_EXTENSION}"`, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}
