/**
 * Three tools in place of hundreds: a model searches the catalogue, reads one definition, and calls by name. Searching and
 * describing are answered here; a call is only understood here and made by whoever guards calls.
 */

import type { CallToolResult, JsonObject, Tool } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { Catalogue } from './catalogue.ts'

/** What a model's use of one of the tools comes to. */
export type SearchToolUse =
  | { readonly kind: 'answer'; readonly result: CallToolResult }
  /** To be called like any tool of the catalogue. */
  | { readonly kind: 'call'; readonly name: string; readonly arguments: JsonObject }

/** Three tools by which a model finds and uses all others: `search_tools`, `describe_tool` and `call_tool`. */
export interface SearchTools {
  readonly definitions: readonly Tool[]
  /** Undefined when the name is none of the three. */
  use(name: string, args: JsonObject): SearchToolUse | undefined
}

const MOST_HITS = 25

const DEFINITIONS: readonly Tool[] = [
  {
    name: 'search_tools',
    description:
      'Finds tools by what they do. Returns names and short descriptions; use describe_tool before a first call.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words for what is to be done, such as "create issue".' },
        limit: { type: 'integer', minimum: 1, maximum: MOST_HITS, description: 'How many to return; 10 unless given.' },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'describe_tool',
    description: 'Shows the whole definition of one tool: what it does and which arguments it takes.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'The name as search_tools gives it.' } },
      required: ['name'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'call_tool',
    description: 'Calls a tool that search_tools has found, with arguments that fit its definition.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name as search_tools gives it.' },
        arguments: { type: 'object', description: "The tool's arguments." },
      },
      required: ['name'],
    },
  },
]

/** The part of a catalogue that is searched; less of it where less may be used. */
type SearchedCatalogue = Pick<Catalogue, 'search' | 'find' | 'missing'>

/**
 * Makes three tools that stand for all tools of a catalogue, for models that cannot be shown hundreds of definitions:
 * one searches, one describes, one calls. Searching and describing are answered at once; a call is handed back for you
 * to make.
 *
 * @example
 * ```ts
 * import { createCatalogue, createUpstreams, searchTools } from '@portico/host/upstream'
 *
 * const tools = searchTools(createCatalogue(createUpstreams()))
 * const use = tools.use('search_tools', { query: 'create issue' })
 * if (use?.kind === 'answer') use.result // names and short descriptions
 * ```
 */
export function searchTools(catalogue: SearchedCatalogue): SearchTools {
  return {
    definitions: DEFINITIONS,
    use(tool, args) {
      const { name, query, limit, arguments: given } = args
      switch (tool) {
        case 'search_tools':
          if (typeof query !== 'string') return refusal('"query" must be a text')
          return search(catalogue, query, typeof limit === 'number' ? Math.min(Math.max(1, limit), MOST_HITS) : 10)
        case 'describe_tool':
          if (typeof name !== 'string') return refusal('"name" must be a text')
          return describe(catalogue, name)
        case 'call_tool':
          if (typeof name !== 'string') return refusal('"name" must be a text')
          if (given !== undefined && !isObject(given)) return refusal('"arguments" must be an object')
          return { kind: 'call', name, arguments: given ?? {} }
        default:
          return undefined
      }
    },
  }
}

function search(catalogue: SearchedCatalogue, query: string, limit: number): SearchToolUse {
  const hits = catalogue.search(query, { limit, kinds: ['tool'] })
  const tools = hits.map(({ item }) => ({ name: item.name, description: firstLine(item.definition.description ?? '') }))
  const missing = catalogue.missing().map(({ server, reason }) => ({ server, reason }))
  return answer({ tools, ...(missing.length > 0 && { missing }) })
}

function describe(catalogue: SearchedCatalogue, name: string): SearchToolUse {
  const item = catalogue.find(name, 'tool')
  if (item === undefined) return refusal(`there is no tool "${name}"; search_tools finds the ones there are`)
  if (item.quarantine !== undefined) return refusal(`"${name}" waits for approval because it changed`)
  const { description, inputSchema, outputSchema, annotations } = item.definition as Tool
  return answer({ name, server: item.server, description, inputSchema, outputSchema, annotations })
}

function answer(value: JsonObject): SearchToolUse {
  return { kind: 'answer', result: { content: [{ type: 'text', text: JSON.stringify(value) }] } }
}

function refusal(reason: string): SearchToolUse {
  return { kind: 'answer', result: { content: [{ type: 'text', text: reason }], isError: true } }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1)
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
