/** One of several processes that share a token store: makes many calls at once, and cannot sign anybody in. */

import { authorizationCode } from '@portico/sdk/auth'
import { createFileTokenStore } from '@portico/sdk/auth-node'
import { connect } from '@portico/sdk/client'

const [url = '', folder = ''] = process.argv.slice(2)
const nobody = {
  redirectUri: () => 'http://127.0.0.1:8765/callback',
  open: () => Promise.reject(new Error('there is nobody here')),
}
const auth = { grant: authorizationCode({ userAgent: nobody }), store: createFileTokenStore({ folder }) }
const client = await connect(url, { auth, negotiations: false })
try {
  await Promise.all(Array.from({ length: 20 }, () => client.callTool('look')))
} finally {
  await client.close()
}
