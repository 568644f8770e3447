/** The tools that look for something below a directory: by name or by contents. */

import { tool } from '@portico/sdk/server'
import { badCursor, CURSOR_INPUT, countFrom, fromCursor, toCursor } from '../../cursor.ts'
import { createGlob } from '../glob.ts'
import type { FilesHost } from '../host.ts'
import { searchText, type TextMatch } from '../search-text.ts'
import { Walk } from '../walk.ts'
import { NEXT_CURSOR, NOTICE, READS, WHERE } from './tool-schemas.ts'
import { createDirectoryTree } from './tools-tree.ts'

const COMPLETE = {
  type: 'boolean',
  description: 'False when there is a next page, or limits ended the search early',
} as const
const ENDED_EARLY =
  'The options "maxDepth", "maxEntries" or "timeoutMs" ended the search early: look in a smaller place, by path.'

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
    notice: NOTICE,
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
      const starts = await host.folders(path, ctx)
      const matches = createGlob(pattern)
      const question = [pattern, path]
      const skip = countFrom(cursor, question)
      const found: { path: string; kind: 'file' | 'directory' | 'link' | 'other' }[] = []
      const until = performance.now() + settings.timeoutMs
      let seen = 0
      let visited = 0
      let complete = true
      for (const start of starts) {
        const maxEntries = settings.maxEntries - visited
        const walk = new Walk(start.directory, start.path, { ...settings, maxEntries, signal: ctx.signal })
        for await (const entry of walk.entries()) {
          if (++visited % 500 === 0) ctx.progress(visited, undefined, `${visited} entries`)
          if (performance.now() > until) return { matches: found, ...describeEnd(false) }
          if (!matches(entry.relative) || seen++ < skip) continue
          if (found.length === settings.maxResults) {
            return { matches: found, complete: false, nextCursor: toCursor(String(skip + found.length), question) }
          }
          found.push({ path: entry.path, kind: entry.kind })
        }
        complete &&= walk.complete
      }
      return { matches: found, ...describeEnd(complete) }
    },
  )
}

function describeEnd(complete: boolean): { complete: boolean; notice?: string } {
  return complete ? { complete } : { complete, notice: ENDED_EARLY }
}

function describePassed(passed: readonly string[]): { complete?: false; passedBy?: string } {
  return passed.length === 0 ? {} : { complete: false, passedBy: passed.join('; ') }
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
    notice: NOTICE,
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
      const starts = await host.folders(path, ctx)
      const question = [pattern, regex, ignoreCase, glob, path]
      const from = placeFrom(cursor, question)
      const asked = { pattern, regex: regex ?? false, ignoreCase: ignoreCase ?? false, glob, context }
      const progress = (visited: number): void => ctx.progress(visited, undefined, `${visited} entries`)
      const search = { confinement, settings, signal: ctx.signal, progress }
      const matches: TextMatch[] = []
      const passed: string[] = []
      let engine: 'ripgrep' | 'plain' = 'plain'
      let isWhole = true
      for (const [index, start] of starts.entries()) {
        if (index < from.index) continue
        const skip = index === from.index ? from.skip : 0
        const found = await searchText(start, { ...asked, skip, limit: settings.maxResults - matches.length }, search)
        matches.push(...found.matches)
        engine = found.engine
        if (found.passedBy !== undefined) passed.push(found.passedBy)
        else isWhole &&= found.complete
        if (!found.hasMore) continue
        const nextCursor = toCursor(`${index} ${skip + found.matches.length}`, question)
        return { engine, matches, complete: false, ...describePassed(passed), nextCursor }
      }
      return { engine, matches, ...describeEnd(isWhole), ...describePassed(passed) }
    },
  )
}

/** In which of the directories to go on, and after how many matches there. */
function placeFrom(cursor: string | undefined, question: readonly unknown[]): { index: number; skip: number } {
  if (cursor === undefined) return { index: 0, skip: 0 }
  const [, index, skip] = /^(\d{1,9}) (\d{1,15})$/.exec(fromCursor(cursor, question)) ?? []
  if (index === undefined) throw badCursor()
  return { index: Number(index), skip: Number(skip) }
}
