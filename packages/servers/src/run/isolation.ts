/**
 * What this machine can hold a program in, found out once by really doing it: a sandbox that is installed but not
 * permitted counts for nothing. Says in plain words what each kind of code is kept from and what it is not.
 */

import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from '../machine/program.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { runBounded } from './bounded-process.ts'
import type { RunSettings } from './options.ts'
import { SANDBOX_ENV, type SandboxKind, type SandboxTools, toSandboxCommand } from './sandbox-command.ts'

export interface Isolation {
  /** What Python and commands run in. */
  readonly sandbox: SandboxTools | undefined
  /** Why there is none. */
  readonly why: string
}

/** `nobody`: root of a namespace must not be the root of the machine, who may write to its settings. */
const NOBODY = 65_534

export function sandboxUser(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined
}

/** Tries bubblewrap, then namespaces without it. */
export async function probeIsolation(settings: RunSettings): Promise<Isolation> {
  if (process.platform !== 'linux')
    return { sandbox: undefined, why: `There is no sandbox for ${process.platform} here.` }
  const timeout = await findProgram('timeout')
  const needed = ['prlimit', 'tar', 'cp', 'timeout']
  const missing: string[] = []
  for (const name of needed) if ((await findProgram(name)) === undefined) missing.push(name)
  if (timeout === undefined || missing.length > 0) {
    return { sandbox: undefined, why: `These programs are missing: ${missing.join(', ')}.` }
  }
  const reasons: string[] = []
  for (const [kind, name] of [
    ['bubblewrap', 'bwrap'],
    ['namespaces', 'unshare'],
  ] as const) {
    const launcher = await findProgram(name)
    if (launcher === undefined) {
      reasons.push(`${name} is not installed`)
      continue
    }
    const tools: SandboxTools = { kind, launcher, timeout }
    const failure = await tryOut(tools, settings)
    if (failure === undefined) return { sandbox: tools, why: '' }
    reasons.push(`${name} does not work here: ${failure}`)
  }
  return { sandbox: undefined, why: `${reasons.join('; ')}.` }
}

const PROBE_MS = 10_000

async function tryOut(tools: SandboxTools, settings: RunSettings): Promise<string | undefined> {
  try {
    return await withFolders(async (mountPoint, input) => {
      const limits = { ...settings.limits, timeMs: PROBE_MS }
      // True within, and nothing to be reached: anything else than this answer is no sandbox.
      const program = [
        '/bin/sh',
        '-c',
        'test ! -e "$1" && test "$(wc -l < /proc/net/route)" -le 1 && echo held',
        'sh',
        mountPoint,
      ]
      const { stdout, stderr } = await runBounded({
        command: toSandboxCommand(tools, { mountPoint, input, readable: settings.readable, limits, program }),
        cwd: '/',
        env: SANDBOX_ENV,
        limits,
        archiveBytes: 65_536,
        user: sandboxUser(),
      })
      return stdout.trim() === 'held' ? undefined : stderr.trim().split('\n')[0]?.slice(0, 200) || 'it held nothing'
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Two folders for the user of the sandbox, gone afterwards: one to mount over, one for what goes in. */
export async function withFolders<T>(action: (mountPoint: string, input: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder('run')
  try {
    const mountPoint = join(folder, 'root')
    const input = join(folder, 'input')
    await mkdir(mountPoint)
    await mkdir(input)
    const user = sandboxUser()
    if (user !== undefined) for (const one of [folder, mountPoint, input]) await chown(one, user.uid, user.gid)
    return await action(mountPoint, input)
  } finally {
    await removeTemporaryFolder(folder)
  }
}

/** What a person and a model are told. */
export function describeIsolation({ sandbox, why }: Isolation, settings: RunSettings, languages: Languages): Words {
  const programs = sandbox === undefined ? withoutSandbox(why, settings.unsandboxed) : WITH_SANDBOX[sandbox.kind]
  return {
    javascript:
      'QuickJS in WebAssembly, in a process of its own: no files, no network, no processes, no environment. The code gets a console, timers and the files of the call.',
    typescript: 'Types are stripped, not checked; then as JavaScript.',
    python:
      languages.python === undefined ? 'Refused: no python3 is installed where the sandbox could see it.' : programs,
    commands: settings.commands.length === 0 ? 'Refused: none is allowed (option commands).' : programs,
    packages: settings.packages.length === 0 ? 'None (option packages).' : settings.packages.join(', '),
    sandbox: sandbox?.kind ?? (settings.unsandboxed ? 'none' : 'refused'),
    limits: { ...settings.limits },
  }
}

export interface Words {
  readonly javascript: string
  readonly typescript: string
  readonly python: string
  readonly commands: string
  readonly packages: string
  readonly sandbox: SandboxKind | 'none' | 'refused'
  readonly limits: { readonly [limit: string]: number }
}

export interface Languages {
  /** The interpreter's path. */
  readonly python: string | undefined
}

const HELD =
  'no network, own processes only, the system’s programs read-only, nothing of your home, one folder of bounded size, no privileges; time, memory, output and processes are bounded. The kernel is shared: a hole in it is a way out.'

const WITH_SANDBOX = {
  bubblewrap: `Bubblewrap: ${HELD} System V memory that no process has attached is not counted.`,
  namespaces: `Linux namespaces: ${HELD} System calls are not filtered.`,
} as const

function withoutSandbox(why: string, unsandboxed: boolean): string {
  return unsandboxed
    ? `NOT isolated (option unsandboxed): it runs with all your rights, on your files and your network. ${why}`
    : `Refused: this machine offers no sandbox. ${why} Install bubblewrap, or set the option "unsandboxed" to run it with all your rights.`
}
