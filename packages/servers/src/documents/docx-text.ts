/**
 * The text of a Word document (.docx): headings marked as in Markdown, a line for each paragraph, the cells of a row in one line.
 * The file is an archive of XML, read here as a row of tags and texts: nothing in it is expanded, followed or run.
 */

import { unzipSync } from 'fflate'
import { Visibility } from './docx-visibility.ts'
import type { ExtractedText } from './extract-protocol.ts'

const BODY = 'word/document.xml'
const PROPERTIES = 'docProps/core.xml'
/** Of the document's XML, which says a few characters in hundreds. */
const MAX_XML_BYTES = 100 * 1024 * 1024

export function docxToText(bytes: Uint8Array, maxLength: number): ExtractedText {
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (name !== BODY && name !== PROPERTIES) return false
      if (originalSize > MAX_XML_BYTES) throw new Error(`its text takes more than ${MAX_XML_BYTES} bytes`)
      return true
    },
  })
  const body = parts[BODY]
  if (body === undefined) throw new Error(`there is no ${BODY} in it`)
  const text = textOf(new TextDecoder().decode(body), maxLength)
  const title = titleOf(parts[PROPERTIES])
  return title === undefined ? { text } : { text, title }
}

/** A tag without its prefix, or a text between tags. An attribute's value has no `<`, so that a broken tag ends soon. */
const PIECES = /<(\/?)(?:[\w.-]+:)?([\w.-]+)(?![\w.-])([^<>]*)>|([^<]+)/g

function textOf(xml: string, maxLength: number): string {
  const lines = new Lines()
  const visibility = new Visibility()
  let isText = false
  for (const [, slash, name, attributes = '', words] of xml.matchAll(PIECES)) {
    if (lines.length > maxLength) break
    if (name === undefined) {
      if (isText && visibility.isSeen) lines.add(unescaped(words ?? ''))
      continue
    }
    const isEnd = slash === '/'
    if (isEnd) visibility.end(name)
    else visibility.begin(name, attributes)
    if (name === 't') isText = !isEnd && !attributes.endsWith('/')
    else if (isEnd) lines.end(name)
    else lines.begin(name, attributes)
  }
  return lines.join().slice(0, maxLength)
}

class Lines {
  length = 0
  readonly #lines: string[] = []
  #line = ''
  #row: string[] | undefined

  add(text: string): void {
    this.#line += text
    this.length += text.length
  }

  begin(name: string, attributes: string): void {
    if (name === 'tab') this.add('\t')
    else if (name === 'br' || name === 'cr') this.add('\n')
    else if (name === 'tr') this.#row = []
    else if (name === 'pStyle') {
      const level = /val="(?:Heading|heading |Titre|berschrift)([1-6])"/.exec(attributes)?.[1]
      if (level !== undefined) this.add(`${'#'.repeat(Number(level))} `)
    }
  }

  end(name: string): void {
    if (name === 'p') this.#endParagraph()
    else if (name === 'tc') this.#row?.push(this.#taken().replaceAll('\n', ' '))
    else if (name === 'tr') {
      this.#lines.push((this.#row ?? []).join(' | '))
      this.#row = undefined
    } else if (name === 'tbl') this.#lines.push('')
  }

  join(): string {
    this.#endParagraph()
    return this.#lines.join('\n').trim()
  }

  /** Within a cell, paragraphs follow each other in its line. */
  #endParagraph(): void {
    if (this.#row !== undefined) this.#line += ' '
    else {
      const line = this.#taken()
      if (line !== '') this.#lines.push(line, '')
    }
  }

  #taken(): string {
    const line = this.#line.trim()
    this.#line = ''
    return line
  }
}

function titleOf(xml: Uint8Array | undefined): string | undefined {
  const title = /<(?:[\w.-]+:)?title[^<>]*>([^<]*)</.exec(xml === undefined ? '' : new TextDecoder().decode(xml))?.[1]
  const shown = unescaped(title ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
  return shown === '' ? undefined : shown
}

const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The five names that XML has, and numbers. Others would have to be declared, and declarations are not read. */
function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
