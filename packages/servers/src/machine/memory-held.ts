/**
 * What a process and all that it started take of the machine's memory, as Linux tells it. Memory that can be shared belongs to no
 * one process and need not be in anybody's tables: a file that exists in memory alone (memfd, a shared mapping) is counted once,
 * whether it is mapped, held open or both.
 */

import { open, readdir, readFile, readlink, stat } from 'node:fs/promises'

const MAX_PROCESSES = 1_000
/** Descriptors that are looked at in one look: each takes a call of the system. */
const MAX_FILES = 20_000
/** Text about the mappings of one process: some twenty thousand of them. */
const MAX_MAPS = 2_097_152

/** Bytes of files in memory, by device and number. */
type Files = Map<string, number>

/** Zero where nothing is told. */
export async function heldBy(pid: number): Promise<number> {
  const waiting = [pid]
  const files: Files = new Map()
  const seen = { descriptors: 0 }
  let own = 0
  for (let at = 0; at < waiting.length && at < MAX_PROCESSES; at++) {
    const one = waiting[at] ?? 0
    own += await ownOf(one)
    own += await noteMapped(one, files)
    const threads = await readdir(`/proc/${one}/task`).catch(() => [])
    for (const thread of threads) {
      const place = `/proc/${one}/task/${thread}`
      // A thread can have descriptors of its own.
      await noteOpen(`${place}/fd`, files, seen)
      waiting.push(...(await childrenOf(place)))
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, own)
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

async function noteOpen(folder: string, files: Files, seen: { descriptors: number }): Promise<void> {
  for (const descriptor of await readdir(folder).catch(() => [])) {
    if (++seen.descriptors > MAX_FILES) return
    const path = `${folder}/${descriptor}`
    const target = await readlink(path).catch(() => '')
    if (!TARGET.test(target)) continue
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    if (found === undefined) continue
    const { dev, ino, blocks } = found
    const major = Number((dev >> 8n) & 0xfffn)
    const minor = Number((dev & 0xffn) | ((dev >> 12n) & 0xfff00n))
    // This is what it really takes: better than how far it is mapped.
    files.set(keyOf(major, minor, String(ino)), Number(blocks) * 512)
  }
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
