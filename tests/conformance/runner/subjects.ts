/** The two things under test, made ready: the server started on a free port, the client put into one file. */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'

export interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/** What is started to be looked at. */
export interface Program {
  readonly file: string
  readonly env?: { readonly [name: string]: string }
}

/** Starts a program as its own process, in the way that this one was started, and waits until it says its address. */
export async function startServer(folder: string, { file, env }: Program): Promise<RunningServer> {
  const child = spawn(process.execPath, [...process.execArgv, join(folder, file)], {
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.once('exit', () => child.kill())
  const stop = async (): Promise<void> => {
    child.kill()
    await ended
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/.exec(line)?.[0]
    if (url !== undefined) return { url, stop }
  }
  throw new Error('the conformance server did not start')
}

export function hasClient(folder: string): boolean {
  return existsSync(join(folder, 'client.ts'))
}

/**
 * The command that runs the client. A suite starts dozens of them at once, so they are compiled beforehand; `exec` lets
 * the suite's time limit reach the client through the shell that it uses.
 */
export async function buildClient(folder: string): Promise<string> {
  const outfile = join(folder, 'dist', 'client.mjs')
  await build({
    entryPoints: [join(folder, 'client.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['portico-source'],
    logLevel: 'warning',
  })
  for (const path of [process.execPath, outfile]) {
    // The suite splits the command at spaces and knows no quotes.
    if (/\s/.test(path)) throw new Error(`the suite cannot run a client whose path has a space: ${path}`)
  }
  return `exec ${process.execPath} ${outfile}`
}
