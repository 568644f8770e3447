/** What memory there is for this process: of its container where that has a bound, of the machine otherwise. */

import { readFile } from 'node:fs/promises'
import { readSize } from './memory-held.ts'

export interface Machine {
  readonly available: number
  readonly total: number
}

/** Where a container sees the bounds of its own group, in the second and the first version of them. */
const GROUPS = [
  { folder: '/sys/fs/cgroup', max: 'memory.max', current: 'memory.current', cache: 'inactive_file' },
  {
    folder: '/sys/fs/cgroup/memory',
    max: 'memory.limit_in_bytes',
    current: 'memory.usage_in_bytes',
    cache: 'total_inactive_file',
  },
] as const

type ReadText = (path: string) => Promise<string>

/** Nothing of nothing where it is not told. */
export async function readMachine(read: ReadText = readText): Promise<Machine> {
  const text = await read('/proc/meminfo')
  const machine = { available: readSize(text, 'MemAvailable') * 1_024, total: readSize(text, 'MemTotal') * 1_024 }
  for (const { folder, max, current, cache } of GROUPS) {
    const total = Number.parseInt(await read(`${folder}/${max}`), 10)
    // No number is no bound, and neither is one beyond the machine.
    if (!(total < machine.total)) continue
    const used = Number.parseInt(await read(`${folder}/${current}`), 10)
    const stat = await read(`${folder}/memory.stat`)
    const given = Number(new RegExp(`^${cache} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0)
    // What is kept of files is given up for whoever wants it.
    return { available: total - used + given, total }
  }
  return machine
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
