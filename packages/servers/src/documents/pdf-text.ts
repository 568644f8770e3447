/** The text of a PDF, page by page; each page begins with a heading that names it, so that citations can. */

import { getDocumentProxy } from 'unpdf'
import type { ExtractedText } from './extract-protocol.ts'

const MAX_PAGES = 3000

export async function pdfToText(bytes: Uint8Array, maxLength: number): Promise<ExtractedText> {
  const document = await getDocumentProxy(bytes, { isEvalSupported: false, useSystemFonts: false, verbosity: 0 })
  try {
    const pages: string[] = []
    let length = 0
    for (let number = 1; number <= Math.min(document.numPages, MAX_PAGES) && length < maxLength; number++) {
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      const text = items.map(textOf).join('')
      pages.push(`# Page ${number}\n\n${text.trim()}`)
      length += text.length
      page.cleanup()
    }
    return { text: pages.join('\n\n').slice(0, maxLength) }
  } finally {
    await document.destroy()
  }
}

/** The library's own types are loose here: marks between the texts come as items, too. */
function textOf({ str, hasEOL }: { readonly str?: string; readonly hasEOL?: boolean }): string {
  return str === undefined ? '' : `${str}${hasEOL ? '\n' : ''}`
}
