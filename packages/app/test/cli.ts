/**
 * The command line as tests use it: a process of its own with folders of its own. What runs is what `build.ts` makes of
 * the sources; `PORTICO_CLI=built` takes what `npm run build` made, and `PORTICO_CLI=source` the sources themselves.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildCli } from './build.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Standard input; closed at once unless given. `'open'` leaves it open, `'none'` is /dev/null. */
  readonly input?: string
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string }
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** Resolves with the first match in what the process has written, or rejects when it ends before. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>
  interrupt(): void
}

/** Node's arguments up to the command line's own. */
export function cliArguments(): string[] {
  const app = dirname(dirname(fileURLToPath(import.meta.url)))
  if (process.env.PORTICO_CLI === 'built') return [join(app, 'dist', 'cli', 'main.js')]
  if (process.env.PORTICO_CLI !== 'source') return [buildCli()]
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return ['--conditions=portico-source', `--import=${tsx}`, join(app, 'src', 'cli', 'main.ts')]
}

export function startCli(words: readonly string[], { input, cwd, env }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [...cliArguments(), ...words], {
    cwd: cwd ?? tmpdir(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, NO_COLOR: '1', ...env },
    stdio: [input === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  // A test that fails half-way leaves nothing running.
  process.once('exit', () => child.kill('SIGKILL'))
  const text = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      for (const watcher of [...watchers]) watcher()
    })
  }
  child.stdin?.on('error', () => {})
  if (input !== 'open') child.stdin?.end(input ?? '')
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...text }))
  })
  return {
    child,
    ended,
    until: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(text[stream])
          if (found === null) return
          watchers.delete(look)
          resolve(found)
        }
        watchers.add(look)
        look()
        void ended.then((ran) => reject(new Error(`ended before ${pattern}: ${JSON.stringify(ran)}`)), reject)
      }),
    interrupt: () => void child.kill('SIGINT'),
  }
}

export function runCli(words: readonly string[], options?: RunOptions): Promise<Ran> {
  return startCli(words, options).ended
}

/** A folder with a home, a state and a configuration of its own; removed by `close`. */
export async function createFolder(): Promise<{
  readonly path: string
  readonly env: { readonly [name: string]: string }
  close(): Promise<void>
}> {
  const path = await mkdtemp(join(tmpdir(), 'portico-cli-'))
  return {
    path,
    env: { HOME: path, PORTICO_STATE_DIR: join(path, 'state'), PORTICO_CONFIG_DIR: join(path, 'config') },
    close: () => rm(path, { recursive: true, force: true }),
  }
}
