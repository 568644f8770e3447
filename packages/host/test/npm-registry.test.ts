/**
 * The registry of a package is the one that npm would ask, as far as the user decides that, and what it says now is held
 * against what was approved.
 */

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createHost } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import type { ConcreteTarget } from '../src/config/command/resolve-target.ts'
import { defineServer } from '../src/config/define-server.ts'
import { npmRegistryOf } from '../src/config/trust/npm-registry.ts'
import { readNpmrc } from '../src/config/trust/npmrc.ts'
import type { Answer, Question } from '../src/consent/question.ts'

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
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
  ['the user says it', { files: user }, b],
  ['the global file says it', { files: { 'prefix/etc/npmrc': line(a) } }, a],
  ['the user wins over the global file', { files: { 'prefix/etc/npmrc': line(a), ...user } }, b],
  ['the environment wins over files', { files: { 'home/.npmrc': line(a) }, env: { npm_config_registry: b } }, b],
  ['the environment is spelled otherwise', { env: { NPM_CONFIG_REGISTRY: b } }, b],
  ['the environment says nothing', { files: user, env: { npm_config_registry: '' } }, b],
  ['an option wins over the environment', { env: { npm_config_registry: b }, words: [`--registry=${a}`] }, a],
  ['an option wins over the project', { files: { 'project/.npmrc': line(b) }, words: [`--registry=${a}`] }, a],
  [
    'the project says other things',
    { files: { 'project/.npmrc': 'save-exact=true\n@you:registry=https://x.example\n' } },
    standard,
  ],
  ['an option has its value behind it', { env: { npm_config_registry: b }, words: ['--registry', a] }, a],
  [
    'another file is the user’s',
    { files: { 'else/rc': line(a), ...user }, env: { npm_config_userconfig: '<root>/else/rc' } },
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

type Words = { readonly [name: string]: string | undefined }
type Program = Extract<ConcreteTarget, { kind: 'stdio' }>

const targetOf = (world: World, { words = [], command = 'npx' }: Case, name = 'demo-pkg'): Program => ({
  kind: 'stdio',
  command,
  args: [...words, '-y', name, `--registry=https://late.example/`],
  env: world.env,
  cwd: world.cwd,
})

/** Every variable of the world is the user's, and the entry passes it on. */
const find = (world: World, given: Case, name?: string, own: Words = world.env) => {
  const target = targetOf(world, given, name)
  return npmRegistryOf(target, target, { env: { ...own, npm_config_scope: '@not-inherited' } })
}

const where = async (world: World, given: Case, name?: string) => (await find(world, given, name))?.url

describe('the registry of a package (host 14, sec-265)', () => {
  it.each(table)('where %s', async (_, given, expected) => {
    expect(await where(await build(given), given)).toBe(expected)
  })

  it('is passed over where it is no address', async () => {
    const files = { 'home/.npmrc': line('nonsense'), 'prefix/etc/npmrc': line(b) }
    expect(await where(await build({ files }), {})).toBe(b)
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
      { files: { 'home/.npmrc': line(b, '@me:registry') }, env: { 'npm_config_@me:registry': a } },
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
    ['env', ['A=1', 'npx']],
    ['cmd', ['/c', 'npx']],
  ])('for %s %j', async (command, before) => {
    const { env, cwd } = await build({ files: user })
    const target = { kind: 'stdio', command, args: [...before, 'demo-pkg'], env, cwd } as const
    expect(await npmRegistryOf(target, target, { env })).toEqual({ url: b })
  })

  it('has no name and password in it, and is one of the web', async () => {
    const secret = {
      files: { 'home/.npmrc': 'registry=https://me:secret@b.example/npm/\n//b.example/:_authToken=t\n' },
    }
    expect(await where(await build(secret), {})).toBe(b)
    const file = { files: { 'home/.npmrc': line('file:///etc/', '@me:registry') } }
    expect((await find(await build(file), {}, '@me/tool'))?.unknown).toMatch(/no address/)
  })

  it('is not guessed from a file that is no text, or too long', async () => {
    const world = await build({})
    for (const content of [Buffer.from([0x72, 0xff, 0xfe]), Buffer.alloc(65_537, 0x20)]) {
      await writeFile(join(world.home, '.npmrc'), content)
      expect(await find(world, {})).toEqual({
        unknown: `npm's settings in ${join(world.home, '.npmrc')} cannot be read`,
      })
    }
    await writeFile(join(world.home, '.npmrc'), Buffer.alloc(65_536, 0x20))
    expect(await where(world, {})).toBe(standard)
  })

  it('credentials are not even read', () => {
    const text = '//b.example/:_authToken=t\n_auth=x\n//b.example/:_password=p\nregistry=https://b.example/'
    expect([...readNpmrc(text, () => undefined).keys()]).toEqual(['registry'])
  })
})

const PROJECT = /^a file of this project, .*\.npmrc, chooses where npm fetches it from$/
const token = `\${GITHUB_TOKEN}`

describe('the registry is not known where another than the user decides it (sec-281)', () => {
  it.each<[string, Case, string?]>([
    ['the project’s file', { files: { ...project, ...user } }],
    ['the project’s file for the scope', { files: { 'project/.npmrc': line(a, '@me:registry') } }, '@me/tool'],
    [
      'it before a plain option',
      { files: { 'project/.npmrc': line(a, '@me:registry') }, words: ['--registry', b] },
      '@me/tool',
    ],
    ['a variable in it', { files: { 'project/.npmrc': line(`https://a.example/${token}/`) } }],
    ['a variable in the name of a setting', { files: { 'project/.npmrc': line(a, `regis\${X?}try`) } }],
    ['a list in it', { files: { 'project/.npmrc': line(a, 'registry[]') } }],
    ['another user’s file that it names', { files: { 'project/.npmrc': line('<root>/else/rc', 'userconfig') } }],
    ['a proxy that it names', { files: { 'project/.npmrc': line(a, 'https-proxy') } }],
    ['a file above', { files: { ...project, 'project/deep/er/x': '' }, cwd: 'project/deep/er' }],
    ['a file that is too long', { files: { 'project/.npmrc': ' '.repeat(65_537) } }],
  ])('%s', async (_, given, name) => {
    const found = await find(await build(given), given, name)
    expect(found).toEqual({ unknown: expect.stringMatching(PROJECT) })
  })

  it.each<[string, Words, Case?]>([
    ['npm_config_registry', { npm_config_registry: a }],
    ['npm_config_userconfig', { npm_config_userconfig: '/else/rc' }],
    ['HOME', { HOME: '/else' }],
    ['PREFIX', { PREFIX: '/else' }],
    ['GITHUB_TOKEN', { GITHUB_TOKEN: 'canary' }, { files: { 'home/.npmrc': line(`https://b.example/${token}/`) } }],
  ])('the variable %s of the entry', async (name, env, given = {}) => {
    const world = await build(given)
    const target = { ...targetOf(world, given), env: { ...world.env, ...env } as Program['env'] }
    const unknown = `the variable ${name}, which this server sets, chooses where npm fetches it from`
    expect(await npmRegistryOf(target, target, { env: world.env })).toEqual({ unknown })
    const before = [`${name}=${env[name]}`, 'npx', 'demo-pkg']
    const wrapped = { ...target, env: world.env, command: 'env', args: before }
    expect(await npmRegistryOf(wrapped, wrapped, { env: world.env })).toEqual({ unknown })
  })

  it.each([
    [`--registry=https://a.example/\${secret:X}/`, 'demo-pkg'],
    ['--registry=https://a.example/', `\${env:X}`],
    [`\${env:X}`, 'demo-pkg'],
  ])('a value that the command does not hold itself: %s %s', async (...words) => {
    const world = await build({})
    const written = { ...targetOf(world, {}), args: words }
    const target = { ...written, args: words.map((word) => word.replace(/\$\{.*\}/, 'canary')) }
    const unknown = 'its command says by a variable what is fetched'
    expect(await npmRegistryOf(written, target, { env: world.env })).toEqual({ unknown })
  })

  it.each([
    '--userconfig=/x',
    '--prefix=/x',
    '--globalconfig=/x',
    '--userc=/x',
    `--registry=https://a.example/${token}/`,
    '--registry=x',
  ])('the option %s', async (word) => {
    const found = await find(await build({}), { words: [word] })
    expect(found?.unknown).toMatch(/^the option --/)
  })

  it('the user’s own variables count in the user’s file alone', async () => {
    const world = await build({ files: { 'home/.npmrc': line(`https://\${WHERE}/npm/`) }, env: { WHERE: 'b.example' } })
    expect(await find(world, {})).toEqual({ url: b })
  })
})

describe('files that are no files, and patterns, do not hold it up (sec-282)', () => {
  it.skipIf(process.platform === 'win32').each(['a device', 'a pipe'])('%s', async (kind) => {
    for (const [folder, expected] of [
      ['project', PROJECT],
      ['home', /cannot be read$/],
    ] as const) {
      const world = await build({})
      const file = join(world.home, '..', folder, '.npmrc')
      if (kind === 'a pipe') execFileSync('mkfifo', [file])
      else await symlink('/dev/zero', file)
      expect(await find(world, {})).toEqual({ unknown: expect.stringMatching(expected) })
    }
  })

  it('a pattern of workspaces is not even read', async () => {
    const files = {
      'project/package.json': JSON.stringify({ workspaces: [`${'**a'.repeat(24)}b`] }),
      [`project/${'a'.repeat(120)}/package.json`]: '{}',
    }
    expect(await where(await build({ files, cwd: `project/${'a'.repeat(120)}` }), {})).toBe(standard)
  })
})

/** A registry that knows one package and keeps what it was asked with. */
async function startRegistry() {
  const state = { version: '1.0.0', requests: [] as IncomingMessage[] }
  const server = createServer((request, response) => {
    state.requests.push(request)
    const { version } = state
    response.end(JSON.stringify({ name: '@me/demo', version, dist: { integrity: 'sha512-abc' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => server.close(resolve)))
  return { ...state, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

describe('a package without a version, in a real host (host 14, sec-265)', () => {
  async function visit(world: World, options: HostOptions = {}, entry: Program['env'] = {}): Promise<Question[]> {
    for (const [name, value] of Object.entries(world.env)) vi.stubEnv(name, value)
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
      env: { ...world.env, ...entry },
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

  it('nobody that a project’s file names is contacted, and each time is asked about (sec-281)', async () => {
    const registry = await startRegistry()
    const world = await build({ files: { 'project/.npmrc': line(`${registry.url}${token}/`) } })
    for (let time = 0; time < 2; time++) {
      const asked = warningsOf(await visit(world, {}, { GITHUB_TOKEN: 'canary' }))
      const reason = `a file of this project, ${join(world.cwd, '.npmrc')}, chooses where npm fetches it from.`
      expect(asked).toContain(`Which version of @me/demo would run is not known: ${reason}`)
    }
    expect(registry.requests).toEqual([])
  })

  it.each(['1.2.3 from registry.npmjs.org ✔ verified', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3\n'])(
    'what is no version is not shown as one: %j (sec-283)',
    async (version) => {
      const registry = await startRegistry()
      registry.state.version = version
      const world = await build({ files: { 'home/.npmrc': line(registry.url) } })
      const asked = warningsOf(await visit(world))
      expect(asked).toContain('Which version of @me/demo would run could not be found out.')
      expect(asked).not.toContain('It would run')
    },
  )
})
