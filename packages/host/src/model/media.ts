/**
 * Pictures, sounds and documents by kind, and which of them a model takes: by what its provider's adapter can carry,
 * and by what the configuration says of the model itself.
 */

import type { ContentBlock } from '@portico/sdk/client'
import type { MediaKind } from './media-kinds.ts'
import type { ModelConfig, ProviderName } from './model-config.ts'

export interface Media {
  /** In base64. */
  readonly data: string
  readonly mediaType: string
}

interface Adapter {
  /** The media types that a request can carry, by kind. */
  readonly carries: { readonly [Kind in MediaKind]?: readonly string[] }
  /** Kinds that may stand in the result of a tool; others go into a message after it. */
  readonly inResults: readonly MediaKind[]
  /** What its models take unless the configuration says otherwise. */
  readonly usual: readonly MediaKind[]
  readonly maxImageBytes?: number
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const PDF = ['application/pdf']

const ADAPTERS: { readonly [Provider in ProviderName]: Adapter } = {
  anthropic: {
    carries: { image: PICTURES, pdf: PDF },
    inResults: ['image', 'pdf'],
    usual: ['image', 'pdf'],
    maxImageBytes: 3_750_000,
  },
  openai: { carries: { image: PICTURES, pdf: PDF }, inResults: ['image', 'pdf'], usual: ['image', 'pdf'] },
  google: {
    carries: {
      image: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
      audio: ['audio/wav', 'audio/mp3', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
      pdf: PDF,
    },
    inResults: ['image', 'pdf'],
    usual: ['image', 'audio', 'pdf'],
  },
  // Most models that run on one's own machine read text alone, and many refuse a whole conversation for one picture.
  'openai-compatible': {
    carries: { image: PICTURES, audio: ['audio/wav', 'audio/mp3', 'audio/mpeg'], pdf: PDF },
    inResults: [],
    usual: [],
  },
}

/** More than this in one piece fills a request at any provider. */
const MAX_MEDIA_BYTES = 10_000_000

/** Where a piece can go with a model's request; with `no`, why it cannot. */
type Place =
  | { readonly place: 'anywhere' | 'message' }
  | { readonly place: 'no'; readonly reason: string; readonly remedy?: string }

export function placeOf({ data, mediaType }: Media, { id, provider, accepts }: ModelConfig): Place {
  const { carries, inResults, usual, maxImageBytes = MAX_MEDIA_BYTES } = ADAPTERS[provider]
  const kind = kindOf(mediaType)
  if (kind === undefined) return { place: 'no', reason: `models take no ${mediaType}` }
  if (!(accepts ?? usual).includes(kind)) {
    const remedy = carries[kind] === undefined ? {} : { remedy: `Where it does, add "${kind}" to its \`accepts\`.` }
    return { place: 'no', reason: `the model "${id}" is not known to take ${WORDS[kind]}`, ...remedy }
  }
  if (!(carries[kind] ?? []).includes(mediaType)) return { place: 'no', reason: `"${provider}" takes no ${mediaType}` }
  const most = kind === 'image' ? maxImageBytes : MAX_MEDIA_BYTES
  if (bytesOf(data) > most) return { place: 'no', reason: `it is larger than ${most} bytes` }
  if (!isWhatItSays(data, mediaType)) return { place: 'no', reason: `it is no ${mediaType}` }
  return { place: inResults.includes(kind) ? 'anywhere' : 'message' }
}

/** The bytes that a block brings along; undefined where it is text. */
export function mediaOf(block: ContentBlock): Media | undefined {
  if (block.type === 'image' || block.type === 'audio') return { data: block.data, mediaType: plain(block.mimeType) }
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined
  const { blob, mimeType = 'application/octet-stream' } = block.resource
  return { data: blob, mediaType: plain(mimeType) }
}

/** Whether the bytes are text already. */
export function isTextType(mediaType: string): boolean {
  return /^text\/|^application\/(?:[a-z0-9.-]+\+)?(?:json|xml|yaml|toml|javascript)$/.test(mediaType)
}

export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}

const WORDS: { readonly [Kind in MediaKind]: string } = { image: 'pictures', audio: 'sounds', pdf: 'PDF documents' }

function kindOf(mediaType: string): MediaKind | undefined {
  if (mediaType === 'application/pdf') return 'pdf'
  return (['image', 'audio'] as const).find((kind) => mediaType.startsWith(`${kind}/`))
}

/** Without parameters, in small letters. */
function plain(mimeType: string): string {
  return mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** The first bytes of a kind, in base64. A provider refuses the whole conversation for one piece that lies. */
const BEGINNINGS: { readonly [mediaType: string]: RegExp } = {
  'image/png': /^iVBORw0KGg/,
  'image/jpeg': /^\/9j\//,
  'image/gif': /^R0lGOD/,
  'image/webp': /^UklGR/,
  'application/pdf': /^JVBERi/,
}

function isWhatItSays(data: string, mediaType: string): boolean {
  return data !== '' && (BEGINNINGS[mediaType]?.test(data) ?? true)
}
