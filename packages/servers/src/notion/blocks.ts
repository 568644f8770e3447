/** The content of Notion's pages as Markdown, and plain text as what Notion takes. */

import { toPieces } from '../text/cut.ts'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'

type Json = ReturnType<typeof toObject>

/** Text as a person reads it; a link shows where it leads. */
export function fromRichText(value: unknown): string {
  return toList(value)
    .map(({ plain_text, href }) => {
      const words = toText(plain_text)
      return typeof href === 'string' && href !== words ? `${words} (${href})` : words
    })
    .join('')
}

/** What stands before the text of a block. */
const MARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    heading_1: '# ',
    heading_2: '## ',
    heading_3: '### ',
    bulleted_list_item: '- ',
    numbered_list_item: '1. ',
    quote: '> ',
    callout: '> ',
    toggle: '- ',
  }),
)

/** One block as a line of Markdown, without what is inside it. */
export function fromBlock(block: Json): string {
  const type = toText(block.type)
  const content = toObject(block[type])
  const words = fromRichText(content.rich_text)
  switch (type) {
    case 'to_do':
      return `- [${content.checked === true ? 'x' : ' '}] ${words}`
    case 'code':
      return `\`\`\`${toLine(content.language, 30)}\n${words}\n\`\`\``
    case 'child_page':
    case 'child_database':
      return `[${type === 'child_page' ? 'page' : 'database'} ${toLine(block.id, 40)}: ${toLine(content.title)}]`
    case 'divider':
      return '---'
    case 'table_row':
      return `| ${(Array.isArray(content.cells) ? content.cells : []).map(fromRichText).join(' | ')} |`
    case 'image':
    case 'file':
    case 'pdf':
    case 'video':
      return `[${type}${content.caption === undefined ? '' : `: ${fromRichText(content.caption)}`}]`
    case 'bookmark':
    case 'embed':
    case 'link_preview':
      return `[link: ${toLine(content.url, 500)}]`
    default:
      return words === '' ? '' : `${MARKS.get(type) ?? ''}${words}`
  }
}

/** A property of a row in a line; kinds that have no short form are named. */
export function fromProperty(property: Json): string {
  const type = toText(property.type)
  const value = property[type]
  if (type === 'title' || type === 'rich_text') return toLine(fromRichText(value), 500)
  if (type === 'select' || type === 'status') return toLine(toObject(value).name, 100)
  if (type === 'multi_select')
    return toList(value)
      .map(({ name }) => toLine(name, 100))
      .join(', ')
  if (type === 'people')
    return toList(value)
      .map(({ name, id }) => toLine(name, 80) || toLine(id, 40))
      .join(', ')
  if (type === 'relation')
    return toList(value)
      .map(({ id }) => toLine(id, 40))
      .join(', ')
  if (type === 'date')
    return [toObject(value).start, toObject(value).end]
      .map((time) => toLine(time, 40))
      .filter(Boolean)
      .join(' to ')
  if (type === 'checkbox') return value === true ? 'yes' : 'no'
  if (type === 'unique_id')
    return [toObject(value).prefix, toObject(value).number]
      .map((part) => toLine(part, 40))
      .filter(Boolean)
      .join('-')
  if (typeof value === 'string' || typeof value === 'number') return toLine(value, 500)
  return value === null || value === undefined ? '' : `[${toLine(type, 40)}]`
}

/** The title of a page or a data source. */
export function titleOf(item: Json): string {
  if (Array.isArray(item.title)) return toLine(fromRichText(item.title)) || 'Untitled'
  const title = Object.values(toObject(item.properties))
    .map(toObject)
    .find(({ type }) => type === 'title')
  return (title && toLine(fromRichText(title.title))) || 'Untitled'
}

/** Notion takes so many characters in one piece of text. */
const MAX_PIECE = 2000

/** Plain text as Notion takes it: no links, mentions or formulas come of it. */
export function toRichText(text: string): object[] {
  return toPieces(text, MAX_PIECE).map((content) => ({ type: 'text', text: { content } }))
}

/** Text as paragraphs, one for each that an empty line parts. */
export function toParagraphs(text: string): object[] {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== '')
    .map((part) => ({ object: 'block', type: 'paragraph', paragraph: { rich_text: toRichText(part) } }))
}
