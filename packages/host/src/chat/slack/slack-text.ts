/**
 * The one gate between texts and Slack. Whatever is shown goes out as literal elements of a rich text, which Slack does not read
 * for mentions, links or emoji, or as plain text; the line for notifications, which Slack does read, is escaped. Mentions and
 * links are elements of their own, made from pieces of the engine and from nothing else.
 */

import { showHidden } from '@portico/sdk/internal-text'
import type { ChatPiece } from '../engine/adapter.ts'
import { wellFormed } from '../engine/well-formed.ts'

interface Style {
  readonly bold?: true
  readonly code?: true
}

/** What stands in a line of a rich text. */
type RichElement =
  | { readonly type: 'text'; readonly text: string; readonly style?: Style }
  | { readonly type: 'user'; readonly user_id: string }
  | { readonly type: 'link'; readonly url: string }

interface RichPart {
  readonly type: 'rich_text_section' | 'rich_text_preformatted'
  readonly elements: readonly RichElement[]
}

interface RichText {
  readonly type: 'rich_text'
  readonly elements: readonly RichPart[]
}

interface PlainText {
  readonly type: 'plain_text'
  readonly text: string
  readonly emoji: false
}

const MAX_FALLBACK = 3_000
/** Slack takes no more in one element. */
const MAX_ELEMENT = 3_000
const PERSON = /^[UW][A-Z0-9]{1,30}$/

/** Text that is shown as it is written, with what cannot be seen made visible. */
function toLiteral(text: string): string {
  return showHidden(wellFormed(text).replace(/\r\n?/g, '\n'))
}

/** A label, a title or a hint. */
export function toPlainText(text: string, max: number): PlainText {
  const line = toLiteral(text).replace(/\s+/g, ' ').trim()
  const cut = line.length <= max ? line : `${wellFormed(line.slice(0, max - 1))}…`
  return { type: 'plain_text', text: cut === '' ? '-' : cut, emoji: false }
}

/** The line that notifications show. Slack reads it, so that nothing in it may mean something. */
export function toFallback(pieces: readonly ChatPiece[]): string {
  const words = pieces.map((piece) => {
    if (piece.kind === 'person') return PERSON.test(piece.person.id) ? `<@${piece.person.id}>` : ''
    const text = toLiteral(piece.kind === 'link' ? piece.url : piece.text)
    return escaped(wellFormed(text.slice(0, MAX_FALLBACK)))
  })
  const text = words.join('').trim()
  return text === '' ? '-' : cutEscaped(text, MAX_FALLBACK)
}

export function toRichText(pieces: readonly ChatPiece[]): RichText {
  const parts: RichPart[] = []
  let line: RichElement[] = []
  const endLine = (): void => {
    if (line.length > 0) parts.push({ type: 'rich_text_section', elements: line })
    line = []
  }
  const exact = (text: string): void => {
    endLine()
    const elements = toElements(text)
    if (elements.length > 0) parts.push({ type: 'rich_text_preformatted', elements })
  }
  for (const piece of pieces) {
    if (piece.kind === 'words') line.push(...toElements(piece.text))
    else if (piece.kind === 'exact') exact(piece.text)
    else if (piece.kind === 'person') line.push(...toPerson(piece.person.id))
    else if (piece.kind === 'link') line.push(...toLink(piece.url))
    else {
      for (const { text, fenced } of fencesIn(piece.text)) {
        if (fenced) exact(text)
        else line.push(...stylesIn(text))
      }
    }
  }
  endLine()
  if (parts.length === 0) parts.push({ type: 'rich_text_section', elements: [{ type: 'text', text: '-' }] })
  return { type: 'rich_text', elements: parts }
}

function toElements(text: string, style?: Style): RichElement[] {
  const literal = toLiteral(text)
  const elements: RichElement[] = []
  for (let at = 0; at < literal.length; at += MAX_ELEMENT) {
    const part = wellFormed(literal.slice(at, at + MAX_ELEMENT))
    elements.push({ type: 'text', text: part, ...(style !== undefined && { style }) })
  }
  return elements
}

function toPerson(id: string): RichElement[] {
  return PERSON.test(id)
    ? [
        { type: 'user', user_id: id },
        { type: 'text', text: ' ' },
      ]
    : toElements(`@${id} `)
}

/** Without a text of its own, Slack shows the address. */
function toLink(url: string): RichElement[] {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return isWeb ? [{ type: 'link', url: new URL(url).href }] : toElements(url)
}

/** Text between lines of three backticks is code. */
function fencesIn(text: string): { readonly text: string; readonly fenced: boolean }[] {
  return text
    .split(/^```[^\n`]*$/m)
    .map((part, at) => ({ text: at % 2 === 1 ? part.replace(/^\n|\n$/g, '') : part, fenced: at % 2 === 1 }))
    .filter(({ text: part }) => part !== '')
}

/** The two marks that models use most: bold, and code in a line. */
function stylesIn(text: string): RichElement[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).flatMap((part, at) => {
    if (at % 2 === 0) return toElements(part)
    const isCode = part.startsWith('`')
    return toElements(isCode ? part.slice(1, -1) : part.slice(2, -2), isCode ? { code: true } : { bold: true })
  })
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one] ?? '')
}

/** Cuts between characters that were escaped, and never inside of one. */
function cutEscaped(text: string, max: number): string {
  return text.length <= max ? text : wellFormed(text.slice(0, max).replace(/(?:&[a-z]{0,4}|<[^>]*)$/, ''))
}

/** What a person wrote, from Slack's marks into plain text: names and addresses as they are, without our own name. */
export function fromSlack(text: string, self: string): string {
  return text
    .replace(/<([^<>]*)>/g, (_, inside: string) => readMark(inside, self))
    .replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '')
    .trim()
}

function readMark(inside: string, self: string): string {
  const [target = '', label] = inside.split('|', 2)
  if (target === `@${self}`) return ''
  if (/^[@#!]/.test(target))
    return `${target.slice(0, 1) === '!' ? '@' : target.slice(0, 1)}${label ?? target.slice(1)}`
  return label === undefined || label === target ? target : `${label} (${target})`
}
