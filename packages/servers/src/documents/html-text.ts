/**
 * HTML as text in lines: headings marked as in Markdown, a line for each block, nothing of scripts and styles. Walks without
 * recursion, since a page may be nested as deep as it likes.
 */

import { parseHTML } from 'linkedom'
import { removeUnseen } from '../text/unseen.ts'
import type { ExtractedText } from './extract-protocol.ts'

/** The part of a document's nodes that is used here. */
interface Node {
  readonly nodeType: number
  readonly localName?: string
  readonly nodeValue?: string | null
  readonly firstChild: Node | null
  readonly nextSibling: Node | null
  readonly parentNode: Node | null
}

const DROPPED: ReadonlySet<string> = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'title', 'canvas', 'select', 'textarea'],
])
const BLOCKS: ReadonlySet<string> = new Set([
  ...[
    'address',
    'article',
    'aside',
    'blockquote',
    'br',
    'dd',
    'div',
    'dl',
    'dt',
    'figcaption',
    'figure',
    'footer',
    'form',
  ],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table'],
  ...['tbody', 'td', 'th', 'thead', 'tr', 'ul', 'body', 'html'],
])
const TEXT_NODE = 3
const ELEMENT_NODE = 1

export function htmlToText(html: string, maxLength: number): ExtractedText {
  const { document } = parseHTML(html)
  const title = document.querySelector('title')?.textContent?.replace(/\s+/g, ' ').trim().slice(0, 200)
  removeUnseen(document)
  const lines = new Lines(maxLength)
  // The library's nodes have these members, and more that differ between its types. It adds no elements that are missing.
  walk(document as unknown as Node, lines)
  const text = lines.join()
  return title === undefined || title === '' ? { text } : { text, title }
}

class Lines {
  readonly #lines: string[] = []
  readonly #maxLength: number
  #current = ''
  #length = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  get isFull(): boolean {
    return this.#length >= this.#maxLength
  }

  add(text: string): void {
    this.#current += text
    this.#length += text.length
  }

  end(): void {
    const line = this.#current.replace(/\s+/g, ' ').trim()
    this.#current = ''
    // A block's end is a paragraph's end; several in a row are one.
    if (line !== '') this.#lines.push(line, '')
  }

  join(): string {
    this.end()
    return this.#lines.join('\n')
  }
}

function walk(root: Node, lines: Lines): void {
  let node: Node | null = root
  while (node !== null && !lines.isFull) {
    const name = node.nodeType === ELEMENT_NODE ? (node.localName ?? '') : ''
    if (node.nodeType === TEXT_NODE) lines.add(node.nodeValue ?? '')
    const isBlock = BLOCKS.has(name)
    if (isBlock) lines.end()
    const heading = /^h([1-6])$/.exec(name)?.[1]
    if (heading !== undefined) lines.add(`${'#'.repeat(Number(heading))} `)
    if (node.firstChild !== null && !DROPPED.has(name)) {
      node = node.firstChild
      continue
    }
    node = leave(node, root, lines)
  }
}

/** The next node after this one and all of its own; ends the blocks that are left on the way up. */
function leave(start: Node, root: Node, lines: Lines): Node | null {
  let node: Node | null = start
  while (node !== null && node !== root) {
    if (node.nodeType === ELEMENT_NODE && BLOCKS.has(node.localName ?? '')) lines.end()
    if (node.nextSibling !== null) return node.nextSibling
    node = node.parentNode
  }
  return null
}
