/** Which repositories a server may touch: all that the token can, or those that the operator named. */

import { createWildcard } from '@portico/sdk/internal'
import { PorticoError, ToolError } from '@portico/sdk/server'

export interface RepositoryRule {
  allows(owner: string, name: string): boolean
  /** Throws what to tell the model. */
  require(owner: string, name: string): void
}

const PART = /^[A-Za-z0-9_.-]{1,100}$/

export function createRepositoryRule(patterns: readonly string[] | undefined): RepositoryRule {
  const allowed = patterns?.map((pattern) => {
    if (!/^[\w.*-]+\/[\w.*-]+$/.test(pattern)) {
      throw new PorticoError('invalid-arguments', `repositories takes "owner/name" with *, not "${pattern}"`)
    }
    return createWildcard(pattern.toLowerCase(), '*')
  })
  const allows = (owner: string, name: string): boolean => {
    const whole = `${owner}/${name}`.toLowerCase()
    return allowed === undefined || allowed.some((matches) => matches(whole))
  }
  return {
    allows,
    require(owner, name) {
      if (!PART.test(owner) || !PART.test(name)) throw new ToolError('Name a repository by owner and name.')
      if (!allows(owner, name)) {
        throw new ToolError(`${owner}/${name} is not one of the repositories of this server (option repositories).`)
      }
    },
  }
}
