/** Addresses in a server's words about itself and its items, which others open or fetch because of them. */

import { zoneOfHost } from '@portico/sdk/auth-node'
import { isObject } from '@portico/sdk/internal'

/** Those of a server's icons that may be shown; what is no list has none. */
export function safeIcons(icons: unknown): unknown[] {
  return Array.isArray(icons) ? icons.filter(isIcon) : []
}

/** Pictures are fetched by whoever shows them: from the web at large, or they bring their own bytes. None is a document. */
function isIcon(icon: unknown): boolean {
  if (!isObject(icon) || typeof icon.src !== 'string') return false
  if (icon.mimeType !== undefined && !PICTURE_TYPE.test(String(icon.mimeType))) return false
  if (PICTURE.test(icon.src)) return true
  const url = withoutUser(icon.src)
  return url?.protocol === 'https:' && (zoneOfHost(url.hostname) ?? 'public') === 'public'
}

/** A page of the web that somebody may be sent to. */
export function isWebsite(websiteUrl: unknown): boolean {
  const url = typeof websiteUrl === 'string' ? withoutUser(websiteUrl) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:'
}

/** An address in its plain spelling. A name before the host is there to be taken for the host. */
function withoutUser(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

const PICTURE_TYPE = /^image\/(?:png|jpeg|jpg|webp|gif)$/i
const PICTURE = /^data:image\/(?:png|jpeg|webp|gif);base64,[\d+/=a-z]*$/i
