/** What is made of a page's HTML: by the parser in its process, or, when that cannot be, its bare text. */

import { titleIn, toBareText } from './html-text.ts'

export interface PageLink {
  readonly url: string
  readonly text: string
}

export interface Extract {
  readonly title: string
  readonly description?: string
  readonly byline?: string
  readonly language?: string
  readonly markdown: string
  readonly links: readonly PageLink[]
  /** The page could not be parsed within its bounds: this is its bare text. */
  readonly simplified: boolean
}

export function toBareExtract(html: string): Extract {
  return { title: titleIn(html), markdown: toBareText(html), links: [], simplified: true }
}
