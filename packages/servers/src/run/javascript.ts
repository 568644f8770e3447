/**
 * The near side of `javascript-process.ts`: one process for each run, with an empty environment and a bound on memory,
 * ended when its time is up whatever the engine in it does.
 */

import { watchMemory } from '../machine/memory-watch.ts'
import { startProcess } from '../machine/source-process.ts'
import type { PackageFolders } from './javascript-modules.ts'
import { changedFiles, type Ending, type Job, type Outcome, type RunFile } from './outcome.ts'

interface JavascriptJob extends Job {
  readonly code: string
  readonly language: 'javascript' | 'typescript'
  readonly packages: PackageFolders
}

/** What crosses to the process. */
export interface JavascriptOrder {
  readonly code: string
  readonly language: 'javascript' | 'typescript'
  readonly files: readonly RunFile[]
  readonly limits: Job['limits']
  readonly packages: PackageFolders
}

export type JavascriptReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | {
      readonly kind: 'done'
      readonly ending: Ending
      readonly value?: string
      /** It was a module that exported nothing as its default. */
      readonly isWithoutDefault?: boolean
      readonly files?: readonly RunFile[]
    }

/** For what is around the engine; the engine has its own bound. */
const SPARE_MB = 128
/** Node's bound is one of its heap; code, stacks, and what the collector has not yet given back come on top. */
const WHOLE_PROCESS = 2
const START_MS = 30_000
/** The engine stops by itself at its deadline; this is for when it does not. */
const GRACE_MS = 2_000

export function runJavascript({ files, limits, signal, onOutput, ...order }: JavascriptJob): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const megabytes = Math.ceil(limits.memoryBytes / 1_048_576) + SPARE_MB
    const child = startProcess(import.meta.url, 'javascript-process', megabytes)
    const printed = { stdout: '', stderr: '' }
    let timer = setTimeout(() => over(() => reject(new Error('The process for code did not start'))), START_MS)
    const kill = () => void child.kill('SIGKILL')
    const unwatch = watchMemory(child.pid ?? 0, WHOLE_PROCESS * megabytes * 1_048_576, () =>
      finish('memory', undefined, files),
    )
    const over = (finish: () => void): void => {
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', onAbort)
      process.off('exit', kill)
      child.removeAllListeners('message')
      kill()
      finish()
    }
    const onAbort = (): void => over(() => reject(signal.reason))
    const finish = (ending: Ending, value: string | undefined, after: readonly RunFile[], lost?: string): void =>
      over(() =>
        resolve({
          ending,
          exitCode: null,
          ...printed,
          ...(value !== undefined && { value }),
          files: changedFiles(files, after),
          folder: after,
          ...(lost !== undefined && { lost }),
        }),
      )
    signal.addEventListener('abort', onAbort, { once: true })
    process.once('exit', kill)
    child.on('error', (error) => over(() => reject(error)))
    // Ended by nobody here: the memory of the process gave out.
    child.on('exit', () => finish('memory', undefined, files))
    child.on('message', (reply: JavascriptReply) => {
      if (reply.kind === 'output') {
        printed[reply.stream] += reply.text
        onOutput(reply.text)
      } else if (reply.kind === 'done') {
        finish(reply.ending, reply.value, reply.files ?? files, reply.isWithoutDefault ? WITHOUT_DEFAULT : undefined)
      } else {
        clearTimeout(timer)
        timer = setTimeout(finish, limits.timeMs + GRACE_MS, 'time', undefined, files)
        child.send({ ...order, files, limits } satisfies JavascriptOrder, () => {})
      }
    })
  })
}

const WITHOUT_DEFAULT =
  'It came to no value: code with import or export is a module, and a module gives its value by export default.'
