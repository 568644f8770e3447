/** A page as it is kept and shown: what `page-fetcher.ts` makes and everything else here reads. */

import type { PageLink } from './extract.ts'

export interface Page {
  /** The address that was asked for. */
  readonly url: string
  /** Where it came from after redirects. */
  readonly finalUrl: string
  readonly title: string
  readonly description: string
  readonly byline: string
  readonly language: string
  readonly contentType: string
  readonly markdown: string
  readonly links: readonly PageLink[]
  readonly simplified: boolean
  readonly whole: boolean
  readonly fetchedAt: string
}

/** What is told of a page beside its text. */
export function aboutPage(page: Page): { readonly [name: string]: unknown } {
  const { url, finalUrl, title, description, byline, language, fetchedAt, simplified } = page
  return {
    url,
    ...(finalUrl !== url && { finalUrl }),
    title,
    ...(description !== '' && { description }),
    ...(byline !== '' && { byline }),
    ...(language !== '' && { language }),
    ...(simplified && { simplified }),
    links: page.links.length,
    fetchedAt,
  }
}
