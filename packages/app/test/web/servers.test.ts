import { readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveHttp } from '@portico/sdk/http'
import { afterEach, describe, expect, it } from 'vitest'
import { requestLink } from '../../src/web/running-workbench.ts'
import { type Bench, cleanUp, makeFolder, onCleanup, startBench, until } from './open-workbench.ts'
import { createWorker, withServers } from './servers.ts'

afterEach(cleanUp)

const SMALL = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url))
/** A reference, as configuration files spell it. */
const variable = (name: string) => `\${${name}}`
const ENTRY = { command: process.execPath, args: [SMALL] }

async function card({ call }: Bench, name: string) {
  return (await call('servers.list', {})).servers.find((server) => server.name === name)
}

/** Says yes to the first question, which is whether the command may be run. */
async function admit(bench: Bench): Promise<void> {
  await until(async () => (await bench.call('inbox.list', {})).questions.length > 0)
  const [question] = (await bench.call('inbox.list', {})).questions
  expect(question?.body).toMatchObject({ kind: 'approval', effect: { kind: 'connect' } })
  await bench.call('inbox.answer', { id: question?.id ?? '', answer: { action: 'allow', remember: 'always' } })
}

const isReady = (bench: Bench, name: string) => async () => (await card(bench, name))?.state.state === 'ready'

describe('a server that is a program', () => {
  it('is added, shown whole, asked about, run, measured, disabled for good and removed (sec-93)', async () => {
    const bench = await startBench()
    expect(
      await bench.call('servers.add', { name: 'small', entry: { ...ENTRY, env: { API_TOKEN: 'sk-secret-value' } } }),
    ).toEqual({
      added: ['small'],
      problems: [],
    })
    await admit(bench)
    await until(isReady(bench, 'small'))
    // Its lists are read once it is ready.
    await until(async () => (await card(bench, 'small'))?.items.tools === 2)
    const shown = await card(bench, 'small')
    expect(shown).toMatchObject({ builtIn: false, serverInfo: { name: 'small' }, items: { tools: 2 } })
    expect(shown?.shown).toContain(SMALL)
    expect(JSON.stringify(shown)).not.toContain('sk-secret-value')
    expect(shown?.memoryBytes ?? 1).toBeGreaterThan(0)
    expect(shown?.processes ?? 1).toBeGreaterThanOrEqual(1)
    expect((await bench.call('servers.logs', { server: 'small' })).lines.join('\n')).toContain('the server has started')
    await bench.call('servers.set', { server: 'small', action: 'disable' })
    expect((await card(bench, 'small'))?.state.state).toBe('disabled')
    expect(JSON.parse(await readFile(bench.configFile, 'utf8')).servers.small).toMatchObject({ disabled: true })
    await bench.call('servers.set', { server: 'small', action: 'enable' })
    await until(isReady(bench, 'small'))
    await bench.call('servers.set', { server: 'small', action: 'restart' })
    await bench.call('servers.remove', { server: 'small' })
    expect(await card(bench, 'small')).toBeUndefined()
    await bench.next((event) => event.type === 'server-removed' && event.server === 'small')
    expect(await readFile(bench.configFile, 'utf8')).not.toContain('stdio-server')
  })

  it('is examined by the doctor, who says what is wrong and what to do', async () => {
    const bench = await startBench()
    await bench.call('servers.add', { name: 'small', entry: ENTRY })
    await admit(bench)
    await until(isReady(bench, 'small'))
    const { checks } = await bench.call('servers.doctor', { server: 'small' })
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['Program', 'Protocol', 'Answer', 'Items']))
    await bench.call('servers.add', {
      name: 'gone',
      entry: { command: 'portico-no-such-program', args: [variable('NOT_SET_X')] },
    })
    // Nobody is asked about what cannot run as it is written.
    await until(async () => (await card(bench, 'gone'))?.state.state === 'failed')
    const sick = await bench.call('servers.doctor', { server: 'gone' })
    const failures = sick.checks.filter(({ status }) => status === 'failed')
    expect(failures.map(({ name }) => name)).toEqual(expect.arrayContaining(['Program', 'Variables', 'Protocol']))
    expect(failures.every(({ remedy }) => remedy !== undefined)).toBe(true)
  })
})

describe('text that was pasted', () => {
  it.each([
    ['a whole file', '{"mcpServers":{"small":{"command":"x"}}}', undefined, ['small']],
    ['with comments', '{\n// mine\n"mcpServers":{"small":{"command":"x"},}}', undefined, ['small']],
    ['in the form of VS Code', '{"servers":{"small":{"type":"stdio","command":"x"}}}', undefined, ['small']],
    ['in the form of Zed', '{"context_servers":{"small":{"command":"x"}}}', undefined, ['small']],
    [
      'the servers alone',
      '{"small":{"command":"x"},"big":{"url":"https://a.example/mcp"}}',
      undefined,
      ['small', 'big'],
    ],
    ['without braces', '"small": {"command":"x"},', undefined, ['small']],
    ['one entry and a name', '{"command":"x"}', 'mine', ['mine']],
  ])('is taken as %s', async (_name, text, name, added) => {
    const { call } = await startBench({ hostOptions: { upstreams: { watchdog: false } } })
    expect((await call('servers.add', { text, ...(name !== undefined && { name }) })).added).toEqual(added)
  })

  it.each(['', '{}', '[1]', '{"mcpServers":{"x":{}}}'])('adds nothing and says why: %s', async (text) => {
    const { call } = await startBench()
    const { added, problems } = await call('servers.add', { text })
    expect(added).toEqual([])
    expect(problems[0]?.remedy).toBeTruthy()
  })

  it('does not take the place of a server that is there', async () => {
    const { call } = await startBench(withServers({ worker: createWorker }))
    const refused = await call('servers.add', { name: 'worker', entry: ENTRY }).catch((error) => error)
    expect([refused.status, refused.failure.code]).toEqual([409, 'name-taken'])
  })
})

it('keeps built-in servers, on and off over a restart, and does not remove them', async () => {
  const stateDir = await makeFolder()
  const options = { ...withServers({ worker: createWorker }), builtIns: ['time'], stateDir }
  const bench = await startBench(options)
  await until(isReady(bench, 'time'))
  expect((await card(bench, 'time'))?.builtIn).toBe(true)
  const refused = await bench.call('servers.remove', { server: 'time' }).catch((error) => error)
  expect(refused.failure.remedy).toContain('Disable')
  await bench.call('servers.set', { server: 'time', action: 'disable' })
  await bench.close()
  const again = await startBench(options)
  expect((await card(again, 'time'))?.state.state).toBe('disabled')
  await again.call('servers.set', { server: 'time', action: 'enable' })
  await until(isReady(again, 'time'))
})

describe('servers of other programs', () => {
  it('are found, shown with what stands out, and imported by choice; no other file is opened', async () => {
    const home = await makeFolder()
    const file = join(home, '.claude.json')
    await writeFile(
      file,
      JSON.stringify({ mcpServers: { one: ENTRY, two: { command: 'npx', args: ['-y', 'some-package'] } } }),
    )
    const { call } = await startBench({ home })
    const { programs } = await call('servers.importable', {})
    expect(programs).toMatchObject([
      { program: 'Claude Code', file, servers: [{ name: 'one', present: false }, { name: 'two' }] },
    ])
    expect(programs[0]?.servers[1]?.warnings.length).toBeGreaterThan(0)
    expect((await call('servers.import', { file, servers: ['one'] })).added).toEqual(['one'])
    expect((await call('servers.importable', {})).programs[0]?.servers[0]?.present).toBe(true)
    const refused = await call('servers.import', { file: '/etc/passwd', servers: ['one'] }).catch((error) => error)
    expect(refused.failure.code).toBe('unknown-file')
  })
})

it('uses nothing of a project’s file until it is trusted, by the inbox or the page', async () => {
  const workspace = await makeFolder()
  const file = join(workspace, 'portico.json')
  await writeFile(file, JSON.stringify({ servers: { theirs: ENTRY } }))
  const bench = await startBench({ workspace, configFile: join(await makeFolder(), 'portico.json') })
  expect(await card(bench, 'theirs')).toBeUndefined()
  await until(async () => (await bench.call('inbox.list', {})).questions.length > 0)
  const [question] = (await bench.call('inbox.list', {})).questions
  expect(question?.body).toMatchObject({ kind: 'trust', servers: ['theirs'] })
  const asked = question?.body.kind === 'trust' ? question.body.file : ''
  await bench.call('servers.trust', { file: asked, trusted: true })
  expect(await card(bench, 'theirs')).toBeDefined()
  await until(async () => !(await bench.call('inbox.list', {})).questions.some(({ body }) => body.kind === 'trust'))
  await bench.call('servers.trust', { file: asked, trusted: false })
  expect(await card(bench, 'theirs')).toBeUndefined()
})

describe('the registry', () => {
  async function startRegistry(body: unknown, status = 200): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = []
    const server = createHttp((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onCleanup(async () => {
      server.close()
      server.closeAllConnections()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
  }

  it('is searched, and gives entries that can be added as they are', async () => {
    const { url, asked } = await startRegistry({
      servers: [
        {
          server: {
            name: 'io.example/weather',
            description: 'Weather\u202e everywhere',
            version: '1.2.0',
            repository: { url: 'https://code.example/weather' },
            packages: [
              {
                registryType: 'npm',
                identifier: '@example/weather',
                version: '1.2.0',
                packageArguments: [
                  { type: 'named', name: '--units', value: 'si' },
                  { type: 'positional', value: variable('HOME') },
                ],
                environmentVariables: [{ name: 'WEATHER_KEY', isRequired: true, isSecret: true }],
              },
              { registryType: 'npm', identifier: '--eval=alert(1)', version: '1' },
            ],
            remotes: [
              {
                type: 'streamable-http',
                url: 'https://weather.example/mcp',
                headers: [{ name: 'X-Key', isSecret: true }],
              },
            ],
          },
        },
        {
          name: 'older/spelling',
          version_detail: { version: '2' },
          packages: [{ registry_type: 'pypi', identifier: 'thing', version: '2' }],
        },
        { nonsense: true },
      ],
    })
    const bench = await startBench({ registryUrl: url })
    const { entries, source } = await bench.call('servers.registry', { query: 'weather forecast' })
    expect(asked[0]).toContain('/v0/servers?search=weather+forecast')
    expect(source).toBe(new URL(url).host)
    expect(entries.map(({ name, version }) => [name, version])).toEqual([
      ['io.example/weather', '1.2.0'],
      ['older/spelling', '2'],
    ])
    const [weather] = entries
    expect(weather?.description).toContain('⟦U+202E⟧')
    expect(weather?.ways).toHaveLength(2)
    const [npm, remote] = weather?.ways ?? []
    expect(npm?.entry).toEqual({
      command: 'npx',
      args: ['-y', '@example/weather@1.2.0', '--units', 'si', `$${variable('HOME')}`],
      env: { WEATHER_KEY: variable('WEATHER_KEY') },
    })
    expect(npm?.shown).toContain('@example/weather@1.2.0')
    expect(remote?.entry).toMatchObject({
      type: 'http',
      url: 'https://weather.example/mcp',
      headers: { 'X-Key': variable('X_KEY') },
    })
    expect(entries[1]?.ways[0]?.entry).toEqual({ command: 'uvx', args: ['thing@2'] })
    expect((await bench.call('servers.add', { name: 'weather', entry: remote?.entry ?? {} })).added).toEqual([
      'weather',
    ])
  })

  it.each([
    ['fails', {}, 500],
    ['answers nonsense', 'not json', 200],
  ])('that %s is said in one line', async (_name, body, status) => {
    const { url } = await startRegistry(body, status)
    const { call } = await startBench({ registryUrl: url })
    const refused = await call('servers.registry', { query: 'x' }).catch((error) => error)
    expect(refused.failure).toMatchObject({ code: 'registry-unreachable', remedy: expect.any(String) })
  })
})

it('examines a server at an address', async () => {
  const served = await serveHttp(createWorker(), { port: 0 })
  onCleanup(() => served.close())
  const bench = await startBench()
  await bench.call('servers.add', { name: 'remote', entry: { type: 'http', url: served.url } })
  await bench.call('servers.add', { name: 'dead', entry: { type: 'http', url: 'http://127.0.0.1:1/mcp' } })
  await admit(bench)
  await admit(bench)
  await until(isReady(bench, 'remote'))
  const { checks } = await bench.call('servers.doctor', { server: 'remote' })
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Name', 'Connection', 'TLS', 'Clock', 'Protocol']),
  )
  const dead = await bench.call('servers.doctor', { server: 'dead' })
  expect(dead.checks.find(({ name }) => name === 'Connection')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('Nothing listens'),
  })
  expect((await bench.call('servers.oauth', { server: 'remote' })).steps).toEqual([])
})

it('gives the same user another link, and takes its notice down when it ends', async () => {
  const bench = await startBench()
  const link = await requestLink(bench.stateDir)
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/)
  expect((await fetch(link ?? '', { redirect: 'manual' })).status).toBe(303)
  await bench.close()
  expect(await requestLink(bench.stateDir)).toBeUndefined()
})

it('says who it is', async () => {
  const { call, stateDir, configFile } = await startBench()
  expect(await call('app.info', {})).toEqual({
    version: expect.any(String),
    node: process.versions.node,
    stateDir,
    configFile,
  })
  const refused = await call('no.method' as 'app.info', {}).catch((error) => error)
  expect(refused.failure.code).toBe('unknown-method')
  expect((await call('constructor' as 'app.info', {}).catch((error) => error)).failure.code).toBe('unknown-method')
})

describe('one field takes what people have at hand (newcomer A6)', () => {
  it.each([
    [
      'npx -y server-files@1.2.0 ./folder',
      [{ name: 'files', shown: `npx -y server-files@1.2.0 ./folder (in ${process.cwd()})`, named: false }],
    ],
    ['https://mcp.linear.app/mcp', [{ name: 'linear', shown: 'https://mcp.linear.app/mcp' }]],
    ['claude mcp add docs -- npx docs@1.0.0', [{ name: 'docs', named: true }]],
    ['{"mcpServers":{"a":{"command":"x"},"b":{"url":"https://b.test/mcp"}}}', [{ name: 'a' }, { name: 'b' }]],
  ])('%s', async (text, expected) => {
    const { call } = await startBench()
    const { servers, problems } = await call('servers.preview', { text })
    expect(problems).toEqual([])
    expect(servers).toMatchObject(expected)
    expect((await call('servers.list', {})).servers).toEqual([])
    const [first] = servers
    const added = await call(
      'servers.add',
      first?.entry === undefined ? { text } : { name: 'mine', entry: first.entry },
    )
    expect(added).toEqual({ added: first?.entry === undefined ? ['a', 'b'] : ['mine'], problems: [] })
  })

  it('a relative command keeps the folder that the page speaks for (newcomer 3)', async () => {
    const workspace = await makeFolder()
    const configFile = join(await makeFolder(), 'portico.json')
    const { call } = await startBench({ workspace, configFile })
    const { servers } = await call('servers.preview', { text: 'node ./server.mjs' })
    expect(servers[0]?.shown).toBe(`node ./server.mjs (in ${workspace})`)
    await call('servers.add', { name: 'line', entry: servers[0]?.entry ?? {} })
    await call('servers.add', { text: '{"mcpServers":{"file":{"command":"./server"},"far":{"command":"server"}}}' })
    const { servers: kept } = JSON.parse(await readFile(configFile, 'utf8'))
    expect([kept.line.cwd, kept.file.cwd, kept.far.cwd]).toEqual([workspace, workspace, undefined])
  })

  it('says what to give where it understands nothing', async () => {
    const { call } = await startBench()
    const { servers, problems } = await call('servers.preview', { text: '{"a": 1}' })
    expect(servers).toEqual([])
    expect(problems[0]?.remedy).toBeTruthy()
  })
})

it('lets a browser in again after a restart on the same port, and only that one (newcomer A7)', async () => {
  const before = await startBench()
  const { stateDir, cookie } = before
  const port = Number(new URL(before.workbench.origin).port)
  await before.close()
  const after = await startBench({ stateDir, preferredPort: port })
  expect(after.workbench.origin).toBe(before.workbench.origin)
  const info = (given: string) =>
    fetch(`${after.workbench.origin}/api/app.info`, {
      method: 'POST',
      headers: { cookie: given, origin: after.workbench.origin, 'content-type': 'application/json' },
      body: '{}',
    })
  expect((await info(cookie)).status).toBe(200)
  expect((await info(`${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`)).status).toBe(401)
  // The preferred port is taken by the one that runs: another is used.
  const beside = await startBench({ preferredPort: port })
  expect(new URL(beside.workbench.origin).port).not.toBe(String(port))
})
