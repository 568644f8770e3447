/** What a process holds at a moment, after everything that nobody needs was collected. */

import { EventEmitter } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import v8, { getHeapCodeStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MEBIBYTE = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is cheap enough to be looked at while the process works. */
export function countCheaply(): { [name: string]: number } {
  collect()
  const names = process.eventNames()
  return {
    ...toMemory(process.memoryUsage(), getHeapCodeStatistics()),
    'process listeners': names.reduce((sum, name) => sum + process.listenerCount(name), 0),
    ...(existsSync('/proc/self/fd') && { descriptors: readdirSync('/proc/self/fd').length }),
  }
}

/** Data apart from code: functions are compiled when they are first used and again when they are used often, long after the start. */
export function toMemory(
  { heapUsed, external, rss }: { readonly heapUsed: number; readonly external: number; readonly rss: number },
  code: { readonly code_and_metadata_size: number; readonly bytecode_and_metadata_size: number },
): { [name: string]: number } {
  const compiled = code.code_and_metadata_size + code.bytecode_and_metadata_size
  return {
    'data MiB': (heapUsed + external - compiled) / MEBIBYTE,
    'code MiB': compiled / MEBIBYTE,
    'resident MiB': rss / MEBIBYTE,
  }
}

/** Objects that somebody holds, by the class that made them. The process stands still meanwhile. */
export function countObjects(): { [name: string]: number } {
  const timer = setTimeout(() => {}, 0)
  clearTimeout(timer)
  return {
    // Besides the one that was made to learn the class.
    timers: objectsOf(timer.constructor) - 1,
    // Sockets, streams, servers and processes are such.
    emitters: objectsOf(EventEmitter),
  }
}

function objectsOf(kind: unknown): number {
  // In Node since 20.13; the types of the oldest supported version do not have it.
  const { queryObjects } = v8 as unknown as { queryObjects(kind: unknown, options: { format: 'count' }): number }
  return queryObjects(kind, { format: 'count' })
}

/** Files below a folder whose names are not left out. */
export function countFiles(folder: string, isCounted: (name: string) => boolean = () => true): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && isCounted(entry.name)).length
}

/** Processes of this machine with a text in their command line; undefined where that cannot be seen. */
export function countProcesses(mark: string): number | undefined {
  if (!existsSync('/proc/self/cmdline')) return undefined
  const isMarked = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
    } catch {
      // It has ended since the folder was read.
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isMarked(name)).length
}
