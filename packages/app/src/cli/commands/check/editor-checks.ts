/** What `portico doctor` says about editors: which are there, whether our plugin is in them, and whether the versions fit. */

import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../../web/doctor/program-checks.ts'
import { neovimConfig, neovimData } from '../../editor/neovim-places.ts'

interface EditorCheck {
  readonly status: 'ok' | 'note'
  readonly what: string
  readonly detail: string
  readonly remedy?: string
}

interface Machine {
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
  /** Our own version. */
  readonly version: string
}

const NVIM_MS = 5_000
const WITH_PLUGIN = 'with the plugin'
/** Folders of VS Code and of those made from it, below the home folder. */
const CODE_FOLDERS = ['.vscode', '.vscode-insiders', '.vscode-server', '.vscode-oss', '.cursor', '.windsurf']

/** One line for each editor that is there or has our plugin; nothing for those that are not on the machine. */
export async function examineEditors(machine: Machine): Promise<EditorCheck[]> {
  const checks = (await Promise.all([examineNeovim(machine), examineCode(machine)])).filter((one) => one !== undefined)
  const hasPlugin = checks.some(({ detail }) => detail.includes(WITH_PLUGIN))
  if (!hasPlugin || (await findProgram('portico', machine.env)) !== undefined) return checks
  const detail = 'the plugins start `portico`, which is not in the path'
  return [
    ...checks,
    { status: 'note', what: 'editors', detail, remedy: 'npm install -g portico, or set the command of the plugin.' },
  ]
}

async function examineNeovim({ env, home, version }: Machine): Promise<EditorCheck | undefined> {
  const [editor, plugin] = await Promise.all([neovimVersion(env), neovimPlugin(env, home)])
  if (editor === undefined && plugin === undefined) return undefined
  const what = 'Neovim'
  if (editor === undefined)
    return {
      status: 'note',
      what,
      detail: `the plugin is there (${plugin}), but not nvim`,
      remedy: 'Put `nvim` into the path.',
    }
  const [major = 0, minor = 0] = editor.split('.').map(Number)
  if (plugin !== undefined && major === 0 && minor < 7)
    return {
      status: 'note',
      what,
      detail: `${editor} is too old for the plugin`,
      remedy: 'Install Neovim 0.7 or later.',
    }
  return judge(what, editor, plugin, version)
}

async function examineCode({ home, version }: Machine): Promise<EditorCheck | undefined> {
  for (const folder of CODE_FOLDERS) {
    const extensions = await readdir(join(home, folder, 'extensions')).catch(() => undefined)
    if (extensions === undefined) continue
    const found = extensions.map((name) => /^portico\.portico-vscode-(\d+\.\d+\.\d+)/.exec(name)?.[1])
    return judge('VS Code', folder, found.filter((one) => one !== undefined).at(-1), version)
  }
  return undefined
}

function judge(what: string, editor: string, plugin: string | undefined, version: string): EditorCheck {
  if (plugin === undefined) return { status: 'ok', what, detail: `${editor}; the plugin of portico is not installed` }
  if (version === 'unknown' || lineOf(plugin) === lineOf(version))
    return { status: 'ok', what, detail: `${editor}, ${WITH_PLUGIN} ${plugin}` }
  const remedy = 'Update the plugin or portico, so that both are of the same release.'
  return { status: 'note', what, detail: `${editor}: the plugin is of ${plugin}, portico of ${version}`, remedy }
}

/** Releases of one line fit each other. */
function lineOf(version: string): string {
  return version.split('.').slice(0, 2).join('.')
}

async function neovimVersion(env: Machine['env']): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('nvim', ['--version'], { timeout: NVIM_MS, env: { PATH: env.PATH } })
    return /NVIM v(\d+\.\d+\.\d+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

/** Where packages and the usual managers of plugins put them. */
async function neovimPlugin(env: Machine['env'], home: string): Promise<string | undefined> {
  const [data, config] = [neovimData(env, home), neovimConfig(env, home)]
  const packs = await Promise.all(
    [join(data, 'site', 'pack'), join(config, 'pack')].map(async (pack) =>
      (await namesIn(pack)).flatMap((name) => [join(pack, name, 'start'), join(pack, name, 'opt')]),
    ),
  )
  for (const folder of [...packs.flat(), join(data, 'lazy'), join(data, 'plugged')]) {
    for (const name of await namesIn(folder)) {
      const found = await versionIn(join(folder, name))
      if (found !== undefined) return found
    }
  }
  return undefined
}

async function versionIn(plugin: string): Promise<string | undefined> {
  for (const place of [plugin, join(plugin, 'packages', 'neovim')]) {
    const text = await readFile(join(place, 'lua', 'portico', 'init.lua'), 'utf8').catch(() => '')
    const found = /version = "(\d+\.\d+\.\d+)"/.exec(text)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
