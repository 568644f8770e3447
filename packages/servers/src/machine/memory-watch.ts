/**
 * Ends what takes too much memory, looked at while it runs: limits of the system count each process alone, and shared memory not at
 * all. Linux tells; elsewhere nothing is watched.
 */

import { readFile } from 'node:fs/promises'
import { heldBy, readSize } from './memory-held.ts'

const LOOK_MS = 100
/** A machine with less of its memory left than this part of it is in want. */
const WANT = 1 / 16

/** Calls `onOver` once when the tree below `pid` holds more. Returns what ends the watch. */
export function watchMemory(pid: number, maxBytes: number, onOver: () => void): () => void {
  return watch(async () => (await heldBy(pid)) > maxBytes, onOver)
}

/**
 * Calls `onOver` once when the machine is in want of memory and has so many bytes less than at the start: memory can be held where
 * it is nobody's, such as in messages that nobody has read.
 */
export function watchMachine(maxBytes: number, onOver: () => void, read = readMachine): () => void {
  let first: number | undefined
  return watch(async () => {
    const { available, total } = await read()
    first ??= available
    return available < total * WANT && first - available > maxBytes
  }, onOver)
}

function watch(isOver: () => Promise<boolean>, onOver: () => void): () => void {
  if (process.platform !== 'linux') return () => {}
  let hasEnded = false
  let isLooking = false
  const timer = setInterval(async () => {
    if (isLooking) return
    isLooking = true
    const over = await isOver()
    isLooking = false
    if (!over || hasEnded) return
    hasEnded = true
    onOver()
  }, LOOK_MS)
  timer.unref()
  return () => {
    hasEnded = true
    clearInterval(timer)
  }
}

async function readMachine(): Promise<{ readonly available: number; readonly total: number }> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  return { available: readSize(text, 'MemAvailable') * 1_024, total: readSize(text, 'MemTotal') * 1_024 }
}
