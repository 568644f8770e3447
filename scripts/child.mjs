/**
 * Runs a child process as if it were this one: same terminal, same signals, no shell. Used by the scripts that start
 * something (`run.mjs`, `start.mjs`, `test.mjs`).
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Node's arguments for running TypeScript with the workspaces' doors leading to their sources. */
export function sourceArguments(file, args) {
  // A resolved address, since Node would look for a bare name from the working directory.
  return ['--conditions=portico-source', `--import=${import.meta.resolve('tsx')}`, file, ...args]
}

export function toolPath(name) {
  return fileURLToPath(new URL(name, import.meta.url))
}

/**
 * @param {string[]} args for Node
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} the exit code; 128 and the signal's number for a child that a signal ended
 */
export function runNode(args, options = {}) {
  return runChild(process.execPath, args, options)
}

/** @type {(command: string, args: string[], options?: import('node:child_process').SpawnOptions) => Promise<number>} */
export function runChild(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    const forward = (signal) => {
      // A terminal sends Ctrl-C to the child as well; twice would look like impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, forward)
    const settle = (finish) => {
      for (const signal of signals) process.off(signal, forward)
      finish()
    }
    child.once('error', (error) => settle(() => reject(error)))
    child.once('exit', (code, signal) => settle(() => resolve(code ?? 128 + (constants.signals[signal] ?? 0))))
  })
}
