/** Reads part of an open file: by lines for text, by bytes for anything, never more than allowed and never all at once. */

import { read as readDescriptor } from 'node:fs'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import type { OpenFile } from './anchor.ts'

const CHUNK = 64 * 1024
const LARGE_CHUNK = 1024 * 1024
/** As `to`: however many lines there are. */
export const LAST_LINE = Number.MAX_SAFE_INTEGER
/** As much of a file is looked through for the first line wanted. */
const MAX_SCAN = 256 * 1024 * 1024

export interface LinesRead {
  readonly text: string
  /** The last line that is in the text, counted from 1. */
  readonly lastLine: number
  /** Where to go on, when the text ends before the file or the range does. */
  readonly nextLine: number | undefined
  /** The same by bytes, when a single line was longer than allowed and is not whole. */
  readonly nextOffset: number | undefined
  /** Known when the end of the file was seen. */
  readonly totalLines: number | undefined
}

interface LineRange {
  /** Counted from 1. */
  readonly from: number
  /** This line included. */
  readonly to: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** Undefined when the file is not text in UTF-8. */
export async function readLines(file: OpenFile, range: LineRange): Promise<LinesRead | undefined> {
  const { from, maxBytes } = range
  const start = await findLine(file, range)
  if (start === undefined) return undefined
  // Whoever asks for a line after the last gets nothing, and hears how many there are.
  const body = start.line < from ? Buffer.alloc(0) : await readBody(file, start.position, range)
  if (body === undefined) return undefined
  const isWhole = body.length <= maxBytes
  const shown = isWhole ? body : body.subarray(0, lastBreak(body, maxBytes))
  const text = decodeText(shown)
  if (text === undefined) return undefined
  const lastLine = from - 1 + countLines(text)
  const hasMore = !isWhole || start.position + body.length < file.size
  const isCut = !isWhole && !text.endsWith('\n')
  return {
    text,
    lastLine,
    nextLine: hasMore && !isCut ? lastLine + 1 : undefined,
    nextOffset: isCut ? start.position + shown.length : undefined,
    totalLines: hasMore ? undefined : start.line < from ? start.line : lastLine,
  }
}

interface LineStart {
  readonly position: number
  /** Which line begins there; when the file has fewer than were asked for, its last. */
  readonly line: number
}

/** Where a line begins; undefined when the file begins with what is no text. */
async function findLine(file: OpenFile, { from, signal }: LineRange): Promise<LineStart | undefined> {
  let line = 1
  let position = 0
  let isOpen = false
  while (line < from && position < Math.min(file.size, MAX_SCAN)) {
    signal?.throwIfAborted()
    const chunk = await readChunk(file, position, Math.min(CHUNK, file.size - position))
    if (chunk.length === 0) break
    if (position === 0 && chunk.includes(0)) return undefined
    let at = 0
    while (at < chunk.length && line < from) {
      const newline = chunk.indexOf(10, at)
      isOpen = newline === -1
      at = isOpen ? chunk.length : newline + 1
      if (!isOpen) line++
    }
    position += at
  }
  // A line begins after each newline, but none where the file ends there.
  const isPastEnd = from > 1 && position >= file.size
  return { position, line: isPastEnd && !isOpen ? line - 1 : line }
}

/** The bytes from a line on: as many lines as wanted, and one more than `maxBytes` at most. Undefined as for `findLine`. */
async function readBody(file: OpenFile, start: number, range: LineRange): Promise<Buffer | undefined> {
  const { from, to, maxBytes, signal } = range
  const end = Math.min(file.size, start + maxBytes + 1)
  const parts: Buffer[] = []
  let missing = to - from + 1
  for (let position = start; position < end && missing > 0; ) {
    signal?.throwIfAborted()
    // A few lines are looked for in small pieces; the whole of a file is read in large ones.
    const chunk = await readChunk(file, position, Math.min(to < LAST_LINE ? CHUNK : LARGE_CHUNK, end - position))
    if (chunk.length === 0) break
    if (position === 0 && chunk.subarray(0, CHUNK).includes(0)) return undefined
    let length = chunk.length
    if (to < LAST_LINE) {
      length = 0
      while (length < chunk.length && missing > 0) {
        const newline = chunk.indexOf(10, length)
        length = newline === -1 ? chunk.length : newline + 1
        if (newline !== -1) missing--
      }
    }
    parts.push(chunk.subarray(0, length))
    position += length
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

/** The last lines of a file, as many as fit; undefined when they are not text in UTF-8. */
export async function readLastLines(
  file: OpenFile,
  count: number,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean } | undefined> {
  const start = Math.max(0, file.size - maxBytes)
  const bytes = await readBytes(file, start, maxBytes)
  let at = bytes.length - (bytes.at(-1) === 10 ? 1 : 0)
  for (let missing = count; missing > 0 && at > 0; missing--) {
    const newline = bytes.lastIndexOf(10, at - 1)
    // A line that began before what was read is not whole, and not shown.
    if (newline === -1) at = start === 0 ? 0 : bytes.indexOf(10) + 1
    else if (missing === 1) return toLast(bytes.subarray(newline + 1), false)
    else at = newline
    if (newline === -1) break
  }
  return toLast(bytes.subarray(at), start === 0 && at === 0)
}

function toLast(bytes: Buffer, isWhole: boolean) {
  const text = decodeText(bytes)
  return text === undefined ? undefined : { text, isWhole }
}

export const ENCODINGS = ['utf-16le', 'utf-16be', 'latin1', 'windows-1251', 'shift_jis', 'gb18030'] as const

/** Text in another encoding; undefined when the bytes are not that. A character that is cut off at the end is left out. */
export function decodeAs(bytes: Uint8Array, encoding: (typeof ENCODINGS)[number]): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

/** What the first bytes of a file say of its encoding. */
export function markedEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

/** A piece of a file by its bytes. */
export async function readBytes(file: OpenFile, offset: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = []
  const end = Math.min(offset + length, file.size)
  for (let position = offset; position < end; ) {
    const chunk = await readChunk(file, position, Math.min(LARGE_CHUNK, end - position))
    if (chunk.length === 0) break
    parts.push(chunk)
    position += chunk.length
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text when the bytes are UTF-8 without NUL; otherwise undefined. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const MIME_TYPES: { readonly [extension: string]: string } = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mjs': 'text/javascript',
  '.mp3': 'audio/mpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

export function mimeTypeOf(path: string, isText: boolean): string {
  const extension = extname(path).toLowerCase()
  const known = Object.hasOwn(MIME_TYPES, extension) ? MIME_TYPES[extension] : undefined
  return known ?? (isText ? 'text/plain' : 'application/octet-stream')
}

const read = promisify(readDescriptor)

async function readChunk({ descriptor }: OpenFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await read(descriptor, buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** Ends with a whole line where there is one, with a whole character otherwise. */
function lastBreak(body: Buffer, maxBytes: number): number {
  const newline = body.lastIndexOf(10, maxBytes - 1)
  return newline === -1 ? wholeCharacters(body, maxBytes) : newline + 1
}

/** How many of the first `length` bytes end with a whole character; the byte after them tells. */
export function wholeCharacters(bytes: Uint8Array, length: number): number {
  let end = length
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return end
}

function countLines(text: string): number {
  if (text === '') return 0
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return text.endsWith('\n') ? count : count + 1
}
