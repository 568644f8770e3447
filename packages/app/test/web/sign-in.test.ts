import { type AddressInfo, createServer as createSocket } from 'node:net'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, expect, it } from 'vitest'
import { signIn } from '../../../../tests/support/person.ts'
import { type Bench, cleanUp, onCleanup, startBench, until } from './open-workbench.ts'

afterEach(cleanUp)

async function freePort(): Promise<number> {
  const socket = createSocket()
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  await new Promise((resolve) => socket.close(resolve))
  return port
}

async function serveProtected(): Promise<{ url: string; password: string }> {
  const [port, password] = [await freePort(), 'correct horse battery']
  const url = `http://127.0.0.1:${port}/mcp`
  const issuer = `http://127.0.0.1:${await freePort()}`
  const issuing = await createAuthorizationServer({ issuer, password, resources: [url], scopes: [] }).listen()
  onCleanup(() => issuing.close())
  const server = createServer({
    name: 'diary',
    version: '1',
    tools: { whoami: tool({ description: 'Who' }, (_args, ctx) => ctx.principal?.id ?? 'nobody') },
  })
  const served = await serveHttp(server, { port, auth: requireBearer({ issuer, resource: url }) })
  onCleanup(() => served.close())
  return { url, password }
}

const stateOf = async ({ call }: Bench) => (await call('servers.list', {})).servers[0]?.state.state

it('signs in when told to, shows the steps without secrets, and signs out', async () => {
  const { url, password } = await serveProtected()
  const pages: string[] = []
  const openPage = async (page: URL) => {
    pages.push(page.href)
    void signIn(page.href, 'owner', password)
    return true
  }
  const bench = await startBench({ hostOptions: { upstreams: { watchdog: false }, signIn: { openPage } } })
  await bench.call('servers.add', { name: 'diary', entry: { type: 'http', url } })
  await until(async () => (await bench.call('inbox.list', {})).questions.length > 0)
  const [question] = (await bench.call('inbox.list', {})).questions
  await bench.call('inbox.answer', { id: question?.id ?? '', answer: { action: 'allow', remember: 'always' } })
  await until(async () => (await stateOf(bench)) === 'needs-sign-in')
  // Nothing is opened before somebody says so.
  expect(pages).toEqual([])
  const { checks } = await bench.call('servers.doctor', { server: 'diary' })
  expect(checks.find(({ name }) => name === 'Sign-in')).toMatchObject({ status: 'ok' })
  await bench.call('servers.set', { server: 'diary', action: 'sign-in' })
  await until(async () => (await stateOf(bench)) === 'ready')
  const { steps } = await bench.call('servers.oauth', { server: 'diary' })
  expect(steps.map(({ status }) => status)).toContain('ok')
  expect(JSON.stringify(steps)).not.toMatch(/code=|access_token|eyJ/)
  const { result } = await bench.call('tools.call', { name: 'diary_whoami', arguments: {}, run: 'r' })
  expect(JSON.stringify(result.content)).not.toContain('nobody')
  await bench.call('servers.set', { server: 'diary', action: 'sign-out' })
  await until(async () => /sign in/.test((await bench.call('servers.list', {})).servers[0]?.state.reason ?? ''))
  expect(pages).toHaveLength(1)
})
