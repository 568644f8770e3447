/** The handlers of every method of the workbench in one table, and the call of one by its name. */

import type { ApiMethod } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'
import type { Handlers, WorkbenchServices } from '../workbench-services.ts'
import { chatHandlers } from './chat.ts'
import { inboxHandlers } from './inbox.ts'
import { itemHandlers } from './items.ts'
import { policyHandlers } from './policy.ts'
import { serverHandlers } from './servers.ts'
import { taskHandlers } from './tasks.ts'
import { timelineHandlers } from './timeline.ts'

export function createHandlers(services: WorkbenchServices): Handlers {
  return {
    'app.info': () => services.info,
    ...serverHandlers(services),
    ...itemHandlers(services),
    ...inboxHandlers(services),
    ...chatHandlers(services),
    ...taskHandlers(services),
    ...timelineHandlers(services),
    ...policyHandlers(services),
  }
}

export async function callHandler(
  handlers: Handlers,
  method: string,
  params: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!Object.hasOwn(handlers, method)) {
    throw new Refused(404, { code: 'unknown-method', message: 'There is no such method' })
  }
  // The table has just said that it is the name of one.
  return handlers[method as ApiMethod](params, signal)
}
