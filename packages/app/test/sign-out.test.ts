/** `portico servers sign-out` with a real login server: what was signed in with is worth nothing afterwards, here and there. */

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { authorizationCode, type TokenStore } from '@portico/sdk/auth'
import { createFileTokenStore } from '@portico/sdk/auth-node'
import { requireBearer } from '@portico/sdk/bearer'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { createFolder, runCli } from './cli.ts'
import { Visitor } from './visitor.ts'

const BACK = 'http://127.0.0.1:7777/callback'
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

it('revokes the tokens where they came from and forgets them, and says so only where somebody was signed in (newcomer 13)', async () => {
  const folder = await createFolder()
  closers.push(() => folder.close())
  const { issuer, url } = await openDiary()
  await writeFile(join(folder.path, 'portico.json'), JSON.stringify({ servers: { diary: { url } } }))

  const tokens = join(folder.env.PORTICO_STATE_DIR ?? join(folder.path, 'state'), 'tokens')
  const kept: string[] = []
  const refresh = await signIn(url, tokens, kept)
  const before = await readdir(tokens)

  const words = ['servers', 'sign-out', 'diary', '--config', 'portico.json']
  const ran = await runCli(words, { cwd: folder.path, env: folder.env })
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed out') })
  const twice = await runCli([...words, '--json'], { cwd: folder.path, env: folder.env })
  expect(twice).toMatchObject({ code: 0, stderr: expect.stringContaining('Nobody was signed in to diary.') })
  expect(JSON.parse(twice.stdout)).toEqual({ server: 'diary', signedIn: false, changed: false })
  expect((await readdir(tokens)).length).toBeLessThan(before.length)
  // The login server no longer takes the refresh token; it takes another one that is used in the same way.
  const use = (words: Record<string, string>): Promise<Response> =>
    fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(words) })
  const again = await use(refresh)
  expect([again.status, await again.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
  expect((await use(await signIn(url, join(folder.path, 'other'), []))).status).toBe(200)
})

/** A protected server and its login server. */
async function openDiary(): Promise<{ readonly issuer: string; readonly url: string }> {
  const [port, issuer] = [await freePort(), `http://127.0.0.1:${await freePort()}`]
  const url = `http://127.0.0.1:${port}/mcp`
  const users = { ada: 'ada-secret' }
  const login = await createAuthorizationServer({ issuer, resources: [url], scopes: ['use'], users }).listen()
  closers.push(() => login.close())
  const server = createServer({ name: 'diary', version: '1', tools: { read: tool({}, () => 'Dear diary') } })
  const served = await serveHttp(server, { port, graceMs: 0, auth: requireBearer({ issuer, resource: url }) })
  closers.push(() => served.close())
  return { issuer, url }
}

/** Signs in as the host does, with its store; resolves with how the refresh token would be used by whoever had copied it. */
async function signIn(url: string, folder: string, kept: string[]): Promise<Record<string, string>> {
  const visitor = new Visitor({ name: 'ada', password: 'ada-secret' }, BACK)
  const store = createFileTokenStore({ folder })
  const watched: TokenStore = {
    get: (key) => store.get(key),
    delete: (key) => store.delete(key),
    withLock: (key, action) => store.withLock(key, action),
    set: (key, value) => {
      kept.push(value)
      return store.set(key, value)
    },
  }
  const open = async (page: URL): Promise<URLSearchParams> => (await visitor.walk(page.href)).url.searchParams
  const grant = authorizationCode({ userAgent: { redirectUri: () => BACK, open }, clientName: 'Portico' })
  const client = await connect(url, { auth: { grant, store: watched }, negotiations: false })
  expect(await client.callTool('read')).toMatchObject({ content: [{ text: 'Dear diary' }] })
  await client.close()
  const found = (name: RegExp): string =>
    kept.map((text) => name.exec(text)?.[1]).find((one) => one !== undefined) ?? ''
  const token = found(/"refresh_?[tT]oken":"([^"]+)"/)
  const id = found(/"client_?[iI]d":"([^"]+)"/)
  expect([token, id]).not.toContain('')
  return { grant_type: 'refresh_token', refresh_token: token, client_id: id, resource: url }
}
