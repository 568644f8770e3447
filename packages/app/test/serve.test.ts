import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { signIn } from '../../../tests/support/person.ts'
import { cliArguments, createFolder, runCli, startCli } from './cli.ts'

const definition = (name: string): string => `import { createServer, tool } from '@portico/sdk/server'
export default createServer({ name: '${name}', version: '1', tools: {
  who: tool({ description: 'Who' }, () => '${name}'),
  erase: tool({ description: 'Erases', destructive: true }, () => 'erased'),
} })
`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  for (const name of ['one', 'two']) await writeFile(join(folder.path, `${name}.ts`), definition(name))
})
afterAll(() => folder.close())

const place = (env: { readonly [name: string]: string } = {}) => ({ cwd: folder.path, env: { ...folder.env, ...env } })
const server = (name: string) => ({
  command: process.execPath,
  args: [...cliArguments(), 'run', join(folder.path, `${name}.ts`)],
})
const write = (file: string, config: object) => writeFile(join(folder.path, file), JSON.stringify(config))

const TOKENS = { ADA_TOKEN: 'the-token-of-ada-0123', BOB_TOKEN: 'the-token-of-bob-0123' }
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('portico serve', () => {
  it('newcomer 14: tells of a server that cannot be reached, why, and when it is back', async () => {
    const port = await freePort()
    const rules = [{ id: 'web', outcome: 'allow', effect: 'connect' }]
    await write('late.json', { servers: { late: { url: `http://127.0.0.1:${port}/mcp` } }, policy: { rules } })
    const running = startCli(['serve', 'late.json', '--auth', 'none', '--port', '0'], place())
    await running.until('stderr', /^missing late: Nothing listens at 127\.0\.0\.1:\d+ \(connection refused\)/m)
    const late = startCli(['run', 'one.ts', '--http', `${port}`], place())
    await running.until('stderr', /^back late: it can be reached/m)
    late.interrupt()
    await late.ended
    running.interrupt()
    const { stderr } = await running.ended
    expect(stderr.match(/^back late/gm)).toHaveLength(1)
  }, 60_000)

  it('serves what the file names to known callers, each with their view, under its rules, and follows the file', async () => {
    const config = {
      servers: { one: server('one') },
      policy: {
        rules: [
          { id: 'use', outcome: 'allow', effect: 'call' },
          { id: 'no erasing', outcome: 'deny', effect: 'call', item: 'erase', because: 'Nothing is erased here' },
        ],
      },
      gateway: {
        auth: { way: 'token', tokens: { ada: 'ADA_TOKEN', bob: 'BOB_TOKEN' } },
        views: [{ principals: ['ada'] }, { principals: ['b*'], items: ['*_who'] }],
      },
    }
    await write('gateway.json', config)
    const running = startCli(['serve', 'gateway.json', '--port', '0'], place(TOKENS))
    const [url] = await running.until('stdout', /http:\S+/)
    expect((await fetch(url, { method: 'POST' })).status).toBe(401)
    const origin = new URL(url).origin
    expect((await fetch(`${origin}/healthz`)).status).toBe(200)

    const ada = await connect(url, as(TOKENS.ADA_TOKEN))
    const bob = await connect(url, as(TOKENS.BOB_TOKEN))
    const names = async (client: typeof ada) => (await client.listTools()).map(({ name }) => name)
    await expect.poll(() => names(ada)).toEqual(['one_erase', 'one_who'])
    expect(await names(bob)).toEqual(['one_who'])
    expect(await ada.callTool('one_who')).toMatchObject({ content: [{ text: 'one' }] })
    const refused = await ada.callTool('one_erase')
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.content)).toContain('Nothing is erased here')

    await write('gateway.json', { ...config, servers: { one: server('one'), two: server('two') } })
    await running.until('stderr', /reloaded: 1 server changed/)
    await expect.poll(() => names(ada)).toContain('two_who')
    expect(await ada.callTool('one_who')).toMatchObject({ content: [{ text: 'one' }] })
    await Promise.all([ada.close(), bob.close()])
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect(code).toBe(0)
    expect(stderr).toContain('calls under way may finish')
  })

  it.skipIf(process.platform === 'win32')(
    'lets calls finish, and ends, when its terminal is closed',
    async () => {
      const [begun, may] = [join(folder.path, 'begun'), join(folder.path, 'may-end')]
      const waits = `import { existsSync, writeFileSync } from 'node:fs'
import { createServer, tool } from '@portico/sdk/server'
export default createServer({ name: 'slow', version: '1', tools: {
  wait: tool({ description: 'Waits' }, async () => {
    writeFileSync(${JSON.stringify(begun)}, '')
    while (!existsSync(${JSON.stringify(may)})) await new Promise((resolve) => setTimeout(resolve, 20))
    return 'waited'
  }),
} })
`
      await writeFile(join(folder.path, 'slow.ts'), waits)
      const rules = [{ id: 'use', outcome: 'allow', effect: 'call' }]
      await write('slow.json', { servers: { slow: server('slow') }, policy: { rules } })
      const running = startCli(['serve', 'slow.json', '--auth', 'none', '--port', '0'], place())
      const [url] = await running.until('stdout', /http:\S+/)
      const client = await connect(url)
      await expect.poll(async () => (await client.listTools()).length, { timeout: 30_000 }).toBe(1)
      const call = client.callTool('slow_wait')
      await expect.poll(() => existsSync(begun), { timeout: 30_000 }).toBe(true)
      running.child.kill('SIGHUP')
      await running.until('stderr', /calls under way may finish/)
      await writeFile(may, '')
      expect(await call).toMatchObject({ content: [{ text: 'waited' }] })
      await client.close()
      expect((await running.ended).code).toBe(0)
    },
    90_000,
  )

  it('and auth together: add a user, sign in through the bridge, call a tool', async () => {
    const added = await runCli(['auth', 'add', 'ada', '--role', 'admin'], { ...place(), input: 'correct horse\n' })
    expect(added).toMatchObject({ code: 0, stdout: '' })
    expect((await runCli(['auth', 'list'], place())).stdout).toBe('ada\tadmin\n')
    // The password is nowhere in plain text.
    expect(await readFile(join(folder.path, 'state', 'auth-users'), 'latin1')).not.toContain('correct horse')

    const [port, issuerPort] = [await freePort(), await freePort()]
    const issuer = `http://127.0.0.1:${issuerPort}`
    const resource = `http://127.0.0.1:${port}/mcp`
    const auth = startCli(['auth', 'run', '--issuer', issuer, '--resource', resource], place())
    await auth.until('stdout', /http:\S+/)
    await write('protected.json', { servers: { one: server('one') }, gateway: { ownNames: true } })
    const serving = startCli(['serve', 'protected.json', '--port', String(port), '--issuer', issuer], place())
    const [url] = await serving.until('stdout', /http:\S+/)
    expect(url).toBe(resource)

    const bridge = startCli(['bridge', url, '--socket', join(folder.path, 'bridge.sock')], place())
    const [, page = ''] = await bridge.until('stderr', /Sign in at \S+\n\s+(http\S+)\n/)
    expect(await signIn(page, 'ada', 'correct horse')).toContain('close this page')
    const [socket] = await bridge.until('stdout', /unix:\S+/)
    const client = await connect(socket)
    expect(await client.callTool('who')).toMatchObject({ content: [{ text: 'one' }] })
    await client.close()
    for (const one of [bridge, serving, auth]) one.interrupt()
    for (const one of [bridge, serving, auth]) expect(await one.ended).toMatchObject({ code: 0 })
  })

  it.each([
    ['no way to identify callers', {}, [], 7, 'Nothing says how callers are identified'],
    [
      'a section that is wrong',
      { gateway: { port: 'x', colour: 1 } },
      [],
      7,
      'gateway.port must be a whole number (and 1 more)',
    ],
    ['a token that is not set', {}, ['--auth', 'token'], 7, 'PORTICO_TOKEN'],
    ['a token that is too short', {}, ['--auth', 'token'], 7, 'fewer than 16', { PORTICO_TOKEN: 'short' }],
    ['a certificate without a key', {}, ['--tls-cert', 'x.pem', '--auth', 'none'], 2, '--tls-key'],
    ['an issuer that is no URL', {}, ['--issuer', 'login'], 2, 'issuer'],
  ] as [string, object, string[], number, string, { readonly [name: string]: string }?][])(
    'refuses %s in one line',
    async (name, config, words, code, message, env) => {
      const file = `${name.replaceAll(' ', '-')}.json`
      await write(file, { servers: {}, ...config })
      const ran = await runCli(['serve', file, '--port', '0', ...words], place(env))
      expect(ran.stderr).toContain(message)
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).not.toMatch(/^\s+at /m)
    },
  )
})

describe('portico auth', () => {
  it('sec-186, security D1: run gives strangers no token, however they register', async () => {
    await runCli(['auth', 'add', 'ada'], { ...place(), input: 'correct horse\n' })
    const issuer = `http://127.0.0.1:${await freePort()}`
    const resource = 'http://127.0.0.1:3000/mcp'
    const words = ['auth', 'run', '--issuer', issuer, '--resource', resource, '--scope', 'use', '--scope', 'admin']
    const auth = startCli(words, place())
    await auth.until('stdout', /http:\S+/)
    const asked = {
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic',
    }
    const registered = await fetch(`${issuer}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    })
    expect(registered.status).toBe(400)
    const { client_id: id, client_secret: secret } = (await registered.json()) as {
      client_id?: string
      client_secret?: string
    }
    const token = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'use admin' }),
    })
    expect([token.status >= 400, await token.text()]).toEqual([true, expect.not.stringContaining('access_token')])
    auth.interrupt()
    // Nor does it worry people on a Node that is supported (newcomer B17).
    expect(await auth.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('oidc-provider') })
  })

  it.each([
    ['run without users', ['auth', 'run'], 7, 'there are no users', ''],
    ['a password that is too short', ['auth', 'add', 'bob'], 2, 'at least 8', 'short\n'],
    ['a name that is none', ['auth', 'add', '../bob'], 2, 'cannot be a user', ''],
    ['nobody to remove', ['auth', 'remove', 'carol'], 3, 'There is no user "carol"', ''],
    ['another action', ['auth', 'dance'], 2, 'there is no "dance"', ''],
  ])('refuses %s in one line', async (_, words, code, message, input) => {
    const own = await createFolder()
    const ran = await runCli(words, { cwd: own.path, env: own.env, input })
    await own.close()
    expect(ran.stderr).toContain(message)
    expect(ran).toMatchObject({ code, stdout: '' })
  })
})

describe('portico start', () => {
  it('prints a link that opens the workbench once, gives another while it runs, and ends on Ctrl-C', async () => {
    const running = startCli(['start', '--no-open'], place())
    const [url] = await running.until('stdout', /http:\S+/)
    const second = await runCli(['start', '--no-open', '--json'], place())
    expect(second.code).toBe(0)
    const { url: other } = JSON.parse(second.stdout)
    expect(new URL(other).origin).toBe(new URL(url).origin)
    expect(other).not.toBe(url)
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
  })
})
