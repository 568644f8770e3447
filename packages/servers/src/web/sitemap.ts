/**
 * Reads sitemaps: the addresses in `<loc>`, and nothing else of XML. There are no entities beyond the five, no document
 * types and no includes, so that nothing in the file can make it larger than it is.
 */

import { ToolError } from '@portico/sdk/server'
import { unpackGzip } from '../network/body.ts'
import { decodeEntities } from './html-text.ts'

interface Sitemap {
  readonly kind: 'pages' | 'index'
  readonly urls: readonly string[]
}

interface SitemapLimit {
  readonly maxBytes: number
  readonly option: string
}

export async function readSitemap(bytes: Uint8Array, base: URL, limit: SitemapLimit): Promise<Sitemap> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return parseSitemap(new TextDecoder().decode(isPacked ? await unpackGzip(bytes, limit) : bytes), base)
}

function parseSitemap(text: string, base: URL): Sitemap {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) {
    throw new ToolError('The sitemap declares entities or a document type, and was not read.')
  }
  const isIndex = /<(?:[\w-]+:)?sitemapindex[\s>]/i.test(text)
  if (!isIndex && !/<(?:[\w-]+:)?urlset[\s>]/i.test(text)) return { kind: 'pages', urls: plainList(text, base) }
  const urls: string[] = []
  for (const [, inner = ''] of text.matchAll(/<(?:[\w-]{1,20}:)?loc>([^<]{1,2048}|<!\[CDATA\[[^\]<]{1,2048}\]\]>)/gi)) {
    const bare = inner.startsWith('<![CDATA[') ? inner.slice(9, -3) : decodeEntities(inner)
    const url = toWebUrl(bare.trim(), base)
    if (url !== undefined) urls.push(url)
    if (urls.length >= MAX_URLS) break
  }
  return { kind: isIndex ? 'index' : 'pages', urls: [...new Set(urls)] }
}

/** As many as the sitemap protocol itself allows in one file. */
const MAX_URLS = 50_000

/** A sitemap may also be a text file with one address in each line. */
function plainList(text: string, base: URL): string[] {
  const lines = text.slice(0, 5_000_000).split('\n').slice(0, MAX_URLS)
  const urls = lines.map((line) => (/^\s*https?:\/\//i.test(line) ? toWebUrl(line.trim(), base) : undefined))
  return [...new Set(urls.filter((url) => url !== undefined))]
}

function toWebUrl(text: string, base: URL): string | undefined {
  if (text.length > 2_048 || !URL.canParse(text, base.href)) return undefined
  const url = new URL(text, base)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
}
