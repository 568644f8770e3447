/** What a server that is a program needs of this machine: the program, its folder, its variables. Starts nothing. */

import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { inspectCommand, packageOf, type ServerTarget } from '@portico/host/config'
import type { DoctorCheck } from '../api-types/api.ts'
import { type Examination, failed, ok, skipped, warning } from './checks.ts'

type Program = Extract<ServerTarget, { kind: 'stdio' }>

export const PROGRAM_EXAMINATIONS: readonly Examination[] = [
  async ({ config, env }) => checkCommand(asProgram(config.target), env),
  async ({ config }) => checkNode(asProgram(config.target)),
  async ({ config }) => checkFolder(asProgram(config.target)),
  async ({ config, env }) => checkVariables(asProgram(config.target), env),
  async ({ config }) => checkDangers(asProgram(config.target)),
]

function asProgram(target: ServerTarget): Program {
  // The list above is for programs alone.
  return target as Program
}

async function checkCommand({ command }: Program, env: { readonly [name: string]: string | undefined }) {
  const name = 'Program'
  if (command.includes('${')) return skipped(name, `"${command}" holds a variable`)
  const found = await findProgram(command, env)
  if (found !== undefined) return ok(name, `Found at ${found}`)
  const hint = INSTALL[command] ?? 'Install it, or write its full path as the command.'
  return failed(name, `"${command}" was not found on this machine`, hint)
}

const INSTALL: { readonly [command: string]: string } = {
  npx: 'Install Node.js from nodejs.org; npx comes with it.',
  uvx: 'Install uv from docs.astral.sh/uv; uvx comes with it.',
  docker: 'Install Docker, and start it.',
  python: 'Install Python, or use python3 as the command.',
}

/** Where a program is, as somebody who starts it by this word would find it. */
export async function findProgram(
  command: string,
  env: { readonly [name: string]: string | undefined },
): Promise<string | undefined> {
  const folders = isAbsolute(command) || /[\\/]/.test(command) ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter)
  const endings = process.platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : ['']
  for (const folder of folders.slice(0, 200)) {
    for (const ending of endings) {
      const path = folder === '' ? `${command}${ending}` : join(folder, `${command}${ending}`)
      if (await isProgram(path)) return path
    }
  }
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

const OLDEST_NODE = 20

async function checkNode({ command }: Program): Promise<DoctorCheck> {
  const name = 'Node.js'
  if (!/^(?:node|npx|npm|pnpm|yarn|tsx)$/.test(command)) return skipped(name, 'The program does not run on Node.js')
  const major = Number(process.versions.node.split('.')[0])
  if (major >= OLDEST_NODE) return ok(name, `Version ${process.versions.node}`)
  return warning(name, `Version ${process.versions.node} is old`, `Install version ${OLDEST_NODE} or newer.`)
}

async function checkFolder({ cwd }: Program): Promise<DoctorCheck> {
  const name = 'Working folder'
  if (cwd === undefined || cwd.includes('${')) return skipped(name, cwd ?? 'None is set')
  const found = await stat(cwd).catch(() => undefined)
  if (found?.isDirectory()) return ok(name, cwd)
  return failed(name, `${cwd} is no folder`, 'Create it, or correct `cwd`.')
}

/** Names only; values are nobody's business. */
async function checkVariables(
  { args, env: given }: Program,
  env: { readonly [name: string]: string | undefined },
): Promise<DoctorCheck> {
  const name = 'Variables'
  const text = [...args, ...Object.values(given)].join(' ')
  const wanted = [...text.matchAll(/(?<!\$)\$\{(?:env:)?([A-Za-z_]\w*)\}/g)].map(([, one = '']) => one)
  const missing = [...new Set(wanted)].filter((one) => !PLACES.has(one) && (env[one] ?? '') === '')
  if (missing.length === 0) return ok(name, wanted.length === 0 ? 'None are needed' : 'All are set')
  return failed(name, `Not set: ${missing.join(', ')}`, 'Set them in the environment, and start Portico again.')
}

const PLACES = new Set(['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', 'cwd'])

async function checkDangers(target: Program): Promise<DoctorCheck[]> {
  const findings = inspectCommand(target)
  if (findings.length > 0) return findings.map(({ message, remedy }) => warning('Command', message, remedy))
  const pinned = packageOf(target)
  return [ok('Command', pinned === undefined ? 'Nothing in it stands out' : 'Its package is pinned to a version')]
}
