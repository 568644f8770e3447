/** One of several processes that use one protected server with tokens in common: each line is a round, answered with a line. */

import { createInterface } from 'node:readline'
import { openState, shareState } from '@portico/host/state'
import { authorizationCode } from '@portico/sdk/auth'
import { connect } from '@portico/sdk/client'
import { redisLibrary } from './places.ts'

const [, setting = '{}', url = ''] = process.argv.slice(2)
// The setting was made by this suite.
const where = JSON.parse(setting) as { redis: string }
const keys = [new Uint8Array(32).fill(9)]

/** A browser whose person agrees to everything. */
const userAgent = {
  redirectUri: () => 'http://127.0.0.1:1/back',
  async open(page: URL): Promise<URLSearchParams> {
    const answer = await fetch(page, { redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams
  },
}

const opened = await openState('redis' in where ? { ...where, library: redisLibrary } : where)
const state = await shareState(opened, { keys })

async function use(): Promise<string> {
  const grant = authorizationCode({ userAgent, client: { clientId: 'portico' } })
  const client = await connect(url, { auth: { grant, store: state.tokens(), principal: 'ann' } })
  const { content } = await client.callTool('say', {})
  await client.close()
  return JSON.stringify(content)
}

for await (const _line of createInterface(process.stdin)) {
  console.log(await use().catch((error: unknown) => `failed: ${error}`))
}
