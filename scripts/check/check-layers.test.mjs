import { describe, expect, test } from 'vitest'
import { withTree } from '../fixture.mjs'
import { checkLayers } from './check-layers.mjs'

const door = (name) => ({ 'portico-source': `./src/doors/${name}.ts`, default: `./dist/doors/${name}.js` })
const manifests = {
  'packages/sdk/package.json': JSON.stringify({
    name: '@portico/sdk',
    exports: { './server': door('server'), './internal': door('internal'), './internal-text': door('internal-text') },
  }),
  'packages/host/package.json': JSON.stringify({ name: '@portico/host', exports: { '.': door('index') } }),
  'packages/servers/package.json': JSON.stringify({ name: '@portico/servers', exports: { '.': door('index') } }),
  'packages/app/package.json': JSON.stringify({ name: 'portico', exports: { './api': door('api') } }),
  'packages/ui/package.json': JSON.stringify({ name: '@portico/ui' }),
}
const check = (files) => withTree({ ...manifests, ...files }, checkLayers)
const sdk = (path) => `packages/sdk/src/${path}`

describe('allowed', () => {
  test.each([
    ['an import downward', sdk('server/tools.ts'), "import type { T } from '../protocol/tools.ts'"],
    ['an import across several ranks', sdk('serve/http.ts'), "import { x } from '../framing/json.ts'"],
    ['an import inside a layer', sdk('server/tools.ts'), "import { x } from './context.ts'"],
    ['errors from any folder of rank 0', sdk('auth/token.ts'), "import { RpcError } from '../jsonrpc/errors.ts'"],
    ['message types from any folder of rank 0', sdk('schema/x.ts'), "import type { T } from '../jsonrpc/message.ts'"],
    ['a test on its layer’s sibling', sdk('server/tools.test.ts'), "import { x } from '../client/tools.ts'"],
    ['a test that runs a contract suite', sdk('transport/memory.test.ts'), "import { x } from '../testing/channel.ts'"],
    ['testing on everything', sdk('testing/harness.ts'), "import '../serve/http.ts'; import '../client/tools.ts'"],
    ['doors on everything', sdk('doors/server.ts'), "export { x } from '../server/server.ts'"],
    ['a package test on several layers', 'packages/sdk/test/all.test.ts', "import '../src/server/tools.ts'"],
    ['a library', sdk('framing/json.ts'), "import z from 'zod'; import fs from 'node:fs'"],
    ['host on sdk', 'packages/host/src/a.ts', "import { x } from '@portico/sdk/server'"],
    ['host on what is no promise', 'packages/host/src/a.ts', "import { x } from '@portico/sdk/internal'"],
    ['app on host', 'packages/app/src/a.ts', "import { x } from '@portico/host'"],
    ['ui on what runs in a browser', 'packages/ui/src/app/a.ts', "import { x } from '@portico/sdk/internal-text'"],
    ['rank 0 on texts', sdk('auth/a.ts'), "import { x } from '../text/x.ts'"],
    ['types of app in ui', 'packages/ui/src/app/a.ts', "import type { Api } from 'portico/api'"],
    ['an example on a door', 'examples/a.ts', "import { x } from '@portico/sdk/server'"],
    ['an example on its neighbour', 'examples/a.ts', "import { x } from './b.ts'"],
    ['a server on what servers share', 'packages/servers/src/git/a.ts', "import { x } from '../text/x.ts'"],
    ['a suite on what suites share', 'tests/cli/a.ts', "import { x } from '../support/x.ts'"],
    ['the gateway suite on interop', 'tests/gateway/a.ts', "import { x } from '../interop/x.ts'"],
    ['a benchmark on what suites share', 'bench/a.ts', "import { x } from '../tests/support/x.ts'"],
    ['a benchmark on its programs', 'bench/a.ts', "import { x } from './programs/x.ts'"],
    ['an import inside a comment', sdk('framing/a.ts'), "// import '../server/x.ts'"],
  ])('%s', (_, path, source) => {
    const there = ['examples/b.ts', 'tests/support/x.ts', 'tests/interop/x.ts', 'bench/programs/x.ts']
    const files = Object.fromEntries(there.map((file) => [file, '']))
    expect(check({ ...files, [path]: source })).toEqual([])
  })
})

describe('refused', () => {
  test.each([
    [
      'an import upward',
      sdk('framing/a.ts'),
      '../jsonrpc/../server/x.ts',
      'framing is below server, and imports point downward',
    ],
    [
      'a type import upward',
      sdk('protocol/a.ts'),
      '../session/x.ts',
      'protocol is below session, and imports point downward',
      'type',
    ],
    [
      'an example on what is no promise',
      'examples/a.ts',
      '@portico/sdk/internal',
      'the internal door is for packages that are released together',
    ],
    ['siblings at rank 0', sdk('schema/a.ts'), '../framing/x.ts', 'schema and framing are siblings'],
    [
      'a part of jsonrpc that is not foundation',
      sdk('auth/a.ts'),
      '../jsonrpc/peer.ts',
      'auth and jsonrpc are siblings',
    ],
    ['values of messages at rank 0', sdk('auth/a.ts'), '../jsonrpc/message.ts', 'auth takes types alone from it'],
    ['siblings at rank 2', sdk('session/a.ts'), '../transport/x.ts', 'session and transport are siblings', 'type'],
    ['siblings at rank 3', sdk('client/a.ts'), '../server/x.ts', 'client and server are siblings'],
    ['siblings at rank 4', sdk('connect/a.ts'), '../serve/x.ts', 'connect and serve are siblings'],
    [
      'testing below the top',
      sdk('serve/a.ts'),
      '../testing/x.ts',
      'serve is below testing, and imports point downward',
    ],
    [
      'a test upward',
      sdk('framing/a.test.ts'),
      '../server/x.ts',
      'framing is below server, and imports point downward',
    ],
    ['an unknown layer', sdk('utils/a.ts'), '../framing/x.ts', 'utils is not in the table of layers'],
    ['a loose file as target', sdk('server/a.ts'), '../version.ts', 'version.ts is not in the table of layers'],
    ['a test imported by a module', sdk('server/a.ts'), './x.test.ts', 'only tests import tests'],
    ['a test folder imported by a module', sdk('server/a.ts'), '../../test/x.ts', 'only tests import tests'],
    ['own doors by name', sdk('server/a.ts'), '@portico/sdk/server', 'a package does not import its own doors'],
    ['sdk on host', sdk('server/a.ts'), '@portico/host', 'sdk does not depend on host'],
    ['host on servers', 'packages/host/src/a.ts', '@portico/servers', 'host does not depend on servers'],
    ['servers on host', 'packages/servers/src/a.ts', '@portico/host', 'servers does not depend on host', 'type'],
    ['host on app', 'packages/host/src/a.ts', 'portico/api', 'host does not depend on app'],
    ['app in ui at run time', 'packages/ui/src/app/a.ts', 'portico/api', 'ui takes types alone from app'],
    ['sdk in ui', 'packages/ui/src/app/a.ts', '@portico/sdk/server', 'ui does not depend on sdk'],
    [
      'another package by path',
      'packages/host/src/a.ts',
      '../../sdk/src/server/x.ts',
      'packages are reached through their doors',
    ],
    ['outside by path', sdk('server/a.ts'), '../../../../scripts/x.ts', 'a package does not reach outside its folder'],
    ['a server on its neighbour', 'packages/servers/src/git/a.ts', '../files/x.ts', 'git and files are siblings'],
    [
      'a part of the page upward',
      'packages/ui/src/parts/a.tsx',
      '../inbox/x.tsx',
      'parts is below inbox, and imports point downward',
    ],
    [
      'a tool of servers upward',
      'packages/servers/src/text/a.ts',
      '../git/x.ts',
      'text is below git, and imports point downward',
    ],
    [
      'the definition on the command line',
      'packages/app/src/definition/a.ts',
      '../cli/x.ts',
      'definition is below cli, and imports point downward',
      'type',
    ],
    ['a suite on another', 'tests/auth/a.ts', '../cli/x.ts', 'auth and cli are siblings'],
    [
      'what suites share on a suite',
      'tests/support/a.ts',
      '../cli/x.ts',
      'support is below cli, and imports point downward',
    ],
    ['a suite that is in no table', 'tests/new/a.ts', '../support/x.ts', 'new is not in the table of layers'],
    ['a benchmark on a suite', 'bench/a.ts', '../tests/cli/x.ts', 'bench does not reach into tests'],
    [
      'a benchmark’s program on what runs it',
      'bench/programs/a.ts',
      '../b.ts',
      'programs is below the folder itself, and imports point downward',
    ],
    ['a file that is not there', 'tests/cli/a.ts', './gone.ts', 'there is no such file'],
    ['a missing door', 'packages/host/src/a.ts', '@portico/sdk/src/x.ts', 'the package has no such door'],
    ...['examples', 'docs', 'bench', 'tests'].map((folder) => {
      const specifier = '../../packages/sdk/src/server/x.ts'
      return [`sources in ${folder}`, `${folder}/deep/a.ts`, specifier, 'packages are reached through their doors']
    }),
  ])('%s', (_, path, specifier, why, kind = '') => {
    const source = `// first line\nimport ${kind} { x } from '${specifier}'\n`
    const there = ['tests/cli/x.ts', 'tests/support/x.ts', 'bench/b.ts']
    const files = Object.fromEntries(there.map((file) => [file, '']))
    expect(check({ ...files, [path]: source })).toEqual([`${path}:2 imports ${specifier}: ${why}`])
  })

  test.each([
    ["export { x } from '../server/x.ts'"],
    ["export type { X } from '../server/x.ts'"],
    ["export * from '../server/x.ts'"],
    ["const x = await import('../server/x.ts')"],
    ["type X = import('../server/x.ts').X"],
  ])('upward by %s', (source) => {
    expect(check({ [sdk('framing/a.ts')]: source })).toHaveLength(1)
  })

  test('a package that is not in the table', () => {
    const files = { 'packages/extra/package.json': JSON.stringify({ name: '@portico/extra' }) }
    expect(check(files)).toEqual(['packages/extra is not in the table of packages'])
  })
})

describe('circles', () => {
  test('a circle of types is named in full, once', () => {
    const problems = check({
      [sdk('server/a.ts')]: "import type { B } from './b.ts'",
      [sdk('server/b.ts')]: "import { c } from './c.js'",
      [sdk('server/c.ts')]: "export type { A } from './a.ts'",
    })
    const circle = ['a', 'b', 'c', 'a'].map((name) => sdk(`server/${name}.ts`)).join(' → ')
    expect(problems).toEqual([`${sdk('server/c.ts')}:1 imports ./a.ts: closes the circle ${circle}`])
  })

  test('a module that imports itself', () => {
    expect(check({ [sdk('server/a.ts')]: "import './a.ts'" })).toHaveLength(1)
  })

  test('a diamond is no circle', () => {
    const files = {
      [sdk('server/a.ts')]: "import './b.ts'; import './c.ts'",
      [sdk('server/b.ts')]: "import './d.ts'",
      [sdk('server/c.ts')]: "import './d.ts'",
      [sdk('server/d.ts')]: 'export const d = 1',
    }
    expect(check(files)).toEqual([])
  })
})
