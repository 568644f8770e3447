/** Every method of the workbench in one table, and the way to one by its name. */

import type { ApiMethod } from '../api.ts'
import { Refused } from '../http/failure.ts'
import type { Handlers, WorkbenchServices } from '../workbench-services.ts'
import { chatMethods } from './chat.ts'
import { inboxMethods } from './inbox.ts'
import { itemMethods } from './items.ts'
import { policyMethods } from './policy.ts'
import { serverMethods } from './servers.ts'
import { timelineMethods } from './timeline.ts'

export function createMethods(services: WorkbenchServices): Handlers {
  return {
    'app.info': () => services.info,
    ...serverMethods(services),
    ...itemMethods(services),
    ...inboxMethods(services),
    ...chatMethods(services),
    ...timelineMethods(services),
    ...policyMethods(services),
  }
}

export async function answerMethod(
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
