/** The tools that read: files, several files, what is known of an entry. */

import { lstat, readlink, stat } from 'node:fs/promises'
import { type ContentBlock, result, ToolError, text, tool } from '@portico/sdk/server'
import { spellHidden } from '../../text/plain-text.ts'
import { toWords } from '../../text/words.ts'
import { type OpenFile, toPathError, withFile } from '../anchor.ts'
import { type Reached, requireExisting, type Scope } from '../confine.ts'
import { type FilesHost, toFileUri } from '../host.ts'
import {
  decodeAs,
  decodeText,
  ENCODINGS,
  LAST_LINE,
  type LinesRead,
  markedEncoding,
  mimeTypeOf,
  readBytes,
  readLastLines,
  readLines,
  wholeCharacters,
} from '../read.ts'
import { kindOf } from '../walk.ts'
import { KIND, PATH, READS } from './tool-schemas.ts'

const FILE_OUTPUT = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where the file really is' },
    uri: { type: 'string', description: 'The resource of this file' },
    size: { type: 'integer', description: 'Bytes of the whole file' },
    mimeType: { type: 'string', description: 'By its name and contents' },
    text: { type: 'string', description: 'The text; absent when the file is binary' },
    firstLine: { type: 'integer', description: 'The first line in text' },
    lastLine: { type: 'integer', description: 'The last line in text' },
    totalLines: { type: 'integer', description: 'Lines of the whole file, when its end was seen' },
    nextLine: { type: 'integer', description: 'There is more: read on with firstLine set to this' },
    nextOffset: { type: 'integer', description: 'There is more: read on with offset set to this' },
    encoding: { type: 'string', description: 'What the text was in, where that is not UTF-8' },
    notice: { type: 'string', description: 'What was left out and why' },
  },
  required: ['path', 'uri', 'size', 'mimeType'],
  additionalProperties: false,
} as const

interface FileRead {
  path: string
  uri: string
  size: number
  mimeType: string
  text?: string
  firstLine?: number
  lastLine?: number
  totalLines?: number
  nextLine?: number
  nextOffset?: number
  encoding?: string
  notice?: string
}

interface FileRange {
  readonly firstLine?: number
  readonly lastLine?: number
  readonly offset?: number
  readonly length?: number
  readonly lastLines?: number
  readonly encoding?: (typeof ENCODINGS)[number]
}

export function createReadTools(host: FilesHost) {
  return {
    read_file: createReadFile(host),
    read_many: createReadMany(host),
    file_info: createFileInfo(host),
  }
}

function createReadFile(host: FilesHost) {
  return tool(
    {
      title: 'Read a file',
      description:
        'Reads a file: text by lines (firstLine, lastLine), anything by bytes (offset, length). Binary files come as blobs.',
      input: {
        type: 'object',
        properties: {
          path: PATH,
          firstLine: { type: 'integer', minimum: 1, description: 'Where to begin, counted from 1' },
          lastLine: { type: 'integer', minimum: 1, description: 'Where to end, this line included' },
          offset: { type: 'integer', minimum: 0, description: 'Read bytes from here instead of lines' },
          length: { type: 'integer', minimum: 1, description: 'How many bytes; with offset' },
          lastLines: { type: 'integer', minimum: 1, description: 'So many lines from the end instead' },
          encoding: { enum: ENCODINGS, description: 'Of text that is not UTF-8' },
        },
        required: ['path'],
        additionalProperties: false,
      },
      output: FILE_OUTPUT,
      ...READS,
    },
    async ({ path, ...range }, ctx) => {
      const reached = await host.existing(path, ctx)
      const { read, blob } = await readReached(host, reached, range, ctx.signal)
      const note = describeRest(read)
      return result({
        content: [blob ?? text(read.text ?? ''), ...(note === '' ? [] : [text(note)])],
        structuredContent: read,
      })
    },
  )
}

/** What a reader of the text alone could not know. */
function describeRest({
  notice,
  firstLine,
  lastLine,
  nextLine,
  nextOffset,
  totalLines,
  text: words,
}: FileRead): string {
  const hasRest = nextLine !== undefined || nextOffset !== undefined
  if (firstLine !== undefined && firstLine > 1 && lastLine !== undefined && lastLine < firstLine) {
    return `There is no line ${firstLine}: the file has ${totalLines} ${totalLines === 1 ? 'line' : 'lines'}.`
  }
  const isAll =
    firstLine === undefined || (firstLine === 1 && !hasRest) || (nextOffset !== undefined && firstLine === lastLine)
  const range = isAll ? '' : `Lines ${firstLine} to ${lastLine}`
  const total = totalLines === undefined || range === '' ? '' : ` of ${totalLines}`
  const next =
    nextLine === undefined ? (nextOffset === undefined ? '' : `offset ${nextOffset}`) : `firstLine ${nextLine}`
  const empty = words === '' && range === '' ? 'The file is empty.' : ''
  const parts = [notice, range && `${range}${total}.`, next && `There is more: go on with ${next}.`, empty]
  return parts.filter((part) => part !== undefined && part !== '').join(' ')
}

/** Reads as much as is allowed; what is binary comes as a block beside the description. */
export function readReached(
  host: FilesHost,
  reached: Reached,
  range: FileRange,
  signal?: AbortSignal,
): Promise<{ read: FileRead; blob?: ContentBlock }> {
  const { maxReadBytes } = host.settings
  return withFile(reached.path, async (file) => {
    const { size } = file
    const about = { path: reached.path, uri: toFileUri(reached.path), size }
    if (range.lastLines !== undefined) {
      const last = await readLastLines(file, range.lastLines, maxReadBytes)
      if (last === undefined) throw new ToolError(`${reached.path} is not text in UTF-8: read it by offset and length`)
      const notice = last.isWhole ? {} : { notice: 'There is more before this.' }
      return { read: { ...about, mimeType: mimeTypeOf(reached.path, true), text: last.text, ...notice } }
    }
    if (range.offset === undefined && range.encoding === undefined) {
      const from = range.firstLine ?? 1
      const to = range.lastLine ?? LAST_LINE
      if (to < from) throw new ToolError('lastLine is before firstLine')
      const lines = await readLines(file, { from, to, maxBytes: maxReadBytes, ...(signal && { signal }) })
      if (lines !== undefined) return { read: { ...about, ...describeLines(lines, from, maxReadBytes, reached.path) } }
      const isMarked = markedEncoding(await readBytes(file, 0, 2)) !== undefined
      if (size > maxReadBytes && !isMarked) {
        throw new ToolError(
          `${reached.path} is binary and has ${size} bytes; "maxReadBytes" allows ${maxReadBytes}. Read a part: offset and length`,
        )
      }
    }
    const offset = range.offset ?? 0
    const bytes = await readPart(file, offset, Math.min(range.length ?? maxReadBytes, maxReadBytes))
    const end = offset + bytes.length
    const more = end < size ? { nextOffset: end } : {}
    const encoding = range.encoding ?? (offset === 0 ? markedEncoding(bytes) : undefined)
    const plain = encoding === undefined ? decodeText(bytes) : decodeAs(bytes, encoding)
    const mimeType = mimeTypeOf(reached.path, plain !== undefined)
    if (plain !== undefined)
      return { read: { ...about, mimeType, text: plain, ...(encoding && { encoding }), ...more } }
    if (range.encoding !== undefined) throw new ToolError(`${reached.path} is not text in ${range.encoding}`)
    return { read: { ...about, mimeType, ...more }, blob: toBlock(about.uri, mimeType, bytes, size === bytes.length) }
  })
}

/** Bytes from an offset on; text that goes on after them ends with a whole character, so that it is still text. */
async function readPart(file: OpenFile, offset: number, length: number): Promise<Buffer> {
  const read = await readBytes(file, offset, length + 1)
  if (read.length <= length) return read
  const whole = read.subarray(0, wholeCharacters(read, length))
  return whole.length > 0 && decodeText(whole) !== undefined ? whole : read.subarray(0, length)
}

function describeLines(
  lines: LinesRead,
  firstLine: number,
  maxReadBytes: number,
  path: string,
): Omit<FileRead, 'path' | 'uri' | 'size'> {
  const { text: plain, lastLine, nextLine, nextOffset, totalLines } = lines
  const notice =
    `Line ${lastLine} is longer than the option "maxReadBytes" (${maxReadBytes}) allows: this is its beginning. ` +
    `The line after it, if any, is firstLine ${lastLine + 1}.`
  return {
    mimeType: mimeTypeOf(path, true),
    text: plain,
    firstLine,
    lastLine,
    ...(totalLines !== undefined && { totalLines }),
    ...(nextLine !== undefined && { nextLine }),
    ...(nextOffset !== undefined && { nextOffset, notice }),
  }
}

/** Whole images as images, so that models see them; anything else as bytes of the resource. */
function toBlock(uri: string, mimeType: string, bytes: Buffer, isWhole: boolean): ContentBlock {
  const data = bytes.toString('base64')
  if (isWhole && mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  return { type: 'resource', resource: { uri, mimeType, blob: data } }
}

const READ_MANY_OUTPUT = {
  type: 'object',
  properties: {
    files: { type: 'array', items: FILE_OUTPUT, description: 'What could be read' },
    failed: {
      type: 'array',
      description: 'What could not',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'As it was asked for' },
          reason: { type: 'string', description: 'Why not' },
        },
        required: ['path', 'reason'],
        additionalProperties: false,
      },
    },
  },
  required: ['files', 'failed'],
  additionalProperties: false,
} as const

function createReadMany(host: FilesHost) {
  return tool(
    {
      title: 'Read several files',
      description:
        'Reads up to 50 text files at once. What cannot be read is named with the reason; the rest still comes.',
      input: {
        type: 'object',
        properties: { paths: { type: 'array', items: PATH, minItems: 1, maxItems: 50, description: 'The files' } },
        required: ['paths'],
        additionalProperties: false,
      },
      output: READ_MANY_OUTPUT,
      ...READS,
    },
    async ({ paths }, ctx) => {
      const scope = await host.scope(ctx)
      const files: FileRead[] = []
      const failed: { path: string; reason: string }[] = []
      let room = host.settings.maxReadBytes
      const reading: Promise<TextRead>[] = []
      for (const [index, path] of paths.entries()) {
        ctx.signal.throwIfAborted()
        for (const next of room > 0 ? paths.slice(reading.length, index + AT_ONCE) : []) {
          const read = readText(host, next, scope, ctx.signal)
          // One that fails before its turn is heard of then.
          read.catch(() => {})
          reading.push(read)
        }
        const read = (await reading[index]) ?? { reason: USED_UP }
        if ('reason' in read) failed.push({ path, reason: read.reason })
        else if (read.text.length > room) failed.push({ path, reason: USED_UP })
        else {
          room -= read.text.length
          files.push(read)
        }
        ctx.progress(index + 1, paths.length)
      }
      return result({ content: toBlocks(files, failed), structuredContent: { files, failed } })
    },
  )
}

/** Each file as it is, under its path. */
function toBlocks(files: readonly FileRead[], failed: readonly object[]): ContentBlock[] {
  const blocks = files.map((read) => {
    const note = describeRest(read)
    return `${spellHidden(read.path).replaceAll('\n', '\\n')}${note === '' ? '' : ` (${note})`}:\n${read.text}`
  })
  if (failed.length > 0) blocks.push(toWords({ 'Not read': failed }))
  return blocks.map(text)
}

/** Enough to keep the disk busy; each may hold as much as one read may return. */
const AT_ONCE = 32
const USED_UP = 'The files before it used up the option "maxReadBytes": read it by itself'

type TextRead = (FileRead & { readonly text: string }) | { readonly reason: string }

/** A text file, or why it cannot be had. */
async function readText(host: FilesHost, path: string, scope: Scope, signal: AbortSignal): Promise<TextRead> {
  try {
    const reached = requireExisting(await host.confinement.reach(path, scope), path)
    const { read } = await readReached(host, reached, {}, signal)
    return read.text === undefined ? { reason: 'It is binary: use read_file' } : { ...read, text: read.text }
  } catch (error) {
    if (error instanceof ToolError) return { reason: error.message }
    throw error
  }
}

function createFileInfo(host: FilesHost) {
  return tool(
    {
      title: 'Describe a file',
      description: 'Says what is known of a file, directory or link: kind, size, times, mode, where a link leads.',
      input: { type: 'object', properties: { path: PATH }, required: ['path'], additionalProperties: false },
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where it really is' },
          kind: KIND,
          size: { type: 'integer', description: 'Bytes' },
          modified: { type: 'string', description: 'When its contents last changed' },
          created: { type: 'string', description: 'When it was made, as far as the disk knows' },
          mode: { type: 'string', description: 'Permissions, as in 644' },
          hardLinks: { type: 'integer', description: 'Names of this file; above 1, another may lie elsewhere' },
          linkTarget: { type: 'string', description: 'Where a link leads, as it is written' },
        },
        required: ['path', 'kind', 'size', 'modified', 'created', 'mode', 'hardLinks'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ path }, ctx) => {
      const scope = await host.scope(ctx)
      // A link inside is described even when it leads outside; following it is another matter.
      const reached = await host.confinement.reachEntry(path, scope).catch(() => host.confinement.reach(path, scope))
      requireExisting(reached, path)
      try {
        const own = await lstat(reached.path)
        const stats = own.isSymbolicLink() ? own : await stat(reached.path)
        return {
          path: reached.path,
          kind: kindOf(stats),
          size: stats.size,
          modified: stats.mtime.toISOString(),
          created: stats.birthtime.toISOString(),
          mode: (stats.mode & 0o777).toString(8),
          hardLinks: stats.nlink,
          ...(own.isSymbolicLink() && { linkTarget: await readlink(reached.path) }),
        }
      } catch (error) {
        throw toPathError(error, reached.path)
      }
    },
  )
}
