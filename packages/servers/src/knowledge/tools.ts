/** What a model can do with the documents: search them, read around a citation, see what there is and what was left out. */

import { type AskingContext, type ContentBlock, result, ToolError, tool } from '@portico/sdk/server'
import { CURSOR_INPUT, countFrom, toCursor } from '../cursor.ts'
import { spellHidden } from '../text/plain-text.ts'
import { citationUri, documentUri, type Place, readPlace } from './citation.ts'
import type { Hit, Library } from './library.ts'

const PER_PAGE = 100
const SNIPPET = 400
const MAX_LINES = 400
const MAX_READ_LENGTH = 60_000

const STRING = { type: 'string' } as const
const LINE = { type: 'integer', minimum: 1 } as const

export function createTools(library: Library) {
  return {
    search_documents: searchTool(library),
    read_document: readTool(library),
    list_documents: listTool(library),
    reindex: reindexTool(library),
  }
}

function searchTool(library: Library) {
  return tool(
    {
      title: 'Search documents',
      description: 'Find passages by words. Each comes with a citation: name it when you use what it says.',
      input: {
        type: 'object',
        properties: {
          query: { ...STRING, minLength: 1, maxLength: 500, description: 'Words to look for' },
          limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Passages at most; 8 unless given' },
          under: { ...STRING, maxLength: 500, description: 'Only documents whose path begins like this' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      output: HITS,
      readOnly: true,
      openWorld: false,
    },
    async ({ query, limit = 8, under = '' }, ctx) => {
      await whenIndexed(library, ctx)
      const { hits: found, note } = await library.search(query, limit, under, ctx.signal)
      const hits = found.map(showHit)
      const links = hits.map(
        ({ citation, document, lines: [from, to] }): ContentBlock => ({
          type: 'resource_link',
          uri: citation,
          name: `${document}, lines ${from}–${to}`,
          mimeType: 'text/plain',
        }),
      )
      const answer = { hits, ...(note !== undefined && { note: spellHidden(note) }) }
      const text = [...(answer.note === undefined ? [] : [answer.note]), ...hits.map(toPassage)].join('\n\n')
      return result({
        content: [{ type: 'text', text: text || 'Nothing was found.' }, ...links],
        structuredContent: answer,
      })
    },
  )
}

function readTool(library: Library) {
  return tool(
    {
      title: 'Read document',
      description: `Lines of a document, ${MAX_LINES} at most: to see what stands around a passage.`,
      input: {
        type: 'object',
        properties: {
          document: {
            ...STRING,
            minLength: 1,
            maxLength: 1000,
            description: 'Its path as search_documents gives it',
          },
          from: { ...LINE, description: 'First line; 1 unless given' },
          to: { ...LINE, description: 'Last line' },
        },
        required: ['document'],
        additionalProperties: false,
      },
      output: READ,
      readOnly: true,
      openWorld: false,
    },
    async ({ document: named, ...asked }, ctx) => {
      await whenIndexed(library, ctx)
      const place: Place = readPlace(named, (one) => library.documents.has(one)) ?? { path: named }
      const { path, lines } = place
      const document = library.documents.get(path)
      if (document === undefined) throw missing(library, path)
      const { from = lines?.[0] ?? 1, to = asked.from === undefined && lines ? lines[1] : from + MAX_LINES - 1 } = asked
      const wanted = document.lines.slice(from - 1, Math.min(to, from + MAX_LINES - 1))
      const shown = fitting(wanted)
      const last = from + Math.max(0, shown.length - 1)
      return {
        document: path,
        from,
        to: last,
        total: document.lines.length,
        text: spellHidden(shown.join('\n')),
        citation: citationUri(path, from, last),
      }
    },
  )
}

/** As many whole lines as one answer takes; each by itself is shorter. */
function fitting(lines: readonly string[]): readonly string[] {
  let length = 0
  const over = lines.findIndex((line) => {
    length += line.length + 1
    return length > MAX_READ_LENGTH
  })
  return over === -1 ? lines : lines.slice(0, Math.max(1, over))
}

function listTool(library: Library) {
  return tool(
    {
      title: 'List documents',
      description: 'The documents that are indexed, and the files that could not be, with the reason.',
      input: {
        type: 'object',
        properties: {
          under: { ...STRING, maxLength: 500, description: 'Only those whose path begins like this' },
          cursor: CURSOR_INPUT,
        },
        additionalProperties: false,
      },
      output: LISTED,
      readOnly: true,
      openWorld: false,
    },
    async ({ under = '', cursor }, ctx) => {
      await whenIndexed(library, ctx)
      const start = countFrom(cursor, [under])
      const all = [...library.documents.values()].filter(({ path }) => path.startsWith(under))
      all.sort((a, b) => (a.path < b.path ? -1 : 1))
      const next = start + PER_PAGE
      const left = [...library.failures].filter(([path]) => path.startsWith(under))
      return {
        documents: all.slice(start, next).map(({ path, title, lines }) => ({
          document: path,
          title: spellHidden(title),
          lines: lines.length,
          uri: documentUri(path),
        })),
        total: all.length,
        left_out: left
          .slice(0, PER_PAGE)
          .map(([path, reason]) => ({ file: spellHidden(path), reason: spellHidden(reason) })),
        left_out_total: left.length,
        ...(next < all.length && { nextCursor: toCursor(String(next), [under]) }),
      }
    },
  )
}

function reindexTool(library: Library) {
  return tool(
    {
      title: 'Reindex',
      description: 'Look through the folder again. Changes are noticed by themselves; this is for when they were not.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      output: {
        type: 'object',
        properties: { documents: { type: 'integer' }, left_out: { type: 'integer' } },
        required: ['documents', 'left_out'],
        additionalProperties: false,
      },
      readOnly: true,
      idempotent: true,
      openWorld: false,
    },
    async (_args, ctx) => {
      const done = library.refresh()
      await whenIndexed(library, ctx)
      await done
      return { documents: library.documents.size, left_out: library.failures.size }
    },
  )
}

/** Waits for the index, and says how far it is. */
export async function whenIndexed(library: Library, ctx: Pick<AskingContext, 'progress' | 'signal'>): Promise<void> {
  const end = library.onProgress((done, total, path) => ctx.progress(done, total, `Indexing ${spellHidden(path)}`))
  try {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(new ToolError('Cancelled. The documents are indexed all the same.'))
      ctx.signal.addEventListener('abort', onAbort, { once: true })
      library.settled().then(() => {
        ctx.signal.removeEventListener('abort', onAbort)
        resolve()
      }, reject)
    })
  } finally {
    end()
  }
}

/** Where it stands as people write it; the link beside it has the address. */
function toPassage({ document, lines: [from, to], headings, snippet }: ReturnType<typeof showHit>): string {
  return `${[`${spellHidden(document)}#L${from}-L${to}`, ...headings].join(' › ')}\n${snippet}`
}

function showHit({ document, chunk, score, words }: Hit) {
  return {
    document: document.path,
    title: spellHidden(document.title),
    headings: chunk.headings.map(spellHidden),
    lines: [chunk.from, chunk.to] as [number, number],
    snippet: spellHidden(snippetOf(chunk.text, words)),
    citation: citationUri(document.path, chunk.from, chunk.to),
    score: Math.round(score * 100) / 100,
  }
}

/** The part of a passage around the first word that matched. */
function snippetOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const start = Math.max(0, Math.min(...places, text.length) - SNIPPET / 4)
  const from = places.length === 0 ? 0 : start
  const part = text.slice(from, from + SNIPPET)
  return `${from > 0 ? '…' : ''}${part}${from + SNIPPET < text.length ? '…' : ''}`
}

function missing(library: Library, path: string): ToolError {
  const reason = library.failures.get(path)
  if (reason !== undefined) return new ToolError(`This file is not indexed: ${reason}.`)
  return new ToolError('There is no such document. list_documents names them all.')
}

const HITS = {
  type: 'object',
  properties: {
    hits: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          document: STRING,
          title: STRING,
          headings: { type: 'array', items: STRING },
          lines: { type: 'array', items: LINE, description: 'First and last line' },
          snippet: STRING,
          citation: STRING,
          score: { type: 'number' },
        },
        required: ['document', 'title', 'headings', 'lines', 'snippet', 'citation', 'score'],
        additionalProperties: false,
      },
    },
    note: STRING,
  },
  required: ['hits'],
  additionalProperties: false,
} as const

const READ = {
  type: 'object',
  properties: { document: STRING, from: LINE, to: LINE, total: { type: 'integer' }, text: STRING, citation: STRING },
  required: ['document', 'from', 'to', 'total', 'text', 'citation'],
  additionalProperties: false,
} as const

const LISTED = {
  type: 'object',
  properties: {
    documents: {
      type: 'array',
      items: {
        type: 'object',
        properties: { document: STRING, title: STRING, lines: { type: 'integer' }, uri: STRING },
        required: ['document', 'title', 'lines', 'uri'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer' },
    left_out: {
      type: 'array',
      items: {
        type: 'object',
        properties: { file: STRING, reason: STRING },
        required: ['file', 'reason'],
        additionalProperties: false,
      },
    },
    left_out_total: { type: 'integer' },
    nextCursor: STRING,
  },
  required: ['documents', 'total', 'left_out', 'left_out_total'],
  additionalProperties: false,
} as const
