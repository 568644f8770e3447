/** Reads part of an open file: by lines for text, by bytes for anything, never more than allowed and never all at once. */

import type { FileHandle } from 'node:fs/promises'
import { extname } from 'node:path'

const CHUNK = 64 * 1024
/** As much of a file is looked through for the first line wanted. */
const MAX_SCAN = 256 * 1024 * 1024

export interface LinesRead {
  readonly text: string
  /** The last line that is in the text, counted from 1. */
  readonly lastLine: number
  /** Where to go on, when the text ends before the file or the range does. */
  readonly nextLine: number | undefined
  /** Known when the end of the file was seen. */
  readonly totalLines: number | undefined
  /** A single line was longer than allowed and is not whole. */
  readonly cutLine: boolean
}

/** Undefined when the file is not text in UTF-8. */
export async function readLines(
  handle: FileHandle,
  range: { readonly from: number; readonly to: number; readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<LinesRead | undefined> {
  const { from, to, maxBytes, signal } = range
  const { size: fileSize } = await handle.stat()
  const kept: Buffer[] = []
  let size = 0
  let line = 1
  let position = 0
  let isOpen = false
  while (position < Math.min(fileSize, MAX_SCAN) && line <= to && size <= maxBytes) {
    signal?.throwIfAborted()
    const chunk = await readChunk(handle, position, CHUNK)
    if (chunk.length === 0) break
    if (position === 0 && chunk.includes(0)) return undefined
    let at = 0
    while (at < chunk.length && line <= to && size <= maxBytes) {
      const newline = chunk.indexOf(10, at)
      const end = newline === -1 ? chunk.length : newline + 1
      if (line >= from) {
        kept.push(chunk.subarray(at, end))
        size += end - at
      }
      isOpen = newline === -1
      if (!isOpen) line++
      at = end
    }
    position += at
  }
  const body = Buffer.concat(kept)
  const isWhole = size <= maxBytes
  const text = decodeText(isWhole ? body : body.subarray(0, lastBreak(body, maxBytes)))
  if (text === undefined) return undefined
  const lastLine = from - 1 + countLines(text)
  const hasMore = !isWhole || position < fileSize
  return {
    text,
    lastLine,
    nextLine: hasMore ? lastLine + 1 : undefined,
    totalLines: hasMore ? undefined : line - (isOpen ? 0 : 1),
    cutLine: !isWhole && !text.endsWith('\n'),
  }
}

/** A piece of a file by its bytes. */
export async function readBytes(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let read = 0
  while (read < length) {
    const chunk = await readChunk(handle, offset + read, Math.min(CHUNK, length - read))
    if (chunk.length === 0) break
    parts.push(chunk)
    read += chunk.length
  }
  return Buffer.concat(parts)
}

/** Text when the bytes are UTF-8 without NUL; otherwise undefined. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
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

async function readChunk(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** Ends with a whole line where there is one, with a whole character otherwise. */
function lastBreak(body: Buffer, maxBytes: number): number {
  const newline = body.lastIndexOf(10, maxBytes - 1)
  if (newline !== -1) return newline + 1
  let end = maxBytes
  while (end > 0 && (body[end]! & 0xc0) === 0x80) end--
  return end
}

function countLines(text: string): number {
  if (text === '') return 0
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return text.endsWith('\n') ? count : count + 1
}
