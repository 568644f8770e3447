/** The plugins for editors: `portico doctor` knows them, and all of one release carry one version. */

import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { examineEditors } from '../src/cli/commands/check/editor-checks.ts'
import { installPlugin } from '../src/cli/editor/install-plugin.ts'
import { EDITOR_PROTOCOL } from '../src/cli/editor/protocol.ts'

const PACKAGES = new URL('../../', import.meta.url)

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'portico-editors-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function put(file: string, text: string): Promise<void> {
  await mkdir(join(home, file, '..'), { recursive: true })
  await writeFile(join(home, file), text)
}

async function neovim(version: string): Promise<{ readonly PATH: string }> {
  await put('bin/nvim', `#!/bin/sh\necho "NVIM v${version}"\n`)
  await chmod(join(home, 'bin', 'nvim'), 0o755)
  await putPortico()
  return { PATH: `${join(home, 'bin')}:/usr/bin:/bin` }
}

async function putPortico(): Promise<void> {
  for (const name of ['portico', 'portico.cmd']) {
    await put(`bin/${name}`, '')
    await chmod(join(home, 'bin', name), 0o755)
  }
}

const examine = (env: { readonly [name: string]: string }, version = '0.1.0') => examineEditors({ env, home, version })
const START = '.local/share/nvim/site/pack/any/start/portico/lua/portico/init.lua'

it('host 25: says nothing of editors that are not there', async () => {
  expect(await examine({ PATH: join(home, 'nowhere') })).toEqual([])
})

it.skipIf(process.platform === 'win32')('host 25: knows Neovim, the plugin in it, and whether they fit', async () => {
  const env = await neovim('0.7.2')
  expect(await examine(env)).toEqual([
    { status: 'ok', what: 'Neovim', detail: '0.7.2; the plugin of portico is not installed' },
  ])
  await put(START, 'local M = { version = "0.1.3" }')
  expect(await examine(env)).toEqual([{ status: 'ok', what: 'Neovim', detail: '0.7.2, with the plugin 0.1.3' }])
  expect(await examine(env, '0.2.0')).toMatchObject([
    { status: 'note', detail: expect.stringContaining('the plugin is of 0.1.3, portico of 0.2.0') },
  ])
  expect(await examine(await neovim('0.6.1'))).toMatchObject([
    { status: 'note', detail: '0.6.1 is too old for the plugin' },
  ])
  expect(await examine({ PATH: join(home, 'nowhere') })).toMatchObject([
    { status: 'note', detail: expect.stringContaining('not nvim') },
  ])
})

it('host 25: knows VS Code, the extension in it, and whether they fit', async () => {
  await put('.vscode/extensions/extensions.json', '[]')
  const env = { PATH: join(home, 'bin') }
  expect(await examine(env)).toMatchObject([
    { status: 'ok', what: 'VS Code', detail: expect.stringContaining('not installed') },
  ])
  await put('.vscode/extensions/portico.portico-vscode-0.1.0/package.json', '{}')
  expect(await examine(env)).toMatchObject([
    { status: 'ok' },
    { status: 'note', detail: expect.stringMatching(/not in the path/) },
  ])
  await putPortico()
  expect(await examine(env)).toMatchObject([{ status: 'ok', detail: '.vscode, with the plugin 0.1.0' }])
  expect(await examine(env, '0.9.0')).toMatchObject([{ status: 'note' }])
})

it('host 25: plugins carry the version of the program, and speak its protocol', async () => {
  const read = (file: string): Promise<string> => readFile(new URL(file, PACKAGES), 'utf8')
  const { version } = JSON.parse(await read('app/package.json'))
  for (const file of ['neovim/package.json', 'vscode/package.json'])
    expect(JSON.parse(await read(file)).version).toBe(version)
  expect(await read('neovim/lua/portico/init.lua')).toContain(`version = "${version}"`)
  expect(await read('neovim/lua/portico/host.lua')).toContain(`local PROTOCOL = ${EDITOR_PROTOCOL}\n`)
  expect(await read('vscode/src/host.ts')).toContain(`const PROTOCOL = ${EDITOR_PROTOCOL}\n`)
})

/** As much of the terminal as the command uses; nobody can be asked. */
function terminal(): { readonly io: Parameters<typeof installPlugin>[1]; readonly said: string[] } {
  const said: string[] = []
  const say = (text: string): void => void said.push(text)
  const io = { env: { HOME: home }, cwd: home, interactive: false, takes: () => true, out: say, say }
  // The rest is not touched.
  return { io: io as unknown as Parameters<typeof installPlugin>[1], said }
}

const PLACE = '.local/share/nvim/site/pack/portico/start/portico'

it('host 25: the plugin of Neovim is written where Neovim looks, and again over itself', async () => {
  const { io, said } = terminal()
  const wish = { editor: 'neovim', to: undefined, yes: true } as const
  await installPlugin(wish, io)
  await put(`${PLACE}/lua/portico/old.lua`, 'of an earlier release')
  await installPlugin(wish, io)
  expect(said[0]).toBe(join(home, PLACE))
  expect((await readdir(join(home, PLACE))).sort()).toEqual(['LICENSE', 'README.md', 'doc', 'lua', 'plugin'])
  expect(await readdir(join(home, PLACE, 'lua', 'portico'))).not.toContain('old.lua')
  expect(await readdir(join(home, PLACE, '..'))).toEqual(['portico'])
})

it.each([
  ['without a yes', false, async () => {}, /confirmed/],
  ['over something else', true, () => put(`${PLACE}/mine.lua`, 'x'), /not this plugin/],
  ['through a link', true, () => link(), /is a link/],
] as const)('host 25: nothing is written %s (sec-607)', async (_, yes, prepare, why) => {
  await prepare()
  await expect(installPlugin({ editor: 'neovim', to: undefined, yes }, terminal().io)).rejects.toThrow(why)
  expect(await readdir(join(home, PLACE)).catch(() => [])).not.toContain('lua')
})

async function link(): Promise<void> {
  await put('elsewhere/lua/keep.lua', 'x')
  await mkdir(join(home, PLACE, '..'), { recursive: true })
  await symlink(join(home, 'elsewhere', 'lua'), join(home, PLACE))
}
