/** Files either way: which kinds and sizes pass, what a model gets of those that came in, and what goes out of a tool's result. */

import type { CallToolResult, ContentBlock } from '@portico/sdk/client'
import type { ChatFile, ChatUpload } from './adapter.ts'

const PICTURES: { readonly [type: string]: readonly number[] } = {
  'image/png': [0x89, 0x50, 0x4e, 0x47],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38],
  'image/webp': [0x52, 0x49, 0x46, 0x46],
}
const PDF = [0x25, 0x50, 0x44, 0x46]
/** What a chat shows or saves and does not run; a page or a picture that holds a script is neither. */
const TEXTS = new Set(['text/plain', 'text/csv', 'text/markdown', 'text/tab-separated-values', 'application/json'])
const MORE_TEXTS_IN = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|x-yaml|x-ndjson|toml))$/

const ENDINGS: { readonly [type: string]: string } = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'text/plain': 'txt',
}

/** Why a file that came with a message is not taken; undefined where it may be fetched. */
export function whyNotTaken({ mimeType, bytes }: ChatFile, maxBytes: number): string | undefined {
  if (bytes > maxBytes) return `is larger than ${sizeOf(maxBytes)}`
  return typeOf(mimeType) in PICTURES || typeOf(mimeType) === 'application/pdf' || isTextIn(mimeType)
    ? undefined
    : 'is of a kind that is not taken'
}

/** What a model gets; undefined where the bytes are not what they claim to be. */
export function toContent({ id, name, mimeType }: ChatFile, bytes: Uint8Array): ContentBlock | undefined {
  const type = typeOf(mimeType)
  const uri = `chat-file:${encodeURIComponent(id)}/${encodeURIComponent(name)}`
  if (Object.hasOwn(PICTURES, type)) {
    return beginsWith(bytes, PICTURES[type]) ? { type: 'image', data: toBase64(bytes), mimeType: type } : undefined
  }
  if (type === 'application/pdf') {
    if (!beginsWith(bytes, PDF)) return undefined
    return { type: 'resource', resource: { uri, mimeType: type, blob: toBase64(bytes) } }
  }
  const text = toText(bytes)
  return text === undefined ? undefined : { type: 'resource', resource: { uri, mimeType: type, text } }
}

/** What of a tool's result is a file that a chat may show, each within the bound. */
export function filesOf(
  { content = [] }: Partial<CallToolResult>,
  tool: string,
  maxBytes: number,
): { readonly files: ChatUpload[]; readonly leftOut: number } {
  const files: ChatUpload[] = []
  let leftOut = 0
  for (const block of content) {
    const found = fileIn(block)
    if (found === undefined) continue
    const { data, mimeType, uri } = found
    const type = typeOf(mimeType)
    const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : data
    const isFit = bytes.length <= maxBytes && isWhatItClaims(type, bytes)
    if (isFit) files.push({ name: nameOf(uri ?? tool, type, files.length), mimeType: type, bytes })
    else leftOut++
  }
  return { files, leftOut }
}

interface Found {
  /** Base64, or the bytes of a text. */
  readonly data: string | Uint8Array
  readonly mimeType: string
  readonly uri?: string
}

/** Texts that stand in a result for the model stay there; what a server embeds as bytes is a file. */
function fileIn(block: ContentBlock): Found | undefined {
  if (block.type === 'image') return { data: block.data, mimeType: block.mimeType }
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined
  const { blob, mimeType = '', uri } = block.resource
  return { data: blob, mimeType, uri }
}

function isWhatItClaims(type: string, bytes: Uint8Array): boolean {
  if (Object.hasOwn(PICTURES, type)) return beginsWith(bytes, PICTURES[type])
  if (type === 'application/pdf') return beginsWith(bytes, PDF)
  return TEXTS.has(type) && toText(bytes) !== undefined
}

/** A name that is a name and nothing else, with the ending of what it is. */
function nameOf(from: string, type: string, at: number): string {
  const last = from.split(/[/\\?#]/).findLast((part) => part !== '') ?? ''
  const plain = last
    .replace(/[^\w-]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, 60)
  return `${plain === '' ? 'file' : plain}${at === 0 ? '' : `-${at + 1}`}.${ENDINGS[type] ?? 'bin'}`
}

function typeOf(mimeType: string): string {
  return (mimeType.split(';')[0] ?? '').trim().toLowerCase()
}

function isTextIn(mimeType: string): boolean {
  return MORE_TEXTS_IN.test(typeOf(mimeType))
}

function beginsWith(bytes: Uint8Array, start: readonly number[] = []): boolean {
  return start.length > 0 && start.every((byte, at) => bytes[at] === byte)
}

function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function sizeOf(bytes: number): string {
  return bytes >= 1_000_000 ? `${Math.floor(bytes / 1_000_000)} MB` : `${Math.floor(bytes / 1000)} kB`
}
