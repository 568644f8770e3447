import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HostError } from '../../errors.ts'
import { defineServer } from '../define-server.ts'
import { readConfigText } from '../read-config.ts'
import type { ServerTarget } from '../server-config.ts'
import { createSecretStore, firstSecret, secretsFromEnvironment } from '../trust/secret-store.ts'
import { createInputs } from './inputs.ts'
import { type ResolveContext, resolveTarget } from './resolve-target.ts'
import { createTargetResolver } from './target-resolver.ts'

const CANARY = 'canary-51f0'
const PLACE = { file: '/p/.mcp.json', path: 'mcpServers.a', line: 3 }
const secrets = { get: async (name: string) => (name === 'token' ? CANARY : undefined) }
const context: ResolveContext = {
  env: { A: 'one', EMPTY: '', NASTY: 'a\r\nb', ADDRESS: 'https://x.example', BAD: 'file:///etc/passwd' },
  secrets,
  workspaceFolder: '/home/ada/engine',
  userHome: '/home/ada',
  platform: 'linux',
}
const program = (part: Partial<Extract<ServerTarget, { kind: 'stdio' }>>): ServerTarget => {
  return { kind: 'stdio', command: 'x', args: [], env: {}, ...part }
}
const resolve = (target: ServerTarget, more: ResolveContext = {}) =>
  resolveTarget(defineServer('a', target, {}, PLACE), { ...context, ...more })
const failure = async (target: ServerTarget, more?: ResolveContext): Promise<HostError> => {
  const error = await resolve(target, more).then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!(error instanceof HostError)) throw new Error('it was resolved')
  return error
}

describe('variables at the moment of use', () => {
  it.each([
    [`\${A}-\${env:A}`, 'one-one'],
    [`\${EMPTY}`, ''],
    [`\${EMPTY:-two}`, 'two'],
    [`\${UNSET:-two}`, 'two'],
    [`\${UNSET:-}`, ''],
    [`$\${A}`, `\${A}`],
    [`\${workspaceFolder}\${/}x`, '/home/ada/engine/x'],
    [`\${workspaceFolderBasename}`, 'engine'],
    [`\${userHome}`, '/home/ada'],
    [`\${constructor:-safe}`, 'safe'],
  ])('%s is %j', async (text, value) => {
    expect(await resolve(program({ args: [text] }))).toMatchObject({ args: [value] })
  })

  it('has the separators of the platform', async () => {
    const target = program({ args: [`\${pathSeparator}\${workspaceFolderBasename}`] })
    const windows = { platform: 'win32', workspaceFolder: 'C:\\work\\engine' } as const
    expect(await resolve(target, windows)).toMatchObject({ args: ['\\engine'] })
  })

  it('gives secrets to the environment and to headers', async () => {
    const env = { TOKEN: `Bearer \${secret:token}` }
    expect(await resolve(program({ env }))).toMatchObject({ env: { TOKEN: `Bearer ${CANARY}` } })
    const target = { kind: 'http', url: `\${ADDRESS}/mcp`, headers: { authorization: `\${secret:token}` } } as const
    expect(await resolve(target)).toEqual({
      ...target,
      url: 'https://x.example/mcp',
      headers: { authorization: CANARY },
    })
  })

  it('gives them to the options of a server in this process, however deep', async () => {
    const options = { token: `\${secret:token}`, list: [1, `\${A}`, { deep: `\${userHome}`, no: null }] }
    expect(await resolve({ kind: 'in-process', module: 'm', options })).toEqual({
      kind: 'in-process',
      module: 'm',
      options: { token: CANARY, list: [1, 'one', { deep: '/home/ada', no: null }] },
    })
  })

  it('looks up anew for every connection', async () => {
    let current = 'old'
    const connect = createTargetResolver({ secrets: { get: async () => current } })
    const server = defineServer('a', { kind: 'http', url: 'https://x.example', headers: { k: `\${secret:x}` } })
    expect((await connect(server)).options.headers).toEqual({ k: 'old' })
    current = 'new'
    expect((await connect(server)).options.headers).toEqual({ k: 'new' })
  })
})

describe('what is missing or wrong', () => {
  it.each([
    [
      'unset',
      program({ args: ['a', `\${UNSET}`] }),
      'invalid-config',
      /mcpServers\.a\.args\.1: The variable UNSET is not set/,
    ],
    ['unset in the environment', program({ env: { T: `\${NOPE}` } }), 'invalid-config', /a\.env\.T: The variable NOPE/],
    ['inherited names', program({ args: [`\${toString}`] }), 'invalid-config', /variable toString is not set/],
    [
      'no such secret',
      program({ env: { T: `\${secret:nope}` } }),
      'secret-missing',
      /a\.env\.T: There is no secret called "nope"\. Set PORTICO_SECRET_NOPE, .*PORTICO_SECRET_NOPE_FILE/,
    ],
    ['no answer', program({ env: { T: `\${input:who}` } }), 'secret-missing', /Nobody has answered the input "who"/],
    ['a secret in args', program({ args: [`\${secret:token}`] }), 'invalid-config', /args\.0: A secret .* `env`/],
    ['a secret as command', program({ command: `\${secret:token}` }), 'invalid-config', /a\.command: A secret/],
    [
      'line breaks in a header',
      { kind: 'http', url: 'https://x.example', headers: { h: `\${NASTY}` } },
      'invalid-config',
      /a\.headers\.h: The value has line breaks/,
    ],
    [
      'another scheme',
      { kind: 'http', url: `\${BAD}`, headers: {} },
      'invalid-config',
      /a\.url: The address must begin with http/,
    ],
    [
      'no env file',
      program({ envFile: '/nowhere/.env' }),
      'invalid-config',
      /a\.envFile: The file \/nowhere\/\.env cannot be read/,
    ],
  ] as [string, ServerTarget, string, RegExp][])(
    '%s: the error names it and the place',
    async (_, target, code, message) => {
      const error = await failure(target)
      expect(error.code).toBe(code)
      expect(error.message).toMatch(message)
      expect(error.message).toContain('/p/.mcp.json:3')
    },
  )

  it('names everything at once', async () => {
    const { data, message } = await failure(program({ args: [`\${X}`, `\${Y}`], env: { Z: `\${secret:z}` } }))
    expect((data as { problems: unknown[] }).problems).toHaveLength(3)
    expect(message).toContain('(and 2 more)')
  })

  it('there is no project folder', async () => {
    const error = await failure(program({ cwd: `\${workspaceFolder}` }), { workspaceFolder: undefined })
    expect(error.message).toMatch(/There is no project folder for \$\{workspaceFolder\}/)
  })

  it('never shows the value of a secret (sec-135)', async () => {
    const target = program({ env: { A: `\${secret:token}`, B: `\${UNSET}` }, args: [`\${secret:token}`] })
    const error = await failure(target)
    expect(JSON.stringify([error.message, error.data, error.stack])).not.toContain(CANARY)
  })
})

describe('with files', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resolve-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('takes the environment from a file, and the entry’s own wins', async () => {
    const text = '# comment\nexport A=1\nB="two # words"\nC=three # comment\n__proto__=x\nD=\'$HOME\'\r\nnonsense\n'
    await writeFile(join(folder, '.env'), text)
    const target = program({ envFile: '.env', env: { A: 'mine' } })
    const resolved = await resolve(target, { workspaceFolder: folder })
    expect(resolved).toMatchObject({ env: { A: 'mine', B: 'two # words', C: 'three', D: '$HOME' } })
  })

  it('asks for an input at first use, once for all who wait, and keeps the answer sealed', async () => {
    const store = createSecretStore({ file: join(folder, 'secrets'), key: new Uint8Array(32) })
    const text = JSON.stringify({
      inputs: [{ type: 'promptString', id: 'key', password: true }],
      servers: { a: { command: 'x', env: { K: `\${input:key}`, L: `\${input:key}` } } },
    })
    const { servers, inputs } = readConfigText(text, { file: '/p/.vscode/mcp.json' })
    const asked: string[] = []
    const ask = async ({ id }: { id: string }) => {
      asked.push(id)
      return CANARY
    }
    const source = createInputs({ inputs, secrets: store, ask })
    expect(asked).toEqual([])
    const once = await resolveTarget(servers[0]!, { inputs: source })
    expect(once).toMatchObject({ env: { K: CANARY, L: CANARY } })
    await resolveTarget(servers[0]!, { inputs: source })
    expect(asked).toEqual(['key'])
    const later = createInputs({ inputs, secrets: store })
    expect(await later.value('key', '/p/.vscode/mcp.json')).toEqual({ value: CANARY, secret: true })
    expect(await later.value('key', '/q/.vscode/mcp.json')).toBeUndefined()
  })

  it('finds secrets in the environment before the store', async () => {
    const source = firstSecret(secretsFromEnvironment({ PORTICO_SECRET_GITHUB_TOKEN: 'env' }), secrets)
    expect(await source.get('github-token')).toBe('env')
    expect(await source.get('token')).toBe(CANARY)
    expect(await source.get('none')).toBeUndefined()
  })
})
