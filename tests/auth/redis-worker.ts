/** One of several processes that share a token store in Redis: makes many calls at once, and cannot sign anybody in. */

import { createRedisTokenStore } from '@portico/host/tokens'
import { authorizationCode } from '@portico/sdk/auth'
import { connect } from '@portico/sdk/client'
import { openRedis } from './redis-engine.ts'

const [url = '', port, calls] = process.argv.slice(2)
const redis = await openRedis(Number(port))
const nobody = {
  redirectUri: () => 'http://127.0.0.1:8765/callback',
  open: () => Promise.reject(new Error('there is nobody here')),
}
const store = createRedisTokenStore(redis, { key: Buffer.from(process.env.TOKEN_KEY ?? '', 'hex') })
const auth = { grant: authorizationCode({ userAgent: nobody }), store }
const client = await connect(url, { auth, negotiations: false })
try {
  await Promise.all(Array.from({ length: Number(calls) }, () => client.callTool('look')))
} finally {
  await client.close()
  redis.destroy()
}
