/** Where a client gets what it has of tasks: each part is loaded by the first call or question that needs it. */

import { onDemand } from '../../jsonrpc/on-demand.ts'

export type { TaskCalls } from './calls.ts'
export type { ReceivedTasks } from './received.ts'

export const loadTasks = onDemand(() => import('./calls.ts'))
export const loadReceived = onDemand(() => import('./received.ts'))
