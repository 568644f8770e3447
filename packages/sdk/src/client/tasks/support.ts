/** Whether calls may be tasks, judged before anything of tasks is loaded. */

import { isObject } from '../../jsonrpc/message.ts'
import { vocabularyOf } from '../../protocol/revisions/vocabulary.ts'
import type { Connection } from '../connection.ts'

/** Whether a server of 2025-11-25 makes tasks of calls of tools that ask for it. Without, `task` is never sent. */
export function takesTasks({ revision, server }: Connection): boolean {
  const requests = server.capabilities.tasks?.requests
  return vocabularyOf(revision).coreTasks && isObject(requests?.tools) && isObject(requests.tools.call)
}
