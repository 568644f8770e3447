/**
 * When a person is asked. Beyond what the library asks for: whoever runs a program on the same machine can use the name of
 * a client that has no secret, and gets the code where it leads back to that machine. What was allowed before is not
 * proof enough there (RFC 8252, 8.6), whatever kind of application the client calls itself.
 */

import { zoneOfHost } from '@portico/sdk/auth-node'
import type { interactionPolicy as Policies } from 'oidc-provider'
import { interactionPolicy } from './provider.ts'

export function createConsentPolicy(): Policies.DefaultPolicy {
  const { base, Check } = interactionPolicy
  const policy = base()
  const check = new Check(
    'unproven_client',
    'the client cannot prove who it is',
    'interaction_required',
    ({ oidc }) => {
      const isPublic = oidc.client?.clientAuthMethod === 'none'
      const isSettled = oidc.result?.consent !== undefined
      return isPublic && !isSettled && !isProven(oidc.params?.redirect_uri)
    },
  )
  policy.get('consent')?.checks.add(check)
  return policy
}

/** Only a web site that is reached by TLS proves by its address who gets the code. */
function isProven(redirect: unknown): boolean {
  if (typeof redirect !== 'string' || !URL.canParse(redirect)) return false
  const { protocol, hostname } = new URL(redirect)
  return protocol === 'https:' && zoneOfHost(hostname) !== 'loopback'
}
