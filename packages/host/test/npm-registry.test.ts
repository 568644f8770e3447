/** The registry of a package is the one that npm would ask, and what it says now is held against what was approved. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { defineServer } from '../src/config/define-server.ts'
import { npmRegistryOf } from '../src/config/trust/npm-registry.ts'
import { readNpmrc } from '../src/config/trust/npmrc.ts'
import type { Answer, Question } from '../src/consent/question.ts'
import { createHost } from '../src/host/host.ts'
import type { HostOptions } from '../src/host/options.ts'

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

interface World {
  readonly cwd: string
  readonly home: string
  readonly env: { readonly [name: string]: string }
}

interface Case {
  readonly files?: { readonly [path: string]: string }
  readonly env?: { readonly [name: string]: string }
  readonly words?: readonly string[]
  readonly command?: string
  readonly cwd?: string
}

/** A home, a project and a prefix of Node, with nothing in them but what is given. */
async function build({ files = {}, env = {}, cwd = 'project' }: Case): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'portico-npm-')))
  cleanups.push(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries({ 'home/x': '', 'prefix/x': '', 'project/package.json': '{}', ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text.replaceAll('<root>', root))
  }
  const named = Object.entries(env).map(([name, value]) => [name, value.replaceAll('<root>', root)])
  const home = join(root, 'home')
  return {
    cwd: join(root, cwd),
    home,
    env: { HOME: home, USERPROFILE: home, PREFIX: join(root, 'prefix'), ...Object.fromEntries(named) },
  }
}

const a = 'https://a.example/'
const b = 'https://b.example/npm/'
const standard = 'https://registry.npmjs.org/'
const line = (value: string, name = 'registry') => `${name}=${value}\n`
const project = { 'project/.npmrc': line(a) }
const user = { 'home/.npmrc': line(b) }

const table: readonly (readonly [string, Case, string])[] = [
  ['nothing is said', {}, standard],
  ['the project says it', { files: { ...project, ...user } }, a],
  ['the user says it', { files: user }, b],
  ['the global file says it', { files: { 'prefix/etc/npmrc': line(a) } }, a],
  ['the user wins over the global file', { files: { 'prefix/etc/npmrc': line(a), ...user } }, b],
  ['the environment wins over files', { files: project, env: { npm_config_registry: b } }, b],
  ['the environment is spelled otherwise', { files: project, env: { NPM_CONFIG_REGISTRY: b } }, b],
  ['the environment says nothing', { files: project, env: { npm_config_registry: '' } }, a],
  ['an option wins over the environment', { env: { npm_config_registry: b }, words: [`--registry=${a}`] }, a],
  ['an option has its value behind it', { env: { npm_config_registry: b }, words: ['--registry', a] }, a],
  [
    'another file is the user’s',
    { files: { 'else/rc': line(a), ...user }, env: { npm_config_userconfig: '<root>/else/rc' } },
    a,
  ],
  [
    'the project names the user’s file',
    { files: { 'project/.npmrc': line('<root>/else/rc', 'userconfig'), 'else/rc': line(a) } },
    a,
  ],
  [
    'another file is the global one',
    { files: { 'else/rc': line(a) }, env: { npm_config_globalconfig: '<root>/else/rc' } },
    a,
  ],
  [
    'the user’s prefix has the global one',
    { files: { 'home/.npmrc': line('<root>/else', 'prefix'), 'else/etc/npmrc': line(a) } },
    a,
  ],
  ['it stands in quotes', { files: { 'home/.npmrc': `registry = "${b}"\n` } }, b],
  ['a comment follows', { files: { 'home/.npmrc': `# x\nregistry=${b} ; mine\n` } }, b],
  [
    'it holds a variable',
    { files: { 'home/.npmrc': `registry=https://\${WHERE}/npm/\n` }, env: { WHERE: 'b.example' } },
    b,
  ],
  [
    'it holds a variable that may be missing',
    { files: { 'home/.npmrc': `registry=https://b.example/\${NONE?}npm/\n` } },
    b,
  ],
  ['it stands in a section', { files: { 'home/.npmrc': `[other]\nregistry=${b}\n` } }, standard],
  ['the last of two lines counts', { files: { 'home/.npmrc': line(a) + line(b) } }, b],
  ['the project is above', { files: { ...project, 'project/deep/er/x': '' }, cwd: 'project/deep/er' }, a],
  [
    'the folder is a member of a workspace',
    {
      files: {
        'project/package.json': '{"workspaces":["packages/*"]}',
        'project/packages/one/package.json': '{"name":"one","version":"1.0.0"}',
        'project/packages/one/.npmrc': line(b),
        ...project,
      },
      cwd: 'project/packages/one',
    },
    a,
  ],
]

interface NpmConfig {
  load(): Promise<void>
  get(name: string): unknown
}

/** The reader of settings inside the npm that runs this, where there is one. */
function npmParts(): { Config: new (options: object) => NpmConfig; parts: object } | undefined {
  const { npm_execpath: program } = process.env
  if (program === undefined) return undefined
  const load = createRequire(program)
  try {
    return {
      Config: load('@npmcli/config'),
      parts: { ...load('@npmcli/config/lib/definitions'), npmPath: dirname(dirname(program)) },
    }
  } catch {
    return undefined
  }
}

const where = (world: World, { words = [], command = 'npx' }: Case, name = 'demo-pkg') =>
  npmRegistryOf(
    {
      kind: 'stdio',
      command,
      args: [...words, '-y', name, `--registry=https://late.example/`],
      env: world.env,
      cwd: world.cwd,
    },
    { env: { npm_config_registry: 'https://not-inherited.example/' } },
  )

describe('the registry of a package (host 14, sec-265)', () => {
  it.each(table)('where %s', async (_, given, expected) => {
    expect(await where(await build(given), given)).toBe(expected)
  })

  it('is passed over where it is no address', async () => {
    expect(await where(await build({ files: { 'project/.npmrc': line('nonsense'), ...user } }), {})).toBe(b)
  })

  const npm = npmParts()
  it.skipIf(npm === undefined)('is what npm itself says, in every such case', async () => {
    for (const [, given, expected] of table) {
      const { cwd, env } = await build(given)
      const argv = [process.execPath, 'npm', ...(given.words ?? [])]
      const config = new npm!.Config({
        ...npm!.parts,
        argv,
        cwd,
        env,
        execPath: process.execPath,
        platform: process.platform,
      })
      await config.load()
      expect([given, config.get('registry')]).toEqual([given, expected])
    }
  })

  it.each<[string, Case, string]>([
    ['its own', { files: { 'home/.npmrc': line(b) + line(a, '@me:registry') } }, a],
    ['another scope’s', { files: { 'home/.npmrc': line(b) + line(a, '@you:registry') } }, b],
    [
      'the environment’s',
      { files: { 'project/.npmrc': line(b, '@me:registry') }, env: { 'npm_config_@me:registry': a } },
      a,
    ],
    ['the option’s', { files: { 'project/.npmrc': line(b, '@me:registry') }, words: [`--@me:registry=${a}`] }, a],
    ['even before a plain option', { files: { 'home/.npmrc': line(a, '@me:registry') }, words: ['--registry', b] }, a],
  ])('of a scope: %s', async (_, given, expected) => {
    expect(await where(await build(given), given, '@me/tool')).toBe(expected)
  })

  it.each([
    ['npx', []],
    ['bunx', []],
    ['pnpm', ['dlx']],
    ['npm', ['exec']],
    ['env', ['npm_config_registry=https://a.example/', 'npx']],
    ['cmd', ['/c', 'npx']],
  ])('for %s %j', async (command, before) => {
    const world = await build({ files: project })
    const target = { kind: 'stdio', command, args: [...before, 'demo-pkg'], env: world.env, cwd: world.cwd } as const
    expect(await npmRegistryOf(target)).toBe(a)
  })

  it('has no name and password in it, and is one of the web', async () => {
    const secret = {
      files: { 'home/.npmrc': 'registry=https://me:secret@b.example/npm/\n//b.example/:_authToken=t\n' },
    }
    expect(await where(await build(secret), {})).toBe(b)
    const file = { files: { 'home/.npmrc': line('file:///etc/', '@me:registry') } }
    await expect(where(await build(file), {}, '@me/tool')).rejects.toThrow(/no address/)
  })

  it('is not guessed from a file that is no text, or too long', async () => {
    const world = await build({})
    for (const content of [Buffer.from([0x72, 0xff, 0xfe]), Buffer.alloc(1_048_577, 0x20)]) {
      await writeFile(join(world.home, '.npmrc'), content)
      await expect(where(world, {})).rejects.toThrow()
    }
    await writeFile(join(world.home, '.npmrc'), Buffer.alloc(1_048_576, 0x20))
    expect(await where(world, {})).toBe(standard)
  })

  it('credentials are not even read', () => {
    const text = '//b.example/:_authToken=t\n_auth=x\n//b.example/:_password=p\nregistry=https://b.example/'
    expect([...readNpmrc(text, {}).keys()]).toEqual(['registry'])
  })
})

/** A registry that knows one package and keeps what it was asked with. */
async function startRegistry() {
  const state = { version: '1.0.0', requests: [] as IncomingMessage[] }
  const server = createServer((request, response) => {
    state.requests.push(request)
    const { version } = state
    response.end(JSON.stringify({ name: '@me/demo', version, dist: { integrity: `sha512-${version}` } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => server.close(resolve)))
  return { ...state, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

describe('a package without a version, in a real host (host 14, sec-265)', () => {
  async function visit(world: World, options: HostOptions = {}): Promise<Question[]> {
    const asked: Question[] = []
    const ask = (question: Question): Answer => {
      asked.push(question)
      return { action: 'allow', remember: 'always' }
    }
    // Nothing is run: there is no such program, which shows only after somebody has agreed.
    const target = {
      kind: 'stdio',
      command: join(world.home, 'npx'),
      args: ['-y', '@me/demo'],
      env: world.env,
      cwd: world.cwd,
    } as const
    const host = await createHost({
      stateDir: join(world.home, 'state'),
      servers: [defineServer('demo', target)],
      ask,
      ...options,
    })
    await expect.poll(() => host.upstreams.view('demo')?.state.state, { timeout: 10_000 }).toBe('failed')
    await host.close()
    return asked
  }

  const warningsOf = (asked: readonly Question[]) =>
    asked.flatMap(({ body }) => (body.kind === 'approval' ? body.warnings : [])).join('\n')

  it('is looked up where the files say, without credentials, and asked about when it is another', async () => {
    const registry = await startRegistry()
    const host = new URL(registry.url).host
    const rc = `@me:registry=${registry.url}\n//${host}/:_authToken=canary\n_auth=canary\n`
    const world = await build({ files: { 'home/.npmrc': rc } })
    expect(warningsOf(await visit(world))).toContain(`It would run @me/demo 1.0.0, from ${host}.`)
    expect(await visit(world)).toEqual([])
    registry.state.version = '1.0.1'
    expect(warningsOf(await visit(world))).toContain('1.0.1')
    expect(registry.requests.map(({ url }) => url)).toContain('/@me%2Fdemo/latest')
    expect(JSON.stringify(registry.requests.map(({ headers }) => headers))).not.toContain('canary')
  })

  it('is not looked up where that is switched off', async () => {
    const registry = await startRegistry()
    const world = await build({ files: { 'home/.npmrc': `@me:registry=${registry.url}\n` } })
    expect(await visit(world, { packageLookups: false })).toHaveLength(1)
    expect(registry.requests).toEqual([])
  })
})
