/**
 * One piece of work on what a stranger wrote, in a process of its own: it answers once and is ended, at the latest when its
 * time or its memory is used up. The module that is started sends a first message when it is loaded, and then answers one.
 */

import { watchMemory } from './memory-watch.ts'
import { startReadyProcess } from './source-process.ts'

interface ProcessBounds {
  readonly timeoutMs: number
  readonly memoryMb: number
}

/** Rejects with what was used up. `beside` is the caller's `import.meta.url`; `name` has no extension. */
export async function askProcess<Reply>(
  beside: string,
  name: string,
  request: unknown,
  { timeoutMs, memoryMb }: ProcessBounds,
): Promise<Reply> {
  const child = await startReadyProcess(beside, name, memoryMb)
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    return await new Promise<Reply>((resolve, reject) => {
      const full = (): void => reject(new Error(`it took more than ${memoryMb} MB of memory`))
      const timer = setTimeout(() => reject(new Error(`it took more than ${timeoutMs} ms`)), timeoutMs)
      const unwatch = watchMemory(child.pid ?? 0, 2 * memoryMb * 1024 * 1024, full)
      const settle = (): void => {
        clearTimeout(timer)
        unwatch()
      }
      child.channel?.ref()
      child.once('exit', full).once('exit', settle).once('message', settle)
      // The shape is that of the module which the caller named.
      child.once('message', (reply) => resolve(reply as Reply))
      child.send(request as object, () => {})
    })
  } finally {
    process.off('exit', kill)
    kill()
  }
}
