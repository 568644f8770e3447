/** A program of the suite as a child: started again where it was, told things, gone when it has to be. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { withLimit } from '../../support/wait.ts'
import type { Command } from './rig-options.ts'

const START_MS = 60_000

export class Program {
  readonly #command: Command
  #child: ChildProcess | undefined

  /** With `shell`, a shell runs that first. */
  constructor({ command, args }: Command, shell?: string) {
    const words = [command, ...args]
    this.#command =
      shell === undefined
        ? { command, args }
        : { command: '/bin/sh', args: ['-c', `${shell}; exec "$0" "$@"`, ...words] }
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get runs(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Resolves when it has said its first word: it listens. */
  async start(): Promise<void> {
    const child = spawn(this.#command.command, this.#command.args, { stdio: ['pipe', 'pipe', 'ignore'] })
    this.#child = child
    child.stdin.on('error', () => {})
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The program did not start')))
    await withLimit(Promise.race([once(child.stdout, 'data'), ended]), START_MS, 'the start of a program')
    ended.catch(() => {})
  }

  tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`)
  }

  async gone(): Promise<void> {
    if (this.runs && this.#child !== undefined)
      await withLimit(once(this.#child, 'exit'), START_MS, 'the end of a program')
  }

  async kill(): Promise<void> {
    if (this.runs) this.#child?.kill('SIGKILL')
    await this.gone()
  }
}
