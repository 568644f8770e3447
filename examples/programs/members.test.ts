/** The protected program as a process, with clients that sign in by themselves. */

import { clientCredentials } from '@portico/sdk/auth'
import { type Client, connect } from '@portico/sdk/client'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../tests/support/free-port.ts'
import { HttpExample } from '../test/http-example.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  'sdk 17: members on %s: a challenge, a token, more scopes when they are needed, notes of one’s own',
  { timeout: 120_000 },
  async (versions) => {
    const ISSUER_PORT = String(await freePort())
    const program = new HttpExample('programs/members.ts', { PORT: String(await freePort()), ISSUER_PORT })
    open.push(() => program.child.kill())
    const [, url = ''] = await program.printed(/Serving on (\S+)/)
    const signIn = async (name: string): Promise<Client> => {
      const clientSecret = `${name}'s long and secret word`
      const grant = clientCredentials({ clientId: name, clientSecret, issuer: `http://127.0.0.1:${ISSUER_PORT}` })
      const client = await connect(url, { versions, auth: { grant } })
      open.push(() => client.close())
      return client
    }
    expect(await (await fetch(new URL('/about', url))).text()).toBe('A page at /about')
    await expect(connect(url, { versions })).rejects.toMatchObject({ code: 'http-status', data: { status: 401 } })

    const ada = await signIn('ada')
    expect((await ada.callTool('list')).structuredContent).toBeDefined()
    expect((await ada.callTool('write', { text: 'Buy tea' })).content).toEqual([{ type: 'text', text: '1 notes' }])
    expect((await ada.callTool('list')).content).toEqual([{ type: 'text', text: '["Buy tea"]' }])
    const bob = await signIn('bob')
    expect((await bob.callTool('list')).content).toEqual([{ type: 'text', text: '[]' }])
    expect((await bob.callTool('whoami')).content).toEqual([
      { type: 'text', text: `client http://127.0.0.1:${ISSUER_PORT} bob` },
    ])
    for (const close of open.splice(1).reverse()) await close()
    expect(await program.stop()).toBe(0)
  },
)
