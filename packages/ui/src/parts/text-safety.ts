/**
 * What of a server's words and data may become more than text on the page: links, pictures and sounds of known kinds,
 * checked by what they hold and not by what they claim. Everything else is shown as characters.
 */

import { toVisible } from '../app/text/text.ts'

interface SafeLink {
  readonly href: string
  /** Shown beside the words, which may say anything. */
  readonly host: string
}

/** Web and mail addresses alone; no user names in them, which make a host look like another. */
export function toSafeLink(address: string): SafeLink | undefined {
  const text = address.trim()
  if (toVisible(text) !== text || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol === 'mailto:') return { href: url.href, host: toVisible(decode(url.pathname)) }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (url.username !== '' || url.password !== '') return undefined
  return { href: url.href, host: url.host }
}

/** A `data:` address for a picture, or undefined where it is not one of the kinds that hold pictures alone. */
export function toImageSource(mimeType: string, data: string): string | undefined {
  const kind = IMAGES.find(({ opening }) => data.startsWith(opening))
  if (kind === undefined || kind.type !== toType(mimeType) || !isBase64(data)) return undefined
  return `data:${kind.type};base64,${data}`
}

export function toAudioSource(mimeType: string, data: string): string | undefined {
  const type = toType(mimeType)
  return SOUNDS.has(type) && isBase64(data) ? `data:${type};base64,${data}` : undefined
}

export function toVideoSource(mimeType: string, data: string): string | undefined {
  const type = toType(mimeType)
  return VIDEOS.has(type) && isBase64(data) ? `data:${type};base64,${data}` : undefined
}

/** How many bytes base64 stands for. */
export function toByteCount(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}

/** The beginning of a long text; characters are never cut in half. */
export function cutText(text: string, most: number): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= most) return { text, isCut: false }
  const isHalf = /[\ud800-\udbff]/.test(text[most - 1] ?? '')
  return { text: text.slice(0, isHalf ? most - 1 : most), isCut: true }
}

/** Their first bytes, in base64. Drawings (SVG) are documents with scripts, so they are not here. */
const IMAGES = [
  { type: 'image/png', opening: 'iVBORw0KGgo' },
  { type: 'image/jpeg', opening: '/9j/' },
  { type: 'image/gif', opening: 'R0lGOD' },
  { type: 'image/webp', opening: 'UklGR' },
] as const

const SOUNDS = new Set([
  'audio/wav',
  'audio/x-wav',
  'audio/wave',
  'audio/mpeg',
  'audio/mp3',
  'audio/ogg',
  'audio/webm',
  'audio/mp4',
  'audio/aac',
  'audio/flac',
])

const VIDEOS = new Set(['video/mp4', 'video/webm', 'video/ogg'])

const MAX_MEDIA = 40_000_000

function isBase64(data: string): boolean {
  return data.length <= MAX_MEDIA && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
}

function toType(mimeType: string): string {
  return (mimeType.split(';')[0] ?? '').trim().toLowerCase()
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
