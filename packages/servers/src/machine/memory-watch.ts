/**
 * What a process and all that it started hold in memory, looked at while they run: limits of the system count each
 * process alone. Linux tells; elsewhere nothing is watched.
 */

import { readdir, readFile } from 'node:fs/promises'

const LOOK_MS = 100
const MAX_PROCESSES = 1_000

/** Calls `onOver` once when the tree below `pid` holds more. Returns what ends the watch. */
export function watchMemory(pid: number, maxBytes: number, onOver: () => void): () => void {
  if (process.platform !== 'linux') return () => {}
  let isOver = false
  let isLooking = false
  const timer = setInterval(async () => {
    if (isLooking) return
    isLooking = true
    const held = await heldBy(pid)
    isLooking = false
    if (held <= maxBytes || isOver) return
    isOver = true
    onOver()
  }, LOOK_MS)
  timer.unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

async function heldBy(pid: number): Promise<number> {
  const waiting = [pid]
  let held = 0
  for (let at = 0; at < waiting.length && at < MAX_PROCESSES; at++) {
    const one = waiting[at] ?? 0
    held += await residentOf(one)
    waiting.push(...(await childrenOf(one)))
  }
  return held
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ')).flatMap((text) => (text === '' ? [] : [Number(text)]))
}
