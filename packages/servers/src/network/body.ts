/**
 * Reads the body of an answer into memory, unpacked and bounded: bytes are counted after decompression, so that a small
 * answer cannot become a large one. Used by `guarded-fetch.ts`; sitemaps unpack theirs here too.
 */

import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, gunzip } from 'node:zlib'
import { ToolError } from '@portico/sdk/server'

interface BodyLimit {
  readonly maxBytes: number
  /** What the operator calls this limit. */
  readonly option: string
}

interface ReadLimit extends BodyLimit {
  /** Keeps the end of a body that is longer, in place of refusing it. */
  readonly keepEnd?: boolean
}

interface Body {
  readonly body: Uint8Array
  /** Whether the beginning was left out. */
  readonly cut: boolean
}

/** To keep the end, so many times the limit passes by before it is given up. */
const MAX_PASSING = 64

export async function readBody(answer: IncomingMessage, method: string, limit: ReadLimit): Promise<Body> {
  const { maxBytes, keepEnd = false } = limit
  const most = keepEnd ? maxBytes * MAX_PASSING : maxBytes
  // The length that HEAD is told is that of a body it does not get.
  if (method === 'HEAD') {
    answer.resume()
    return { body: new Uint8Array(), cut: false }
  }
  const declared = Number(answer.headers['content-length'] ?? 0)
  if (declared > most) {
    answer.destroy()
    throw tooLarge(limit)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  let passed = 0
  for await (const chunk of unpacked(answer)) {
    // Byte streams without an encoding yield buffers only.
    const bytes = chunk as Uint8Array
    size += bytes.length
    passed += bytes.length
    if (passed > most) {
      answer.destroy()
      throw tooLarge(limit)
    }
    chunks.push(bytes)
    while (size - (chunks[0]?.length ?? 0) >= maxBytes) size -= chunks.shift()?.length ?? 0
  }
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return { body: body.subarray(Math.max(0, size - maxBytes)), cut: passed > maxBytes }
}

/** Unpacks a file that is itself compressed, as sitemaps often are. */
export function unpackGzip(bytes: Uint8Array, limit: BodyLimit): Promise<Uint8Array> {
  return new Promise((done, failed) => {
    gunzip(bytes, { maxOutputLength: limit.maxBytes }, (error, unpackedBytes) => {
      if (error === null) done(unpackedBytes)
      else if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') failed(tooLarge(limit))
      else failed(new ToolError('The compressed file is damaged.'))
    })
  })
}

function unpacked(answer: IncomingMessage): AsyncIterable<unknown> {
  const codings = (answer.headers['content-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0) return answer
  const coding = codings[0]
  if (codings.length > 1 || !isCoding(coding)) {
    answer.destroy()
    throw new ToolError('The answer is compressed in a way that is not read here.')
  }
  const unpacker = UNPACKERS[coding]()
  // Errors of either stream end the other and come out of the iteration.
  pipeline(answer, unpacker, () => {})
  return unpacker
}

/** Lenient about a missing end, as browsers are: what came is what there is. */
const UNPACKERS = {
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
}

function isCoding(coding: string | undefined): coding is keyof typeof UNPACKERS {
  return coding !== undefined && Object.hasOwn(UNPACKERS, coding)
}

function tooLarge({ maxBytes, option }: BodyLimit): ToolError {
  return new ToolError(`The answer has more than ${maxBytes} bytes (option ${option}). Ask for less of it.`)
}
