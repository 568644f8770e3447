/**
 * The files of one log: `audit.jsonl` is written, `audit.jsonl.1`, `.2`, … are full, in the order of their numbers, and
 * `audit.jsonl.head` says where the chain ends. Read line by line, so that a log of any size passes through little memory.
 */

import { createReadStream } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

interface Segment {
  readonly path: string
  /** Infinity for the file that is being written. */
  readonly number: number
}

export function headPath(file: string): string {
  return `${file}.head`
}

/** Undefined where there is none; a log that was opened and never written has an empty one. */
export async function readHead(file: string): Promise<string | undefined> {
  const text = await readFile(headPath(file), 'utf8').catch(absent)
  return text === '' ? undefined : text
}

/** Oldest first; only files that are there. */
export async function listSegments(file: string): Promise<Segment[]> {
  const prefix = `${basename(file)}.`
  const names = (await readdir(dirname(file)).catch(absent)) ?? []
  const full = names.flatMap((name) => {
    const tail = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    return /^[1-9]\d{0,14}$/.test(tail) ? [{ path: join(dirname(file), name), number: Number(tail) }] : []
  })
  full.sort((a, b) => a.number - b.number)
  return names.includes(basename(file)) ? [...full, { path: file, number: Number.POSITIVE_INFINITY }] : full
}

/** What cannot be read for now is there all the same: a log that began anew for that would end its chain. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

export interface Line {
  /** Without its end. Empty where it is longer than a record may be. */
  readonly text: string
  readonly number: number
  /** The last line of a file whose writer was interrupted. */
  readonly torn: boolean
}

/** Longer than any record that is written. */
const MAX_LINE_BYTES = 1_048_576

export async function* readLines(path: string): AsyncGenerator<Line, void> {
  let parts: Buffer[] = []
  let size = 0
  let number = 0
  const take = (torn: boolean): Line => {
    const text = size > MAX_LINE_BYTES ? '' : Buffer.concat(parts).toString('utf8')
    parts = []
    size = 0
    return { text, number: ++number, torn }
  }
  for await (const chunk of createReadStream(path)) {
    // A stream without an encoding gives buffers.
    const bytes = chunk as Buffer
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      size += end - start
      parts.push(bytes.subarray(start, end))
      yield take(false)
      start = end + 1
    }
    size += bytes.length - start
    if (size <= MAX_LINE_BYTES) parts.push(bytes.subarray(start))
    else parts = []
  }
  if (size > 0) yield take(true)
}

interface Tail {
  /** The last whole lines of the file, oldest first. */
  readonly lines: readonly string[]
  /** What follows the last line end: the remains of a write that did not finish. */
  readonly torn: Buffer
  /** The size of the file without them. */
  readonly size: number
}

/** The end of a file, as far as an interrupted writer can have left it unfinished. */
export async function readTail(path: string, bytes: number): Promise<Tail> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size === 0) return { lines: [], torn: Buffer.alloc(0), size: 0 }
  const file = await open(path, 'r')
  try {
    const start = Math.max(0, size - bytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const read = buffer.subarray(0, bytesRead)
    const end = read.lastIndexOf(10) + 1
    const lines = read.subarray(0, end).toString('utf8').split('\n').slice(0, -1)
    // Where the file is longer than what was read, the first line has lost its beginning.
    return { lines: start > 0 ? lines.slice(1) : lines, torn: Buffer.from(read.subarray(end)), size: start + end }
  } finally {
    await file.close()
  }
}
