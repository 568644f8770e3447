/** What happens to tasks of a gateway, as lines of the audit log. */

import type { TaskEvent } from '@portico/sdk/tasks'
import type { AuditEntry } from '../../audit/record.ts'

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
