/** The tools that read: pages, the rows and columns of data sources, and comments. */

import { tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import {
  type Context,
  foreign,
  nextPage,
  READS,
  rows as rowsOf,
  START_INPUT,
  type VendorHost,
} from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import { fromProperty, fromRichText, titleOf } from './blocks.ts'
import { readContent } from './page-content.ts'

export const ID_INPUT = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$',
  description: 'The id: 32 hexadecimal digits, as at the end of its address',
} as const
const CURSOR_INPUT = { type: 'string', maxLength: 200, description: 'Where the next page begins' } as const
const PAGE_SIZE = 30

export function createReadTools(host: VendorHost) {
  return {
    search: searchTool(host),
    get_page: getPage(host),
    get_data_source: getDataSource(host),
    query_data_source: queryDataSource(host),
    list_comments: listComments(host),
  }
}

function searchTool(host: VendorHost) {
  const input = {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        maxLength: 200,
        default: '',
        description: 'Words of the title; everything unless given',
      },
      kind: { type: 'string', enum: ['page', 'data_source'], description: 'Only these' },
      cursor: CURSOR_INPUT,
      start: START_INPUT,
    },
    additionalProperties: false,
  } as const
  const description = 'Finds pages and data sources by their titles, the last edited first'
  return tool(
    { title: 'Search', description, input, ...READS },
    async ({ query = '', kind, cursor, start }, ctx: Context) => {
      const body = {
        query,
        page_size: PAGE_SIZE,
        sort: { timestamp: 'last_edited_time', direction: 'descending' },
        ...(kind !== undefined && { filter: { property: 'object', value: kind } }),
        ...(cursor !== undefined && { start_cursor: cursor }),
      }
      const answer = toObject((await host.service.send(pathOf`/search`, { method: 'POST', body }, ctx)).json)
      const lines = toList(answer.results).map(
        (item) =>
          `${toLine(item.object, 20)} ${toLine(item.id, 40)} · ${titleOf(item)} · ${toLine(item.last_edited_time, 30).slice(0, 10)}`,
      )
      return rows(host, answer, lines, start)
    },
  )
}

function getPage(host: VendorHost) {
  const input = {
    type: 'object',
    properties: { page: ID_INPUT, start: START_INPUT },
    required: ['page'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Page', description: 'A page: its properties, and its content as Markdown', input, ...READS },
    async ({ page, start }, ctx: Context) => {
      const about = toObject((await host.service.send(pathOf`/pages/${page}`, {}, ctx)).json)
      const content = await readContent(host, page, ctx)
      return foreign(host, `# ${titleOf(about)}\n${propertyLines(about).join('\n')}\n\n${content}`, start)
    },
  )
}

function propertyLines({ properties }: ReturnType<typeof toObject>): string[] {
  return Object.entries(toObject(properties))
    .map(([name, property]) => [toLine(name, 100), toObject(property)] as const)
    .filter(([, { type }]) => type !== 'title')
    .map(([name, property]) => `${name}: ${fromProperty(property)}`)
}

function getDataSource(host: VendorHost) {
  const input = {
    type: 'object',
    properties: { data_source: ID_INPUT, start: START_INPUT },
    required: ['data_source'],
    additionalProperties: false,
  } as const
  const description = 'The columns of a data source: names, kinds and choices, as filters and new rows need them'
  return tool({ title: 'Data source', description, input, ...READS }, async ({ data_source, start }, ctx: Context) => {
    const about = toObject((await host.service.send(pathOf`/data_sources/${data_source}`, {}, ctx)).json)
    const columns = Object.entries(toObject(about.properties)).map(([name, given]) => {
      const column = toObject(given)
      const options = toList(toObject(column[toText(column.type)]).options).map(({ name: choice }) =>
        toLine(choice, 100),
      )
      return `${toLine(name, 100)}: ${toLine(column.type, 40)}${options.length === 0 ? '' : ` (${options.join(', ')})`}`
    })
    return foreign(host, `${titleOf(about)}\n\n${columns.join('\n')}`, start)
  })
}

function queryDataSource(host: VendorHost) {
  const input = {
    type: 'object',
    properties: {
      data_source: ID_INPUT,
      filter: {
        type: 'object',
        description: 'A filter as Notion has it: {"property":"Done","checkbox":{"equals":true}}',
      },
      sorts: { type: 'array', maxItems: 5, items: { type: 'object' }, description: 'As Notion has it' },
      cursor: CURSOR_INPUT,
      start: START_INPUT,
    },
    required: ['data_source'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Query a data source', description: 'Rows of a data source, filtered and sorted', input, ...READS },
    async ({ data_source, filter, sorts, cursor, start }, ctx: Context) => {
      const body = {
        page_size: PAGE_SIZE,
        ...(filter !== undefined && { filter }),
        ...(sorts !== undefined && { sorts }),
        ...(cursor !== undefined && { start_cursor: cursor }),
      }
      const path = pathOf`/data_sources/${data_source}/query`
      const answer = toObject((await host.service.send(path, { method: 'POST', body }, ctx)).json)
      const lines = toList(answer.results).map(
        (row) => `${toLine(row.id, 40)} ${titleOf(row)} · ${propertyLines(row).join(' · ')}`,
      )
      return rows(host, answer, lines, start)
    },
  )
}

function listComments(host: VendorHost) {
  const input = {
    type: 'object',
    properties: { page: ID_INPUT, cursor: CURSOR_INPUT, start: START_INPUT },
    required: ['page'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Comments', description: 'What people said about a page and have not resolved', input, ...READS },
    async ({ page, cursor, start }, ctx: Context) => {
      const query = { block_id: page, page_size: 100, start_cursor: cursor }
      const answer = toObject((await host.service.send(pathOf`/comments`, { query }, ctx)).json)
      const lines = toList(answer.results).map(
        (comment) =>
          `${toLine(comment.created_time, 30).slice(0, 16)} ${toLine(toObject(comment.created_by).id, 40)}: ${fromRichText(comment.rich_text).replaceAll('\n', '\n    ')}`,
      )
      return rows(host, answer, lines, start)
    },
  )
}

function rows(
  host: VendorHost,
  answer: ReturnType<typeof toObject>,
  lines: readonly string[],
  start: number | undefined,
) {
  const next = answer.has_more === true ? nextPage('cursor', answer.next_cursor) : undefined
  return rowsOf(host, lines, { next, start })
}
