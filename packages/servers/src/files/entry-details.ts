/**
 * The size and time of each entry of a listing (`tools-list.ts`). A disk whose answers are in memory is asked directly:
 * handing each question to another thread would cost more than the answer. One that takes its time is asked by several
 * threads, so that nothing else waits for it.
 */

import { lstatSync, type Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Listed } from './walk.ts'

interface DetailedEntry extends Listed {
  readonly size?: number
  readonly modified?: string
}

/** Entries asked for in one go; after each, others have their turn. */
const AT_ONCE = 16
/** A go that takes longer is slow, and so many of them show that it is the disk rather than a busy machine. */
const QUICK_MS = 4
const MAX_SLOW = 4

/** An entry that is gone meanwhile stays without details. */
export async function describeEntries(
  entries: readonly Listed[],
  pathOf: (entry: Listed) => string,
): Promise<DetailedEntry[]> {
  const described: DetailedEntry[] = []
  let slow = 0
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE)
    if (slow > MAX_SLOW) {
      const stats = await Promise.all(some.map((entry) => lstat(pathOf(entry)).catch(() => undefined)))
      for (const [index, entry] of some.entries()) described.push(describe(entry, stats[index]))
      continue
    }
    const start = performance.now()
    for (const entry of some) described.push(describe(entry, statNow(pathOf(entry))))
    if (performance.now() - start > QUICK_MS) slow++
    await setImmediate()
  }
  return described
}

function statNow(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function describe({ name, kind }: Listed, stats: Stats | undefined): DetailedEntry {
  if (stats === undefined) return { name, kind }
  const modified = stats.mtime.toISOString()
  return kind === 'file' ? { name, kind, size: stats.size, modified } : { name, kind, modified }
}
