/** The protected example as a process: it challenges, says where to get a token, and the place it names answers. */

import { afterEach, expect, test } from 'vitest'
import { freePort } from '../tests/support/free-port.ts'
import { HttpExample, modernRequest } from './test/http-example.ts'

let running: HttpExample | undefined
afterEach(() => {
  running?.child.kill()
})

test('protected: a challenge leads to the resource, the resource to the issuer', async () => {
  running = new HttpExample('protected.ts', {
    PORT: String(await freePort()),
    ISSUER_PORT: String(await freePort()),
    PASSWORD: 'open sesame',
  })
  const [, url = ''] = await running.printed(/Serving on (\S+);/)
  const challenged = await fetch(modernRequest(url, 'tools/call', { name: 'whoami', arguments: {} }))
  expect(challenged.status).toBe(401)
  const address = /resource_metadata="([^"]+)"/.exec(challenged.headers.get('www-authenticate') ?? '')?.[1]
  const metadata = (await (await fetch(String(address))).json()) as {
    resource: string
    authorization_servers: string[]
  }
  expect(metadata.resource).toBe(url)
  const [issuer] = metadata.authorization_servers
  const issuing = (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as { issuer: string }
  expect(issuing.issuer).toBe(issuer)
  expect(await running.stop()).toBe(0)
})
