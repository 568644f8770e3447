/**
 * Ends what takes too much memory, looked at while it runs: limits of the system count each process alone, and shared memory not at
 * all. Linux tells; elsewhere nothing is watched.
 */

import { HeldMemory } from './memory-held.ts'
import { type Machine, readMachine } from './memory-machine.ts'

const LOOK_MS = 100
/** A look that takes long is followed by a longer wait, so that no more than this part of the time goes into looking. */
const PART_OF_TIME = 1 / 5
const MAX_WAIT_MS = 2_000
/** A machine with less of its memory left than this part of it is in want. */
const WANT = 1 / 16

/** Calls `onOver` once when the tree below `pid` holds more. Returns what ends the watch. */
export function watchMemory(
  pid: number,
  maxBytes: number,
  onOver: () => void,
  onLook: (bytes: number) => void = () => {},
): () => void {
  const held = new HeldMemory(pid)
  return watch(async () => {
    const bytes = await held.look()
    onLook(bytes)
    return bytes > maxBytes
  }, onOver)
}

interface MachineWatch {
  readonly maxBytes: number
  /** What it holds as far as that can be seen. */
  readonly held: () => number
  onOver(): void
  readonly read?: () => Promise<Machine>
}

interface Watched extends MachineWatch {
  /** What the machine had when it began. */
  first: number | undefined
}

const watched = new Set<Watched>()

/**
 * Calls `onOver` once when the machine is in want of memory and has so many bytes less than at the start: memory can be held where
 * it is nobody's, such as in messages that nobody has read. Of several to which that applies it is the largest that is ended.
 */
export function watchMachine(options: MachineWatch): () => void {
  const { read = readMachine } = options
  const own: Watched = { ...options, first: undefined }
  watched.add(own)
  const unwatch = watch(async () => {
    const { available, total } = await read()
    own.first ??= available
    if (available >= total * WANT) return false
    const suspects = [...watched].filter(({ first = 0, maxBytes }) => first - available > maxBytes)
    return suspects.includes(own) && suspects.every((other) => other === own || other.held() <= own.held())
  }, options.onOver)
  return () => {
    watched.delete(own)
    unwatch()
  }
}

function watch(isOver: () => Promise<boolean>, onOver: () => void): () => void {
  if (process.platform !== 'linux') return () => {}
  let hasEnded = false
  let timer: ReturnType<typeof setTimeout>
  const lookAfter = (ms: number): void => {
    timer = setTimeout(look, ms)
    timer.unref()
  }
  const look = async (): Promise<void> => {
    const began = performance.now()
    const over = await isOver()
    if (hasEnded) return
    const tookMs = performance.now() - began
    if (!over) return lookAfter(Math.min(MAX_WAIT_MS, Math.max(LOOK_MS, tookMs / PART_OF_TIME)))
    hasEnded = true
    onOver()
  }
  lookAfter(LOOK_MS)
  return () => {
    hasEnded = true
    clearTimeout(timer)
  }
}
