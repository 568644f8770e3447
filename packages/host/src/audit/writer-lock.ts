/**
 * One writer for one log, over all processes of the machine: a file beside the log names who writes. A writer that died
 * leaves it behind, and the next one takes it over.
 */

import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { HostError } from '../errors.ts'

export interface WriterLock {
  /** Takes it again where somebody took it away. Rejects like `acquireWriterLock`. */
  renew(): Promise<void>
  release(): Promise<void>
}

/** Rejects with `audit-broken` while somebody else has it. */
export async function acquireWriterLock(file: string): Promise<WriterLock> {
  const path = resolve(`${file}.lock`)
  if (LOCKED.has(path)) throw busy(file, process.pid)
  LOCKED.add(path)
  try {
    await take(path, file)
  } catch (error) {
    LOCKED.delete(path)
    throw error
  }
  return {
    async renew() {
      if (!(await isOwn(path))) await take(path, file)
    },
    async release() {
      if (!LOCKED.delete(path)) return
      // Where it was taken away, another may have made its own.
      if (await isOwn(path)) await rm(path, { force: true })
    },
  }
}

async function isOwn(path: string): Promise<boolean> {
  return toOwner(await readFile(path, 'utf8').catch(() => ''))?.pid === process.pid
}

/** Locks of this process. A lock file with our own number that is not here was left by an earlier life. */
const LOCKED = new Set<string>()

async function take(path: string, file: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, JSON.stringify({ pid: process.pid, born: await birthOf(process.pid) }), { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      // A link is made whole or not at all, and never over something that is there.
      if (await succeeds(link(draft, path))) return
      const found = await readFile(path, 'utf8').catch(() => undefined)
      if (found === undefined) continue
      const owner = toOwner(found)
      if (owner !== undefined && (await isAlive(owner))) throw busy(file, owner.pid)
      await setAside(path, found)
    }
    throw busy(file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Of several that find the same stale lock, one moves it; a lock made anew meanwhile goes back to its owner. */
async function setAside(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  if (!(await succeeds(rename(path, aside)))) return
  const moved = await readFile(aside, 'utf8').catch(() => stale)
  if (moved !== stale) await succeeds(link(aside, path))
  await rm(aside, { force: true })
}

interface Owner {
  readonly pid: number
  readonly born: string | undefined
}

async function isAlive({ pid, born }: Owner): Promise<boolean> {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // What `kill` throws has a code; a process of somebody else is one, too.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = await birthOf(pid)
  return born === undefined || now === undefined || born === now
}

/** When a process began, where the system tells: numbers of processes are used again. */
async function birthOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19]
}

function toOwner(text: string): Owner | undefined {
  try {
    const { pid, born } = JSON.parse(text) as { pid?: unknown; born?: unknown }
    if (!Number.isSafeInteger(pid)) return undefined
    // Just shown to be a whole number.
    return { pid: pid as number, born: typeof born === 'string' ? born : undefined }
  } catch {
    return undefined
  }
}

function busy(file: string, pid?: number): HostError {
  const who = pid === undefined ? 'another process' : `process ${pid}`
  return new HostError('audit-broken', `The audit log ${file} is being written by ${who}`, {
    data: { remedy: `Close it there, or remove ${file}.lock if no such program runs` },
  })
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
