/** A folder of a trial's own, with a home, a state and a configuration in it, and the built command line. */

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BINARY } from './binary.ts'

export interface Place {
  readonly folder: string
  readonly env: { readonly [name: string]: string }
  /** Node's arguments for the command line. */
  portico(...words: string[]): { readonly command: string; readonly args: string[] }
  /** Starts it and waits for a line on a stream; what comes back ends it and gives everything it wrote. */
  start(words: readonly string[], stream: 'stdout' | 'stderr', line: RegExp): Promise<Started>
}

export interface Started {
  readonly found: RegExpExecArray
  until(stream: 'stdout' | 'stderr', line: RegExp): Promise<RegExpExecArray>
  end(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

export async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-lab-'))
  const { PATH = '' } = process.env
  const env = {
    PATH,
    HOME: folder,
    PORTICO_STATE_DIR: join(folder, 'state'),
    PORTICO_CONFIG_DIR: join(folder, 'config'),
    NO_COLOR: '1',
  }
  const started: Started[] = []
  const portico = (...words: string[]) => ({ command: process.execPath, args: [BINARY, ...words] })
  try {
    await work({
      folder,
      env,
      portico,
      start: async (words, stream, line) => {
        const one = startProcess(portico(...words), folder, env)
        started.push({ ...one, found: [] as unknown as RegExpExecArray })
        return { ...one, found: await one.until(stream, line) }
      },
    })
  } finally {
    await Promise.all(started.map((one) => one.end()))
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

function startProcess(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  cwd: string,
  env: { readonly [name: string]: string },
): Omit<Started, 'found'> {
  const child = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      for (const watcher of [...watchers]) watcher()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    until: (stream, line) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = line.exec(text[stream])
          if (found === null) return
          watchers.delete(look)
          resolve(found)
        }
        watchers.add(look)
        look()
        void ended.then((code) => reject(new Error(`ended with ${code} before ${line}: ${text.stderr}`)))
      }),
    async end() {
      child.kill('SIGINT')
      return { code: await ended, ...text }
    },
  }
}
