/**
 * A process with everything it may start, held to time, memory and output, and ended as a whole: the group on POSIX, the
 * tree on Windows. Says which bound ended it.
 */

import type { ChildProcess } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { endTree, startChild } from '../machine/kept-child.ts'
import { watchMachine, watchMemory } from '../machine/memory-watch.ts'
import type { RunLimits } from './options.ts'
import type { Ending, OnOutput } from './outcome.ts'

interface ProcessJob {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly stdin?: string | undefined
  readonly limits: Pick<RunLimits, 'timeMs' | 'memoryBytes' | 'outputBytes'>
  readonly signal?: AbortSignal
  readonly onOutput?: OnOutput
  /** Takes what comes out of the third descriptor, up to so many bytes. */
  readonly archiveBytes?: number
  /** Whom it runs as, where this process may choose. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

export interface ProcessOutcome {
  readonly ending: Ending
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly archive: Buffer
}

export function runBounded(job: ProcessJob): Promise<ProcessOutcome> {
  const [program = '', ...args] = job.command
  const { limits, signal } = job
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const child = startChild(program, args, {
      cwd: job.cwd,
      env: job.env,
      ...job.user,
      stdio: ['pipe', 'pipe', 'pipe', ...(job.archiveBytes === undefined ? [] : ['pipe' as const])],
    })
    let ending: Ending | undefined
    let held = 0
    const end = (why: Ending): void => {
      ending ??= why
      endTree(child)
    }
    const hold = (bytes: number): void => {
      held = bytes
    }
    const onAbort = (): void => end('failed')
    const onExit = (): void => endTree(child)
    const timer = setTimeout(end, limits.timeMs, 'time')
    const watches =
      child.pid === undefined
        ? []
        : [
            watchMemory(child.pid, limits.memoryBytes, () => end('memory'), hold),
            watchMachine({ maxBytes: limits.memoryBytes, held: () => held, onOver: () => end('machine') }),
          ]
    signal?.addEventListener('abort', onAbort, { once: true })
    process.once('exit', onExit)
    const printed = collectOutput(child, limits.outputBytes, job.onOutput, () => end('output'))
    const archive = collectArchive(child, job.archiveBytes ?? 0)
    child.stdin?.end(job.stdin ?? '')
    const over = (): void => {
      clearTimeout(timer)
      for (const unwatch of watches) unwatch()
      signal?.removeEventListener('abort', onAbort)
      process.off('exit', onExit)
    }
    child.on('error', (error) => {
      over()
      reject(error)
    })
    // What it started may hold its streams open for ever.
    child.on('exit', () => endTree(child))
    child.on('close', (code) => {
      over()
      if (signal?.aborted) return reject(signal.reason)
      const own: Ending = code === 0 ? 'finished' : 'failed'
      resolve({ ending: ending ?? own, exitCode: ending === undefined ? code : null, ...printed(), archive: archive() })
    })
  })
}

function collectOutput(child: ChildProcess, maxBytes: number, onOutput: OnOutput | undefined, onOver: () => void) {
  const texts = { stdout: '', stderr: '' }
  let size = 0
  for (const name of ['stdout', 'stderr'] as const) {
    const decoder = new StringDecoder('utf8')
    child[name]?.on('data', (chunk: Buffer) => {
      if (size > maxBytes) return
      const kept = chunk.subarray(0, maxBytes - size)
      size += chunk.length
      const text = decoder.write(kept)
      texts[name] += text
      if (text !== '') onOutput?.(text)
      if (size > maxBytes) onOver()
    })
  }
  return () => texts
}

function collectArchive(child: ChildProcess, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = []
  let size = 0
  const stream = child.stdio[3]
  if (stream instanceof Object && 'on' in stream) {
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else endTree(child)
    })
  }
  return () => Buffer.concat(chunks)
}
