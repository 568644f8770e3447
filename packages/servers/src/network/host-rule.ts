/** Which hosts an operator lets a server reach (options `allow` and `deny`), as a rule of `guarded-fetch.ts`. */

import { createWildcard } from '@portico/sdk/internal'

export interface HostLists {
  /** Names with `*`; every host if left out or empty. */
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

/** Says why a host is not reached, or undefined. `done` names what is done with hosts: `reached`, `fetched from`. */
export function createHostRule({ allow = [], deny = [] }: HostLists, done: string): (url: URL) => string | undefined {
  const fits = (patterns: readonly string[], host: string) =>
    patterns.some((pattern) => createWildcard(pattern.toLowerCase(), '*')(host))
  return ({ hostname }) => {
    const host = hostname.toLowerCase().replace(/\.$/, '')
    if (fits(deny, host)) return `${host} is among the hosts that are not ${done} (option deny).`
    if (allow.length > 0 && !fits(allow, host)) {
      return `${host} is not among the hosts that may be ${done} (option allow).`
    }
    return undefined
  }
}
