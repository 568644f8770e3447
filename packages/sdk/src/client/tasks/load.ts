/** Where a client gets what follows tasks: it is loaded by the first call that becomes one. */

import { onDemand } from '../../jsonrpc/on-demand.ts'

export const loadTasks = onDemand(() => import('./calls.ts'))
