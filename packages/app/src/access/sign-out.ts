/** Signing out of a server, for the terminal and the page alike: its tokens are forgotten here and revoked where they came from. */

import { join } from 'node:path'
import type { ServerConfig } from '@portico/host/config'
import { authorizationCode, createAuthorizer } from '@portico/sdk/auth'
import { createFileTokenStore } from '@portico/sdk/auth-node'

/** `not-possible`: a server that nobody signs in to. */
type SignOut = 'signed-out' | 'nobody' | 'not-possible'

/** Rejects where the tokens are forgotten but could not be revoked. */
export async function signOutOf({ target, settings }: ServerConfig, stateDir: string): Promise<SignOut> {
  if (!('url' in target) || !URL.canParse(target.url)) return 'not-possible'
  const { clientId } = (settings.auth ?? {}) as { clientId?: unknown }
  const store = createFileTokenStore({ folder: join(stateDir, 'tokens') })
  let forgotten = 0
  const authorizer = createAuthorizer(new URL(target.url), {
    grant: authorizationCode({
      userAgent: NOBODY,
      clientName: 'Portico',
      ...(typeof clientId === 'string' && { client: { clientId } }),
    }),
    store: {
      get: (key) => store.get(key),
      set: (key, value) => store.set(key, value),
      withLock: (key, action) => store.withLock(key, action),
      delete: (key) => {
        forgotten++
        return store.delete(key)
      },
    },
  })
  try {
    await authorizer.signOut()
    return forgotten > 0 ? 'signed-out' : 'nobody'
  } finally {
    authorizer.close()
  }
}

const NOBODY = { redirectUri: () => 'http://127.0.0.1/', open: () => Promise.reject(new Error('not signing in')) }
