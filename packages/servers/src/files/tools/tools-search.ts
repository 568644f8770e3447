/** The tools that look for something below a directory: by name, by contents, or the whole tree at a glance. */

import { tool } from '@portico/sdk/server'
import { CURSOR_INPUT, countFrom, toCursor } from '../../cursor.ts'
import { createGlob } from '../glob.ts'
import type { FilesHost } from '../host.ts'
import { searchText } from '../search-text.ts'
import { Walk } from '../walk.ts'
import { NEXT_CURSOR, READS } from './tool-schemas.ts'

const WHERE = {
  type: 'string',
  description: 'Where to look; the only directory unless given',
} as const
const COMPLETE = {
  type: 'boolean',
  description: 'False when "maxDepth", "maxEntries" or "timeoutMs" ended the search early',
} as const

export function createSearchTools(host: FilesHost) {
  return {
    search_files: createSearchFiles(host),
    search_text: createSearchText(host),
    directory_tree: createDirectoryTree(host),
  }
}

const FOUND_FILES = {
  type: 'object',
  properties: {
    matches: {
      type: 'array',
      description: 'In the order of their paths',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Absolute' },
          kind: { enum: ['file', 'directory', 'link', 'other'], description: 'What it is' },
        },
        required: ['path', 'kind'],
        additionalProperties: false,
      },
    },
    complete: COMPLETE,
    nextCursor: NEXT_CURSOR,
  },
  required: ['matches', 'complete'],
  additionalProperties: false,
} as const

function createSearchFiles(host: FilesHost) {
  return tool(
    {
      title: 'Find files by name',
      description:
        'Finds files and directories by a pattern with *, ?, [a-z], {a,b} and **. Without a slash it is about the name alone.',
      input: {
        type: 'object',
        properties: {
          pattern: { type: 'string', minLength: 1, description: 'As in "*.ts" or "src/**/test-*.js"' },
          path: WHERE,
          cursor: CURSOR_INPUT,
        },
        required: ['pattern'],
        additionalProperties: false,
      },
      output: FOUND_FILES,
      ...READS,
    },
    async ({ pattern, path, cursor }, ctx) => {
      const { settings } = host
      const start = await host.folder(path, ctx)
      const matches = createGlob(pattern)
      const question = [pattern, path]
      const skip = countFrom(cursor, question)
      const walk = new Walk(start.directory, start.path, { ...settings, signal: ctx.signal })
      const found: { path: string; kind: 'file' | 'directory' | 'link' | 'other' }[] = []
      const until = performance.now() + settings.timeoutMs
      let seen = 0
      for await (const entry of walk.entries()) {
        if (walk.visited % 500 === 0) ctx.progress(walk.visited, undefined, `${walk.visited} entries`)
        if (performance.now() > until) return { matches: found, complete: false }
        if (!matches(entry.relative) || seen++ < skip) continue
        if (found.length === settings.maxResults) {
          return { matches: found, complete: true, nextCursor: toCursor(String(skip + found.length), question) }
        }
        found.push({ path: entry.path, kind: entry.kind })
      }
      return { matches: found, complete: walk.complete }
    },
  )
}

const FOUND_LINES = {
  type: 'object',
  properties: {
    engine: { enum: ['ripgrep', 'plain'], description: 'What searched; "plain" knows no expressions' },
    matches: {
      type: 'array',
      description: 'In the order of their paths and lines',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Absolute' },
          line: { type: 'integer', description: 'Counted from 1' },
          text: { type: 'string', description: 'The line, its first 400 characters' },
          before: { type: 'array', items: { type: 'string' }, description: 'Lines before it; with context' },
          after: { type: 'array', items: { type: 'string' }, description: 'Lines after it; with context' },
        },
        required: ['path', 'line', 'text'],
        additionalProperties: false,
      },
    },
    complete: COMPLETE,
    passedBy: {
      type: 'string',
      description: 'What was not looked through. Binary files never are, nor with ripgrep those over 64 MB',
    },
    nextCursor: NEXT_CURSOR,
  },
  required: ['engine', 'matches', 'complete'],
  additionalProperties: false,
} as const

function createSearchText(host: FilesHost) {
  return tool(
    {
      title: 'Find text in files',
      description: 'Finds lines that contain a text, or match a regular expression where ripgrep is installed.',
      input: {
        type: 'object',
        properties: {
          pattern: { type: 'string', minLength: 1, maxLength: 1000, description: 'The text, or the expression' },
          regex: { type: 'boolean', description: 'Whether pattern is a regular expression; false unless given' },
          ignoreCase: { type: 'boolean', description: 'Whether letter case is ignored; false unless given' },
          glob: { type: 'string', description: 'Only in files whose name fits, as in "*.ts"' },
          context: { type: 'integer', minimum: 0, maximum: 10, description: 'Lines around each match' },
          path: WHERE,
          cursor: CURSOR_INPUT,
        },
        required: ['pattern'],
        additionalProperties: false,
      },
      output: FOUND_LINES,
      ...READS,
    },
    async ({ pattern, regex, ignoreCase, glob, context = 0, path, cursor }, ctx) => {
      const { settings, confinement } = host
      const start = await host.folder(path, ctx)
      const question = [pattern, regex, ignoreCase, glob, path]
      const skip = countFrom(cursor, question)
      const query = {
        pattern,
        regex: regex ?? false,
        ignoreCase: ignoreCase ?? false,
        glob,
        context,
        skip,
        limit: settings.maxResults,
      }
      const progress = (visited: number): void => ctx.progress(visited, undefined, `${visited} entries`)
      const found = await searchText(start, query, { confinement, settings, signal: ctx.signal, progress })
      const { engine, matches, complete, passedBy, hasMore } = found
      const more = hasMore ? { nextCursor: toCursor(String(skip + matches.length), question) } : {}
      return { engine, matches: [...matches], complete, ...(passedBy !== undefined && { passedBy }), ...more }
    },
  )
}

function createDirectoryTree(host: FilesHost) {
  return tool(
    {
      title: 'Show a directory tree',
      description: 'Draws what is below a directory, indented by two spaces a level, directories with a slash.',
      input: {
        type: 'object',
        properties: {
          path: WHERE,
          depth: { type: 'integer', minimum: 1, maximum: 32, description: 'How many levels; 3 unless given' },
        },
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The directory' },
          tree: { type: 'string', description: 'One entry a line' },
          shown: { type: 'integer', description: 'How many entries' },
          complete: { type: 'boolean', description: 'False when there is more than "depth" or "maxResults" shows' },
        },
        required: ['path', 'tree', 'shown', 'complete'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ path, depth }, ctx) => {
      const { settings } = host
      const start = await host.folder(path, ctx)
      // A tree is read at one go, so it may be longer than a page.
      const maxEntries = Math.min(settings.maxEntries, settings.maxResults * 5)
      const maxDepth = Math.min(depth ?? 3, settings.maxDepth)
      const walk = new Walk(start.directory, start.path, { ...settings, maxEntries, maxDepth, signal: ctx.signal })
      const lines: string[] = []
      for await (const { name, kind, depth: level } of walk.entries()) {
        lines.push(`${'  '.repeat(level - 1)}${name}${kind === 'directory' ? '/' : kind === 'link' ? '@' : ''}`)
      }
      return { path: start.path, tree: lines.join('\n'), shown: lines.length, complete: walk.complete }
    },
  )
}
