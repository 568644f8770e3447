/** Runs a command to its end, with a limit on the time it may take. */

import { spawn } from 'node:child_process'

export interface CommandOptions {
  readonly timeoutMs?: number
}

export interface CommandEnd {
  /** Null for a command that had to be stopped. */
  readonly code: number | null
  readonly output: string
}

export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandEnd> {
  const { timeoutMs = 300_000 } = options
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output: output.join('') }))
  })
}
