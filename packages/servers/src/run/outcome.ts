/** How a run ended and what it left, whatever ran it; `tools.ts` tells it to the model. */

import { ToolError } from '@portico/sdk/server'
import { isFileName } from './file-name.ts'
import type { RunLimits } from './options.ts'

/** A file that goes into a run or comes out of one. */
export interface RunFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** Which bound ended it, or whether it came to an end of its own. */
export type Ending = 'finished' | 'failed' | 'time' | 'memory' | 'machine' | 'output'

export interface Outcome {
  readonly ending: Ending
  /** Null when it was ended from outside, or where there is none. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** What the code came to, in words: JavaScript alone. */
  readonly value?: string
  /** Files that are new or changed. */
  readonly files: readonly RunFile[]
  /** All that is in its folder now, where that is known. */
  readonly folder?: readonly RunFile[]
  /** Set when files were left behind and lost, or a value was. */
  readonly lost?: string
}

/** Called with what was printed, as it is printed. */
export type OnOutput = (text: string) => void

export interface Job {
  readonly files: readonly RunFile[]
  readonly limits: RunLimits
  readonly signal: AbortSignal
  readonly onOutput: OnOutput
}

/** The files of a call: few enough, small enough, each with a name of its own. */
export function checkFiles(files: readonly { path: string; text: string }[], limits: RunLimits): RunFile[] {
  if (files.length > limits.maxFiles) throw new ToolError(`At most ${limits.maxFiles} files (option maxFiles).`)
  let size = 0
  const seen = new Set<string>()
  return files.map(({ path, text }) => {
    if (!isFileName(path)) {
      throw new ToolError(
        `"${path.slice(0, 200)}" is no name for a file here: use a relative path such as data/in.csv.`,
      )
    }
    if (seen.has(path)) throw new ToolError(`"${path}" is given twice.`)
    seen.add(path)
    const bytes = new TextEncoder().encode(text)
    size += bytes.length
    if (size > limits.fileBytes)
      throw new ToolError(`The files have more than ${limits.fileBytes} bytes (option fileBytes).`)
    return { path, bytes }
  })
}

/** Those that were not there before, or not like this. */
export function changedFiles(before: readonly RunFile[], after: readonly RunFile[]): RunFile[] {
  const known = new Map(before.map(({ path, bytes }) => [path, bytes]))
  return after.filter(({ path, bytes }) => {
    const old = known.get(path)
    return old === undefined || Buffer.compare(old, bytes) !== 0
  })
}
