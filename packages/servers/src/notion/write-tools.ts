/** The tools that change something; each shows the user all that would be sent, and asks. */

import { ToolError, tool } from '@portico/sdk/server'
import { toLine, toObject } from '../vendor/values.ts'
import { type Context, change, type VendorHost, WRITES, whole } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { VendorAnswer } from '../vendor/vendor-service.ts'
import { toParagraphs, toRichText } from './blocks.ts'
import { ID_INPUT } from './read-tools.ts'

const TEXT_INPUT = {
  type: 'string',
  minLength: 1,
  maxLength: 50_000,
  description: 'Plain text; empty lines part paragraphs',
} as const
/** Notion takes so many blocks in one request. */
const MAX_PARAGRAPHS = 100

export function createWriteTools(host: VendorHost) {
  return { create_page: createPage(host), append_text: appendText(host), add_comment: addComment(host) }
}

function paragraphs(text: string): object[] {
  const made = toParagraphs(text)
  if (made.length <= MAX_PARAGRAPHS) return made
  throw new ToolError(`Notion takes ${MAX_PARAGRAPHS} paragraphs at a time; this has ${made.length}. Send it in parts.`)
}

function addressOf({ json }: VendorAnswer): string {
  const { url, id } = toObject(json)
  return toLine(url, 500) || toLine(id, 40) || 'it is there'
}

function createPage(host: VendorHost) {
  const input = {
    type: 'object',
    properties: {
      parent: { ...ID_INPUT, description: 'The page, or the data source, that it shall be in' },
      in: { type: 'string', enum: ['page', 'data_source'], default: 'page', description: 'What the parent is' },
      title: { type: 'string', minLength: 1, maxLength: 300 },
      title_column: {
        type: 'string',
        maxLength: 100,
        default: 'Name',
        description: 'In a data source: its title column',
      },
      text: TEXT_INPUT,
    },
    required: ['parent', 'title'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Make a page',
      description: 'Makes a page with a title and text, after the user has agreed',
      input,
      ...WRITES,
    },
    async ({ parent, in: kind = 'page', title, title_column = 'Name', text = '' }, ctx: Context) => {
      const inside = kind === 'data_source'
      const body = {
        parent: inside ? { type: 'data_source_id', data_source_id: parent } : { type: 'page_id', page_id: parent },
        properties: { [inside ? title_column : 'title']: { title: toRichText(title) } },
        children: paragraphs(text),
      }
      const column = inside ? ` (its title in the column ${whole(title_column)})` : ''
      const question = `Make a page in the ${inside ? 'data source' : 'page'} ${parent}${column}?`
      return change(
        host,
        { question, method: 'POST', path: pathOf`/pages`, body, shown: `${title}\n\n${text}` },
        ctx,
        addressOf,
      )
    },
  )
}

function appendText(host: VendorHost) {
  const input = {
    type: 'object',
    properties: { page: ID_INPUT, text: TEXT_INPUT },
    required: ['page', 'text'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Add to a page',
      description: 'Adds text at the end of a page, after the user has agreed',
      input,
      ...WRITES,
    },
    async ({ page, text }, ctx: Context) => {
      const body = { children: paragraphs(text) }
      const path = pathOf`/blocks/${page}/children`
      return change(
        host,
        { question: `Add this to the page ${page}?`, method: 'PATCH', path, body, shown: text },
        ctx,
        () => page,
      )
    },
  )
}

function addComment(host: VendorHost) {
  const input = {
    type: 'object',
    properties: { page: ID_INPUT, text: { ...TEXT_INPUT, maxLength: 2000 } },
    required: ['page', 'text'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Comment', description: 'Comments on a page, after the user has agreed', input, ...WRITES },
    async ({ page, text }, ctx: Context) => {
      const body = { parent: { page_id: page }, rich_text: toRichText(text) }
      const path = pathOf`/comments`
      return change(
        host,
        { question: `Comment on the page ${page}?`, method: 'POST', path, body, shown: text },
        ctx,
        () => page,
      )
    },
  )
}
