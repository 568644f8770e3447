/** What happens to tasks of a gateway, as lines of the audit log. */

import type { TaskEvent } from '@portico/sdk/tasks'
import type { AuditEntry } from '../../audit/record.ts'

/** Looks are too many to be written down, as lists are: one waits for its task by looking every second. */
export function isAudited({ type, method }: TaskEvent): boolean {
  return type !== 'working' && !(type === 'accessed' && (method === 'tasks/get' || method === 'tasks/list'))
}

/** An entry for what happened to a task: who it was, and never what the task holds. */
export function toAuditEntry({ at, type, tool, principal, method, taskId }: TaskEvent): AuditEntry {
  return {
    at,
    type: 'event',
    what: `task-${type}`,
    ...(principal !== undefined && { principal }),
    ...(tool !== undefined && { item: tool }),
    detail: { ...(taskId !== undefined && { task: taskId }), ...(method !== undefined && { method }) },
  }
}
