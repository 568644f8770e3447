/** The plugins for editors: `portico doctor` knows them, and all of one release carry one version. */

import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
const NEOVIM = { editor: 'neovim', to: undefined, yes: true } as const
/** Any file will do: here only where it goes is looked at. */
const VSCODE = { editor: 'vscode', to: 'downloads', yes: true, vsix: fileURLToPath(import.meta.url) } as const

/** Every file below the home folder with its text, and where links lead. */
async function everything(): Promise<{ readonly [path: string]: string }> {
  const found: { [path: string]: string } = {}
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    if (entry.isSymbolicLink()) found[path] = `to ${await readlink(path)}`
    if (entry.isFile()) found[path] = await readFile(path, 'latin1')
  }
  return found
}

it('host 25: the plugin of Neovim is written where Neovim looks, and again over itself', async () => {
  const { io, said } = terminal()
  await installPlugin(NEOVIM, io)
  const first = await everything()
  // As `:helptags ALL` does.
  await put(`${PLACE}/doc/tags`, 'made by Neovim')
  await ofEarlierRelease('lua/portico/old.lua', 'of an earlier release')
  await installPlugin(NEOVIM, io)
  expect(said[0]).toBe(join(home, PLACE))
  expect(await everything()).toEqual(first)
  expect((await readdir(join(home, PLACE))).filter((name) => !name.startsWith('.')).sort()).toEqual([
    'LICENSE',
    'README.md',
    'doc',
    'lua',
    'plugin',
  ])
  expect(await readdir(join(home, PLACE, '..'))).toEqual(['portico'])
})

/** A file that was installed, and is so no longer. */
async function ofEarlierRelease(path: string, text: string): Promise<void> {
  await put(`${PLACE}/${path}`, text)
  const list = join(home, PLACE, '.portico-installed.json')
  const { files } = JSON.parse(await readFile(list, 'utf8'))
  files[path] = createHash('sha256').update(text).digest('hex')
  await writeFile(list, JSON.stringify({ version: '0.0.9', files }))
}

async function link(from: string, to: string): Promise<void> {
  await mkdir(join(home, from, '..'), { recursive: true })
  await symlink(join(home, to), join(home, from))
}

/** The plugin is there, and then something happens to it. */
const afterwards = (change: () => Promise<unknown>) => async () => {
  await installPlugin(NEOVIM, terminal().io)
  await change()
}

const VSIX = 'downloads/portico-vscode-0.1.0.vsix'

it.each([
  ['without a yes', { ...NEOVIM, yes: false }, async () => {}, /no terminal to ask in/],
  ['over something else', NEOVIM, () => put(`${PLACE}/mine.lua`, 'x'), /did not put there/],
  ['over a checkout of the plugin', NEOVIM, () => put(`${PLACE}/lua/portico/init.lua`, 'x'), /did not put there/],
  ['over a file', NEOVIM, () => put(PLACE, 'x'), /did not put there/],
  ['below a file', NEOVIM, () => put(`${PLACE}/..`, 'x'), /cannot be looked at/],
  ['through a link', NEOVIM, () => put('a/b.lua', 'x').then(() => link(PLACE, 'a')), /is a link/],
  ['through a link to nothing', NEOVIM, () => link(PLACE, 'a'), /is a link/],
  [
    'over what was changed by hand',
    NEOVIM,
    afterwards(() => put(`${PLACE}/lua/portico/form.lua`, '-- mine')),
    /by hand: lua\/portico\/form\.lua$/,
  ],
  [
    'over what was added by hand',
    NEOVIM,
    afterwards(() => put(`${PLACE}/after/mine.lua`, '-- mine')),
    /by hand: after\/mine\.lua$/,
  ],
  [
    'over a file that is a link by now',
    NEOVIM,
    afterwards(async () => {
      await rename(join(home, PLACE, 'README.md'), join(home, 'README.md'))
      await link(`${PLACE}/README.md`, 'README.md')
    }),
    /by hand: README\.md$/,
  ],
  [
    'over a folder whose list is a link',
    NEOVIM,
    afterwards(async () => {
      await rename(join(home, PLACE, '.portico-installed.json'), join(home, 'list'))
      await link(`${PLACE}/.portico-installed.json`, 'list')
    }),
    /did not put there/,
  ],
  ['without a yes for VS Code', { ...VSCODE, yes: false }, async () => {}, /no terminal to ask in/],
  ['over another file of that name', VSCODE, () => put(VSIX, 'mine'), /is not this extension/],
  ['over a folder of that name', VSCODE, () => put(`${VSIX}/mine`, 'x'), /is not this extension/],
  ['through a link of that name', VSCODE, () => put('a', 'x').then(() => link(VSIX, 'a')), /is a link/],
  ['through a link of that name to nothing', VSCODE, () => link(VSIX, 'a'), /is a link/],
] as const)('host 25: nothing is written %s (sec-607, sec-608)', async (_, wish, prepare, why) => {
  await prepare()
  const before = await everything()
  await expect(installPlugin(wish, terminal().io)).rejects.toThrow(why)
  expect(await everything()).toEqual(before)
})

it('host 25: the extension for VS Code is written once, and is there the second time', async () => {
  const { io, said } = terminal()
  await installPlugin(VSCODE, io)
  const first = await everything()
  await installPlugin({ ...VSCODE, yes: false }, io)
  expect(await everything()).toEqual(first)
  expect(said[2]).toBe(join(home, VSIX))
})

it.skipIf(process.platform !== 'linux')('a folder of the system that takes none is told at once', async () => {
  for (const wish of [NEOVIM, { ...NEOVIM, editor: 'vscode' as const }]) {
    const written = installPlugin({ ...wish, to: '/proc/nowhere/at-all', yes: true }, terminal().io)
    await expect(written).rejects.toMatchObject({ remedy: expect.stringContaining('--to') })
  }
})
