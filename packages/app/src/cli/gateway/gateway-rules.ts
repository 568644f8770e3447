/** What callers of the gateway may do: the operator's rules, and what holds where there are none. */

import type { LoadedConfig } from '@portico/host/config'
import type { Io } from '../terminal/io.ts'

/** The operator has chosen the servers; the questions they ask are answered by the caller's own person. */
export function rulesFor(config: LoadedConfig): unknown[] {
  const chosen = { id: 'gateway: servers', outcome: 'allow', effect: 'connect', because: 'The operator configured it' }
  const asked = {
    id: 'gateway: questions',
    outcome: 'allow',
    effect: ['sample', 'root'],
    because: 'The caller answers it',
  }
  const used = {
    id: 'gateway: callers',
    outcome: 'allow',
    effect: ['call', 'read', 'prompt'],
    because: 'There are no rules of the operator’s, and the caller is known',
  }
  return hasRules(config) ? [chosen, asked] : [chosen, asked, used]
}

function hasRules({ extras }: LoadedConfig): boolean {
  return extras.some(({ policy }) => {
    const { rules = policy } = (policy ?? {}) as { rules?: unknown }
    return Array.isArray(rules) && rules.length > 0
  })
}

export function sayRules(config: LoadedConfig, io: Io): void {
  if (hasRules(config)) io.say('What no rule of `policy` allows is denied: nobody is here to be asked.')
  else io.say('There is no `policy`: callers may use everything that they see.')
}
