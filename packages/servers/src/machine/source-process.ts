/**
 * Starts a process of our own from a module beside the one that asks (`source-worker.ts` finds it), for work on what
 * strangers wrote: should it fill the memory, that ends this process alone, where it would end every thread of a shared one.
 * It gets neither the environment nor the standard streams, and is ended from outside.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { plainModule } from './source-worker.ts'

const START_MS = 30_000

/** `beside` is the caller's `import.meta.url`; `name` has no extension; `memoryMb` bounds the heap. */
export function startProcess(beside: string, name: string, memoryMb: number): ChildProcess {
  const { href } = plainModule(beside, name)
  const script = ['--input-type=module', '--eval', `await import(${JSON.stringify(href)})`]
  return spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, ...script], {
    // Nothing of the operator's is its business; Windows starts no program without this one.
    env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
    serialization: 'advanced',
    // Standard output may be the protocol's own wire: what a library prints there must not reach it.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  })
}

/** One that waits for work: resolves at its first message, which says that it has loaded what it needs. */
export function startReadyProcess(beside: string, name: string, memoryMb: number): Promise<ChildProcess> {
  return new Promise((done, failed) => {
    const child = startProcess(beside, name, memoryMb)
    // A process that waits for work must not keep this one.
    child.unref()
    child.channel?.unref()
    const give = (error: unknown): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      failed(error)
    }
    const onEnd = (): void => give(new Error(`The process ${name} did not start`))
    const timer = setTimeout(onEnd, START_MS)
    child.once('error', give).once('exit', onEnd)
    child.once('message', () => {
      clearTimeout(timer)
      child.off('error', give).off('exit', onEnd)
      // Should it end while nothing is asked of it, whoever asks next finds it gone.
      child.on('error', () => {})
      done(child)
    })
  })
}
