/**
 * Runs a program of the machine with an argument array: no shell, an environment of our own making, bounded output and
 * time. Programs are looked up on the absolute folders of the path alone, so that one planted in the working directory
 * is never taken.
 */

import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { endTree, startChild } from './kept-child.ts'

interface RunOptions {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** Output beyond this ends the program; what came before is kept. */
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly input?: string
}

export interface Outcome {
  readonly stdout: Buffer
  /** The first few kilobytes. */
  readonly stderr: string
  /** Null when it was ended. */
  readonly code: number | null
  readonly truncated: boolean
  readonly timedOut: boolean
}

/** The absolute path of a program, or undefined when the machine has none of that name. */
export function findProgram(name: string, platform = process.platform): Promise<string | undefined> {
  return findOnPath(platform === 'win32' ? `${name}.exe` : name)
}

/**
 * The same with what must stand before its arguments. On Windows npm installs no program but a script of the shell (`.cmd`), which
 * is not started here: what it would run is a script of Node's, and that is started in its place.
 */
export async function findCommand(name: string, platform = process.platform): Promise<readonly string[] | undefined> {
  const program = await findProgram(name, platform)
  if (program !== undefined) return [program]
  const shim = platform === 'win32' ? await findOnPath(`${name}.cmd`) : undefined
  if (shim === undefined) return undefined
  const [, script] = /"%(?:~dp0|dp0%)\\([^"%]+\.[cm]?js)"\s+%\*/.exec(await readFile(shim, 'utf8')) ?? []
  return script === undefined ? undefined : [process.execPath, join(dirname(shim), ...script.split('\\'))]
}

async function findOnPath(file: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue
    const path = join(folder, file)
    try {
      await access(path, constants.X_OK)
      if ((await stat(path)).isFile()) return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

/** What programs need of the environment to run at all; nothing of the user's settings or secrets. */
export function plainEnvironment(): { [name: string]: string } {
  const env: { [name: string]: string } = { LC_ALL: 'C.UTF-8', PATH: process.env.PATH ?? '' }
  for (const name of ['SystemRoot', 'TEMP', 'TMP', 'TMPDIR']) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return env
}

const MAX_STDERR = 8_192
const KILL_MS = 1_000

/** Resolves however the program ends; rejects when it cannot be started or the signal fires. */
export function runProgram(program: string, options: RunOptions): Promise<Outcome> {
  const { args, cwd, env, maxBytes, timeoutMs, signal, input } = options
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const child = startChild(program, args, { cwd, env, stdio: 'pipe' })
    const chunks: Buffer[] = []
    let size = 0
    let stderr = ''
    let [truncated, timedOut, isStopped] = [false, false, false]
    let killer: ReturnType<typeof setTimeout> | undefined
    const stop = (): void => {
      isStopped = true
      // Politely first, so that lock files are taken away; then for good, and without waiting for what it started.
      child.kill('SIGTERM')
      killer ??= setTimeout(() => {
        endTree(child)
        child.stdout.destroy()
        child.stderr.destroy()
      }, KILL_MS)
    }
    const timer = setTimeout(() => {
      timedOut = true
      stop()
    }, timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    const over = (): void => {
      clearTimeout(timer)
      clearTimeout(killer)
      signal?.removeEventListener('abort', stop)
    }
    child.stdout.on('data', (chunk: Buffer) => {
      if (truncated) return
      const room = maxBytes - size
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      size += chunk.length
      if (size <= maxBytes) return
      truncated = true
      stop()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr = (stderr + chunk.toString('utf8')).slice(0, MAX_STDERR)
    })
    child.stdin.end(input ?? '')
    child.on('error', (error) => {
      over()
      reject(error)
    })
    // What it started may have none of our pipes: it ends with it, once it was to end.
    child.on('exit', () => {
      if (isStopped) endTree(child)
    })
    child.on('close', (code) => {
      over()
      if (signal?.aborted) reject(signal.reason)
      else resolve({ stdout: Buffer.concat(chunks), stderr, code, truncated, timedOut })
    })
  })
}
