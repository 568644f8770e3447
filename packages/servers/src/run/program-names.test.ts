import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { findCommand } from '../machine/program.ts'
import { probeIsolation } from './isolation.ts'
import { settleRunOptions } from './options.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-names-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

async function place(name: string, text = ''): Promise<string> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'bin', name), text, { mode: 0o755 })
  vi.stubEnv('PATH', join(folder, 'bin'))
  return join(folder, 'bin', name)
}

/** As npm writes it. */
const SHIM = `@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0
IF EXIST "%dp0%\\node.exe" (
  SET "_prog=%dp0%\\node.exe"
) ELSE (
  SET "_prog=node"
)
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\toy-server\\lib\\cli.mjs" %*
`

it('on Windows a script that npm installed is started without a shell', async () => {
  await place('toy-server.cmd', SHIM.replaceAll('\n', '\r\n'))
  const script = join(folder, 'bin', 'node_modules', 'toy-server', 'lib', 'cli.mjs')
  expect(await findCommand('toy-server', 'win32')).toEqual([process.execPath, script])
  expect(await findCommand('toy-server', 'linux')).toBeUndefined()
  const program = await place('toy-server.exe')
  expect(await findCommand('toy-server', 'win32')).toEqual([program])
})

it('on Windows any other script of the shell is no program', async () => {
  await place('other.cmd', '@echo off\r\ncall something "%1"\r\n')
  expect(await findCommand('other', 'win32')).toBeUndefined()
})

it.skipIf(process.platform !== 'linux')('of what a sandbox needs only what is missing is said to be', async () => {
  for (const name of ['prlimit', 'cp', 'timeout']) await place(name)
  expect((await probeIsolation(settleRunOptions({}))).why).toBe('These programs are missing: tar.')
})
