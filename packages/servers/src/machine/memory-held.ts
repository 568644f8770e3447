/**
 * What a process and all that it started take of the machine's memory, as Linux tells it. Memory that can be shared belongs to no
 * one process and need not be in anybody's tables: a file that exists in memory alone (memfd, a shared mapping) is counted once,
 * whether it is mapped, held open or both.
 */

import { open, readdir, readFile, readlink, stat } from 'node:fs/promises'

/** More of either than can be looked through is more than anybody may have. */
const MAX_PROCESSES = 1_000
const MAX_FILES = 20_000
/** Descriptors of other threads in one look. What is left has its turn at the next. */
const MAX_THREAD_FILES = 4_000
/** Threads nearly always have the table of the process, so that tables of their own are looked for in every so many looks alone. */
const THREADS_EVERY = 5
/** Text about the mappings of one process: some twenty thousand of them. */
const MAX_MAPS = 2_097_152

/** Bytes of files in memory, by device and number. */
type Files = Map<string, number>

/** Looks at a process again and again. */
export class HeldMemory {
  readonly #pid: number
  readonly #maxFiles: number
  /** What was found in the tables of other threads when each was last looked at, by their folder. */
  readonly #ofThreads = new Map<string, Files>()
  #looks = 0

  constructor(pid: number, maxFiles = MAX_FILES) {
    this.#pid = pid
    this.#maxFiles = maxFiles
  }

  /** Bytes: zero where nothing is told, and no end of them where there is more than can be looked through. */
  async look(): Promise<number> {
    const waiting = [this.#pid]
    const files: Files = new Map()
    const open: Files = new Map()
    const threads: string[] = []
    let own = 0
    let descriptors = 0
    for (let at = 0; at < waiting.length; at++) {
      if (at >= MAX_PROCESSES) return Number.POSITIVE_INFINITY
      const one = waiting[at] ?? 0
      own += (await ownOf(one)) + (await noteMapped(one, files))
      descriptors += await noteOpen(`/proc/${one}/fd`, open, this.#maxFiles - descriptors)
      if (descriptors > this.#maxFiles) return Number.POSITIVE_INFINITY
      for (const thread of await readdir(`/proc/${one}/task`).catch(() => [])) {
        const place = `/proc/${one}/task/${thread}`
        if (thread !== String(one)) threads.push(`${place}/fd`)
        waiting.push(...(await childrenOf(place)))
      }
    }
    if (this.#looks++ % THREADS_EVERY === 0) await this.#lookAtThreads(threads, open)
    for (const found of this.#ofThreads.values()) {
      // It may be larger by now, and mapped further.
      for (const [key, bytes] of found) files.set(key, Math.max(files.get(key) ?? 0, bytes))
    }
    // This is what it really takes: better than how far it is mapped.
    for (const [key, bytes] of open) files.set(key, bytes)
    return [...files.values()].reduce((sum, bytes) => sum + bytes, own)
  }

  /** Keeps what is in no table of a process; those that wait longest come first. */
  async #lookAtThreads(folders: readonly string[], open: Files): Promise<void> {
    const present = new Set(folders)
    for (const folder of this.#ofThreads.keys()) if (!present.has(folder)) this.#ofThreads.delete(folder)
    const fresh = folders.filter((folder) => !this.#ofThreads.has(folder))
    let left = MAX_THREAD_FILES
    for (const folder of [...fresh, ...this.#ofThreads.keys()]) {
      const found: Files = new Map()
      left -= await noteOpen(folder, found, MAX_FILES)
      for (const key of open.keys()) found.delete(key)
      // Behind all others.
      this.#ofThreads.delete(folder)
      this.#ofThreads.set(folder, found)
      if (left <= 0) return
    }
  }
}

/** What is in its tables, without what can be shared. */
async function ownOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return (readSize(status, 'VmRSS') - readSize(status, 'RssShmem')) * 1_024
}

export function readSize(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
}

/** How the system calls files that are in memory alone. */
const IN_MEMORY = String.raw`\/(?:memfd:|dev\/zero \(deleted\)|dev\/shm\/|SYSV)`
const TARGET = new RegExp(`^${IN_MEMORY}`)
const MAPPING = new RegExp(
  String.raw`^([\da-f]+)-([\da-f]+) \S+ ([\da-f]+) ([\da-f]+):([\da-f]+) (\d+) +${IN_MEMORY}`,
  'gm',
)

/** Notes how far each is mapped: what of it was touched is not told. Returns what is counted besides. */
async function noteMapped(pid: number, files: Files): Promise<number> {
  const text = await readStart(`/proc/${pid}/maps`, MAX_MAPS)
  for (const [, from = '', to = '', offset = '', major = '', minor = '', inode = ''] of text.matchAll(MAPPING)) {
    const end = Number.parseInt(offset, 16) + Number.parseInt(to, 16) - Number.parseInt(from, 16)
    const key = keyOf(Number.parseInt(major, 16), Number.parseInt(minor, 16), inode)
    files.set(key, Math.max(files.get(key) ?? 0, end))
  }
  if (text.length < MAX_MAPS) return 0
  // More mappings than can be looked through hide what they are of.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return readSize(status, 'VmSize') * 1_024
}

/** Returns how many there are, of which it looks at no more than `max`. */
async function noteOpen(folder: string, files: Files, max: number): Promise<number> {
  const descriptors = await readdir(folder).catch(() => [])
  for (const descriptor of descriptors.slice(0, max)) {
    const path = `${folder}/${descriptor}`
    const target = await readlink(path).catch(() => '')
    if (!TARGET.test(target)) continue
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    if (found === undefined) continue
    const { dev, ino, blocks } = found
    const major = Number((dev >> 8n) & 0xfffn)
    const minor = Number((dev & 0xffn) | ((dev >> 12n) & 0xfff00n))
    files.set(keyOf(major, minor, String(ino)), Number(blocks) * 512)
  }
  return descriptors.length
}

function keyOf(major: number, minor: number, inode: string): string {
  return `${major}:${minor}:${inode}`
}

async function childrenOf(thread: string): Promise<number[]> {
  const list = await readFile(`${thread}/children`, 'utf8').catch(() => '')
  return list.split(' ').flatMap((text) => (text === '' ? [] : [Number(text)]))
}

async function readStart(path: string, maxBytes: number): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return ''
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The system gives a page at a time here, whatever is asked for.
    for (let more = true; more && size < maxBytes; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536), 0, 65_536)
      chunks.push(buffer.subarray(0, bytesRead))
      size += bytesRead
      more = bytesRead > 0
    }
    return Buffer.concat(chunks).toString('latin1')
  } catch {
    return ''
  } finally {
    await file.close()
  }
}
