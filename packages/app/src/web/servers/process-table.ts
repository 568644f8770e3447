/** How much memory a program and those it started take, by the system's own table. Looked at every few seconds at most. */

import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

interface ProcessUse {
  readonly processes: number
  readonly memoryBytes: number
}

interface Row {
  readonly pid: number
  readonly parent: number
  readonly bytes: number
}

const KEPT_MS = 3_000
const MAX_PROCESSES = 1_000
const PS_MS = 2_000

export class ProcessTable {
  #rows: readonly Row[] = []
  #at = 0
  #reading: Promise<void> | undefined

  /** Undefined where the system does not tell, or has no such process. */
  use(pid: number): ProcessUse | undefined {
    const own = this.#rows.find((row) => row.pid === pid)
    if (own === undefined) return undefined
    const family = new Map([[pid, own]])
    // Whoever was started by a member is one; each pass goes one generation down.
    for (let before = 0; before < family.size && family.size < MAX_PROCESSES; ) {
      before = family.size
      for (const row of this.#rows) if (family.has(row.parent)) family.set(row.pid, row)
    }
    const memoryBytes = [...family.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    return { processes: family.size, memoryBytes }
  }

  /** Looks again, unless that was just done. */
  refresh(): Promise<void> {
    if (Date.now() - this.#at < KEPT_MS) return Promise.resolve()
    this.#reading ??= readRows()
      .catch(() => [])
      .then((rows) => {
        this.#rows = rows
        this.#at = Date.now()
        this.#reading = undefined
      })
    return this.#reading
  }
}

async function readRows(): Promise<Row[]> {
  if (process.platform === 'win32') return []
  return process.platform === 'linux' ? readProc() : readPs()
}

async function readProc(): Promise<Row[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const rows = await Promise.all(names.map((name) => readFile(`/proc/${name}/status`, 'utf8').catch(() => '')))
  return rows.flatMap((text, at) => {
    const parent = /^PPid:\s*(\d+)/m.exec(text)?.[1]
    if (parent === undefined) return []
    const kilobytes = Number(/^VmRSS:\s*(\d+) kB/m.exec(text)?.[1] ?? 0)
    return [{ pid: Number(names[at]), parent: Number(parent), bytes: kilobytes * 1_024 }]
  })
}

async function readPs(): Promise<Row[]> {
  const run = promisify(execFile)
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,rss='], { timeout: PS_MS, maxBuffer: 4 * 1_048_576 })
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number)
    if (pid === undefined || parent === undefined || kilobytes === undefined) return []
    return [{ pid, parent, bytes: kilobytes * 1_024 }]
  })
}
