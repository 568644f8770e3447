/** The plugins for editors: `portico doctor` knows them, and all of one release carry one version. */

import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { examineEditors } from '../src/cli/commands/check/editor-checks.ts'
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
  return { PATH: `${join(home, 'bin')}:/usr/bin:/bin` }
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
  const env = { PATH: join(home, 'nowhere') }
  expect(await examine(env)).toMatchObject([
    { status: 'ok', what: 'VS Code', detail: expect.stringContaining('not installed') },
  ])
  await put('.vscode/extensions/portico.portico-vscode-0.1.0/package.json', '{}')
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
