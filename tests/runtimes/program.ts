/** A server as a process of its own: started, waited for until it says its address, and ended with all it started. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string }
}

export interface Program {
  readonly origin: string
  /** What it has written beside its address, for a report of a failure. */
  readonly output: readonly string[]
  stop(): Promise<void>
}

const START_MS = 60_000

export async function startProgram(command: Command): Promise<Program> {
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it starts ends with it.
    detached: process.platform !== 'win32',
  })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const onExit = (): void => end(child, 'SIGKILL')
  process.once('exit', onExit)
  const output: string[] = []
  const stop = async (): Promise<void> => {
    end(child, 'SIGTERM')
    const impatience = setTimeout(() => end(child, 'SIGKILL'), 2_000)
    await exited
    clearTimeout(impatience)
    process.off('exit', onExit)
  }
  try {
    return { origin: await addressOf(child, output), output, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads until the program says where it listens: in words, as workerd reports its sockets, or as Next does. */
function addressOf(child: ChildProcess, output: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`${reason}\n${output.slice(-20).join('\n')}`))
    const timer = setTimeout(() => fail('it did not say its address in time'), START_MS)
    const onLine = (line: string): void => {
      output.push(line)
      if (output.length > 200) output.shift()
      const said = /(?:listening on|Local:) +(https?:\/\/\S+)/.exec(line)?.[1]
      const port = /"event":"listen".*"port":(\d+)/.exec(line)?.[1]
      const origin = said ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`)
      if (origin === undefined) return
      clearTimeout(timer)
      resolve(origin)
    }
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      fail(`it ended with exit code ${code}`)
    })
  })
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (process.platform === 'win32') child.kill(signal)
  else process.kill(-child.pid, signal)
}
