/**
 * Three tools in place of many: search, describe, call. For clients that ask for it (`?tools=search`) and views that say
 * so, when there are more tools than a model can hold. They see and reach what their caller's view holds, nothing else.
 */

import type { Tool } from '@portico/sdk/client'
import type { CallToolResult, JsonObject } from '@portico/sdk/server'
import MiniSearch from 'minisearch'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import { keyOf, type View } from './view.ts'

type ToolItem = Extract<CatalogueItem, { kind: 'tool' }>

export const SEARCH_TOOLS: readonly Tool[] = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description: 'Finds tools by what they do. Returns names and one line each; use describe_tool for the arguments.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many to return; 10 unless given' },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'describe_tool',
    title: 'Describe a tool',
    description: 'Returns the full definition of a tool that search_tools found: description and input schema.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'The name of the tool' } },
      required: ['name'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls a tool that search_tools found, with arguments that fit its input schema.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool' },
        arguments: { type: 'object', description: 'Arguments as its input schema describes them' },
      },
      required: ['name'],
    },
  },
]

const INDEXES = new WeakMap<readonly CatalogueItem[], MiniSearch>()
const DEFAULT_LIMIT = 10
const MAX_LIMIT = 50
const MAX_QUERY_LENGTH = 500

/** Answers the two tools that only look; undefined for a name that is neither. */
export function answerSearch(view: View, name: string, args: JsonObject): CallToolResult | undefined {
  if (name === 'search_tools') return search(view, args)
  if (name !== 'describe_tool') return undefined
  const item = view.byName.get(keyOf('tool', String(args.name)))
  if (item?.kind !== 'tool') return { content: [text(`There is no tool "${String(args.name)}"`)], isError: true }
  return { content: [text(JSON.stringify(item.definition))] }
}

function search(view: View, { query, limit }: JsonObject): CallToolResult {
  if (typeof query !== 'string') return { content: [text('query must be a string')], isError: true }
  const most = typeof limit === 'number' ? Math.min(Math.max(1, Math.trunc(limit)), MAX_LIMIT) : DEFAULT_LIMIT
  const tools = view.items.tool as readonly ToolItem[]
  const found = indexOf(tools).search(query.slice(0, MAX_QUERY_LENGTH)).slice(0, most)
  const lines = found.flatMap(({ id }) => {
    const definition = tools[id as number]?.definition
    return definition === undefined ? [] : [`${definition.name}: ${firstLine(definition.description ?? '')}`]
  })
  return { content: [text(lines.length === 0 ? 'No tool fits. Try other words.' : lines.join('\n'))] }
}

function indexOf(tools: readonly ToolItem[]): MiniSearch {
  const known = INDEXES.get(tools)
  if (known !== undefined) return known
  const index = new MiniSearch({
    fields: ['name', 'title', 'description'],
    searchOptions: { boost: { name: 3, title: 2 }, prefix: true, fuzzy: 0.2 },
  })
  index.addAll(
    tools.map(({ definition }, id) => ({
      id,
      name: definition.name.replaceAll(/[_.-]/g, ' '),
      title: definition.title ?? '',
      description: definition.description ?? '',
    })),
  )
  INDEXES.set(tools, index)
  return index
}

function firstLine(description: string): string {
  const [line = ''] = description.split('\n')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

function text(value: string) {
  return { type: 'text' as const, text: value }
}
