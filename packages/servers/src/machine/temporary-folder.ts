/**
 * Folders that go when they are given back, and at the latest with the process. One that was killed cannot clear up: its
 * folders carry its number, and the next process to make one removes those of processes that are no more.
 */

import { readlinkSync, rmSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

const left = new Set<string>()
let isSwept = false

/** `kind` is a word; the folder can be entered by this user alone. */
export async function makeTemporaryFolder(kind: string): Promise<string> {
  // Nobody waits for that: another may have left much behind.
  if (!isSwept) void sweepTemporaryFolders().catch(() => {})
  isSwept = true
  const folder = await mkdtemp(join(tmpdir(), `portico-${kind}-${MACHINE}-${process.pid}-`))
  if (left.size === 0) process.once('exit', removeAll)
  left.add(folder)
  return folder
}

export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  left.delete(folder)
  if (left.size === 0) process.off('exit', removeAll)
}

/** Removes what processes of this user and machine left behind. */
async function sweepTemporaryFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, machine, pid] = /^portico-[a-z]+-([0-9a-z]+)-(\d+)-\w{6}$/.exec(name) ?? []
    if (machine !== MACHINE || isRunning(Number(pid))) continue
    const folder = join(tmpdir(), name)
    const { uid } = await stat(folder).catch(() => ({ uid: -1 }))
    // Root gives folders of its own to lesser users.
    if (process.getuid === undefined || process.getuid() === 0 || uid === process.getuid())
      await rm(folder, { recursive: true, force: true })
  }
}

/** Containers may share the folder and not the numbers of processes; each has a space of numbers of its own. */
const MACHINE = machineName()

function machineName(): string {
  let space = ''
  try {
    space = readlinkSync('/proc/self/ns/pid')
  } catch {
    // Not Linux.
  }
  return `${hostname()}${space}`.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH'
  }
}

function removeAll(): void {
  for (const folder of left) rmSync(folder, { recursive: true, force: true })
}
