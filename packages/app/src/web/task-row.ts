/** A task of the host as the page shows it. */

import type { HostTask } from '@portico/host'
import type { TaskRow } from './api-types/api.ts'

const CHAT = 'chat:'

export function toTaskRow(task: HostTask): TaskRow {
  const { session = '' } = task
  return session.startsWith(CHAT) ? { ...task, chat: session.slice(CHAT.length) } : task
}
