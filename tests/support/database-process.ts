/** A database server as a child of a suite: in a folder of its own, as a user without rights, gone when the lab is. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, lchownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `nobody` on the systems that have root; databases refuse to run as root. */
const NOBODY = 65_534

export interface Identity {
  readonly uid?: number
  readonly gid?: number
}

export function unprivileged(): Identity {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

export function makeDataFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `portico-${name}-`))
  const { uid, gid } = unprivileged()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}

const first = new Map<string, string>()

/** An empty database below `folder`: `make` writes the first of a suite, and the others are copies of it. */
export function newData(name: string, folder: string, make: (data: string) => void): string {
  const kept = first.get(name) ?? makeDataFolder(`${name}-first`)
  if (!first.has(name)) {
    make(join(kept, 'data'))
    first.set(name, kept)
  }
  const data = join(folder, 'data')
  cpSync(join(kept, 'data'), data, { recursive: true })
  const { uid, gid } = unprivileged()
  if (uid === undefined || gid === undefined) return data
  for (const path of ['.', ...(readdirSync(data, { recursive: true }) as string[])])
    lchownSync(join(data, path), uid, gid)
  return data
}

export function runOnce(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', ...unprivileged() })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`)
}

export interface Running {
  readonly pid: number | undefined
  /** Resolves when the process is no more, whoever ended it. */
  readonly ended: Promise<void>
  stop(): Promise<void>
  /** For what follows the start: a database that could not be set up is not left running. */
  orStop(action: () => Promise<void>): Promise<void>
}

const left = new Map<ChildProcess, string>()

/** Whatever ends the suite ends its databases. */
process.once('exit', () => {
  for (const folder of first.values()) rmSync(folder, { recursive: true, force: true })
  for (const [child, folder] of left) {
    child.kill('SIGQUIT')
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** The data is thrown away, so nothing has to be ended in order; PostgreSQL wants to give back its shared memory, though. */
export function startProcess(
  command: string,
  args: readonly string[],
  folder: string,
  endSignal: 'SIGKILL' | 'SIGQUIT' = 'SIGKILL',
): Running {
  const child = spawn(command, args, { cwd: folder, stdio: 'ignore', ...unprivileged() })
  left.set(child, folder)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.kill(endSignal)
    await ended
    left.delete(child)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return {
    pid: child.pid,
    ended,
    stop,
    orStop: async (action) => {
      try {
        await action()
      } catch (error) {
        await stop()
        throw error
      }
    },
  }
}

/** Tries until it works: a database says in no other way that it is ready. */
export async function eventually<T>(action: () => Promise<T>, withinMs = 60_000): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    try {
      return await action()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
