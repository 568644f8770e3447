/** Signing out of a server, for the terminal and the page alike: its tokens are forgotten here and revoked where they came from. */

import { join } from 'node:path'
import type { ServerConfig } from '@portico/host/config'
import { authorizationCode, createAuthorizer } from '@portico/sdk/auth'
import { createFileTokenStore } from '@portico/sdk/auth-node'

/** False for a server that nobody signs in to. Rejects where the tokens are forgotten but could not be revoked. */
export async function signOutOf({ target, settings }: ServerConfig, stateDir: string): Promise<boolean> {
  if (!('url' in target) || !URL.canParse(target.url)) return false
  const { clientId } = (settings.auth ?? {}) as { clientId?: unknown }
  const authorizer = createAuthorizer(new URL(target.url), {
    grant: authorizationCode({
      userAgent: NOBODY,
      clientName: 'Portico',
      ...(typeof clientId === 'string' && { client: { clientId } }),
    }),
    store: createFileTokenStore({ folder: join(stateDir, 'tokens') }),
  })
  try {
    await authorizer.signOut()
    return true
  } finally {
    authorizer.close()
  }
}

const NOBODY = { redirectUri: () => 'http://127.0.0.1/', open: () => Promise.reject(new Error('not signing in')) }
