/** The tool that lists a directory; directories as resources are the same listing. */

import { sep } from 'node:path'
import { tool } from '@portico/sdk/server'
import { CURSOR_INPUT, fromCursor, toCursor } from '../../cursor.ts'
import { withFoundDirectory } from '../anchor.ts'
import type { Reached } from '../confine.ts'
import { describeEntries } from '../entry-details.ts'
import type { FilesHost } from '../host.ts'
import { readNames } from '../walk.ts'
import { KIND, NEXT_CURSOR, PATH, READS } from './tool-schemas.ts'

const ENTRY = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Its name' },
    kind: KIND,
    size: { type: 'integer', description: 'Bytes, for files' },
    modified: { type: 'string', description: 'When it last changed' },
  },
  required: ['name', 'kind'],
  additionalProperties: false,
} as const

export function createListDirectory(host: FilesHost) {
  return tool(
    {
      title: 'List a directory',
      description:
        'Lists what is directly in a directory, by name, in pages; without a path, the directories there are.',
      input: {
        type: 'object',
        properties: {
          path: PATH,
          details: { type: 'boolean', description: 'False for names and kinds alone, which is quicker' },
          cursor: CURSOR_INPUT,
        },
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The directory; absent for the list of directories' },
          entries: { type: 'array', items: ENTRY, description: 'In the order of their names' },
          total: { type: 'integer', description: 'How many there are on all pages' },
          nextCursor: NEXT_CURSOR,
        },
        required: ['entries', 'total'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ path, details, cursor }, ctx) => {
      const [reached, ...others] = await host.places(path, ctx)
      if (others.length > 0) {
        const entries = [reached, ...others].map((place) => ({ name: place.path, kind: 'directory' as const }))
        return { entries, total: entries.length }
      }
      return listPage(host, reached, { details, cursor }).catch(async (error: unknown) => {
        // Only now it matters whether it was a file all along.
        await host.requireFolder(reached)
        throw error
      })
    },
  )
}

interface PageOptions {
  /** Sizes and times, unless this is false. */
  readonly details?: boolean | undefined
  readonly cursor?: string | undefined
}

export async function listPage(host: FilesHost, reached: Reached, { details = true, cursor }: PageOptions = {}) {
  const { maxResults, maxEntries } = host.settings
  const after = cursor === undefined ? undefined : fromCursor(cursor, [reached.path])
  return withFoundDirectory(reached.path, async (base) => {
    const all = (await readNames(base, reached.path)).slice(0, maxEntries)
    const rest = after === undefined ? all : all.filter(({ name }) => name > after)
    const page = rest.slice(0, maxResults)
    const entries = details ? await describeEntries(page, ({ name }) => base + sep + name) : page
    const last = page.at(-1)?.name
    const more = rest.length > page.length && last !== undefined ? { nextCursor: toCursor(last, [reached.path]) } : {}
    return { path: reached.path, entries, total: all.length, ...more }
  })
}
