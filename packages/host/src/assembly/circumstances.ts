/** Under what circumstances an act happens: what was said of it, and what holds for the whole host. */

import type { Circumstances } from '../policy/effect.ts'
import type { ActOptions, HostOptions } from './options.ts'

/** What is done without naming a session. */
export const DEFAULT_SESSION = 'host'

export function toCircumstances(
  { session = DEFAULT_SESSION, unattended, byModel = false, traceId, ...act }: ActOptions,
  host: Pick<HostOptions, 'workspace' | 'unattended' | 'principal'>,
): Circumstances {
  const { principal = host.principal } = act
  return {
    session,
    unattended: unattended ?? host.unattended ?? false,
    tainted: byModel,
    byHand: !byModel,
    at: Date.now(),
    ...(principal !== undefined && { principal }),
    ...(host.workspace !== undefined && { workspace: host.workspace }),
    ...(traceId !== undefined && { traceId }),
  }
}
