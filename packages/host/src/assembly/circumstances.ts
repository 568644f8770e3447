/** Under what circumstances an act happens: what was said of it, and what holds for the whole host. */

import type { Circumstances } from '../policy/effect.ts'
import type { ActOptions, HostOptions } from './options.ts'

/** What is done without naming a session. */
export const DEFAULT_SESSION = 'host'

export function toCircumstances(
  { session = DEFAULT_SESSION, principal, unattended, byModel = false, traceId }: ActOptions,
  host: Pick<HostOptions, 'workspace' | 'unattended'>,
): Circumstances {
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
