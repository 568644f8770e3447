/** The way to what only servers need whose handlers ask the client, or take steps. */

import { onDemand } from '../../jsonrpc/on-demand.ts'

export const loadAsking = onDemand(() => import('./questions.ts'))
