/**
 * Starts a process of our own from a module beside the one that asks (`source-worker.ts` finds it), for work on what
 * strangers wrote: should it fill the memory, that ends this process alone, where it would end every thread of a shared one.
 * It gets neither the environment nor the standard streams, and is ended from outside; should this process be killed, and with
 * it the timer that would do so, it ends by itself.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { plainModule } from './source-worker.ts'

const START_MS = 30_000

/**
 * Runs in a thread of the process that is started, since its main thread may be in the middle of something without end. Nothing is
 * ever written to its standard input: what comes is the end, when whoever holds the other side is gone.
 */
const END_WITH_PARENT = `
const { Socket } = require('node:net')
const end = () => process.kill(process.pid, 'SIGKILL')
new Socket({ fd: 0, readable: true, writable: false }).on('error', end).on('close', end).resume()
`

/** `beside` is the caller's `import.meta.url`; `name` has no extension; `memoryMb` bounds the heap. */
export function startProcess(beside: string, name: string, memoryMb: number): ChildProcess {
  const { href } = plainModule(beside, name)
  const watch = `new Worker(${JSON.stringify(END_WITH_PARENT)}, { eval: true, execArgv: [] }).unref()`
  const source = `import { Worker } from 'node:worker_threads'; ${watch}; await import(${JSON.stringify(href)})`
  const script = ['--input-type=module', '--eval', source]
  const child = spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, ...script], {
    // Nothing of the operator's is its business; Windows starts no program without this one.
    env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
    serialization: 'advanced',
    // Standard output may be the protocol's own wire: what a library prints there must not reach it.
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  })
  // Nothing is written to it, so its breaking says no more than the end of the process does.
  child.stdin?.on('error', () => {})
  // A pipe to a process is a socket, whatever its declared type; open, it must not keep this one.
  ;(child.stdin as Socket | null)?.unref()
  return child
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
