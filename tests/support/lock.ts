/** One process at a time does something: suites that run beside each other install into one tree. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'

const LOOK_MS = 200

/** Waits until no other process holds `file`, holds it while `work` runs, and lets it go. What a dead process left is taken. */
export function withLock<T>(file: string, work: () => T): T {
  while (!take(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
  try {
    return work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (isHeld(file)) return false
    rmSync(file, { force: true })
    return false
  }
}

function isHeld(file: string): boolean {
  try {
    const owner = Number(readFileSync(file, 'utf8'))
    // Empty while it is being written.
    if (!(owner > 0)) return true
    process.kill(owner, 0)
    return true
  } catch (error) {
    // A process of somebody else is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
