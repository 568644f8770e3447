// Teaches: calling a tool of a protected server: the browser opens, the person signs in, and the tokens are kept for the next time.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { authFailureOf, authorizationCode } from '@portico/sdk/auth'
import { createFileTokenStore, createLoopbackUserAgent } from '@portico/sdk/auth-node'
import { connect } from '@portico/sdk/client'

const [url = 'http://127.0.0.1:3000/mcp', tool] = process.argv.slice(2)

const auth = {
  grant: authorizationCode({ userAgent: createLoopbackUserAgent(), clientName: 'My program' }),
  store: createFileTokenStore({ folder: join(homedir(), '.my-program', 'tokens') }),
}

try {
  const client = await connect(url, { auth })
  console.log((await client.listTools()).map(({ name }) => name).join('\n'))
  if (tool !== undefined) console.log(await client.callTool(tool))
  await client.close()
} catch (error) {
  const failure = authFailureOf(error)
  if (failure === undefined) throw error
  console.error(`Not signed in (${failure.reason}): ${error instanceof Error ? error.message : ''}`)
  process.exitCode = 1
}
