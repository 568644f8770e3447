/** The tool that draws what is below a directory. What it did not open is marked, and the answer says how to have it. */

import { join } from 'node:path'
import { tool } from '@portico/sdk/server'
import type { Reached } from '../confine.ts'
import type { FilesHost } from '../host.ts'
import { Walk, type WalkOptions } from '../walk.ts'
import { NOTICE, READS, WHERE } from './tool-schemas.ts'

const UNOPENED = '…'

export function createDirectoryTree(host: FilesHost) {
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
          path: { type: 'string', description: 'The directory; absent where all are drawn' },
          tree: { type: 'string', description: `One entry a line; ${UNOPENED} after directories that were not opened` },
          shown: { type: 'integer', description: 'How many entries' },
          complete: { type: 'boolean', description: 'False when there is more than "depth" or "maxResults" shows' },
          notice: NOTICE,
        },
        required: ['tree', 'shown', 'complete'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ path, depth }, ctx) => {
      const { settings } = host
      const places = await host.folders(path, ctx)
      const drawing = new Drawing()
      // A tree is read at one go, so it may be longer than a page.
      const maxEntries = Math.min(settings.maxEntries, settings.maxResults * 5)
      const options = { ...settings, maxEntries, maxDepth: Math.min(depth ?? 3, settings.maxDepth), signal: ctx.signal }
      for (const place of places) await drawing.add(place, options, places.length > 1)
      return { ...(places.length === 1 && { path: places[0].path }), ...drawing.finish() }
    },
  )
}

class Drawing {
  readonly #lines: string[] = []
  #shown = 0
  #hasUnopened = false
  #stoppedIn: string | undefined

  async add(place: Reached, options: WalkOptions, isOneOfSeveral: boolean): Promise<void> {
    if (isOneOfSeveral) this.#lines.push(`${place.path}/`)
    const indent = isOneOfSeveral ? 1 : 0
    const walk = new Walk(place.directory, place.path, { ...options, maxEntries: options.maxEntries - this.#shown })
    let last: string | undefined
    for await (const { name, kind, depth, relative } of walk.entries()) {
      const isUnopened = kind === 'directory' && depth === options.maxDepth
      const mark = kind === 'directory' ? '/' : kind === 'link' ? '@' : ''
      this.#lines.push(`${'  '.repeat(depth - 1 + indent)}${name}${mark}${isUnopened ? ` ${UNOPENED}` : ''}`)
      this.#hasUnopened ||= isUnopened
      this.#shown++
      last = relative
    }
    if (walk.stoppedIn === undefined) return
    this.#stoppedIn ??= join(place.path, walk.stoppedIn)
    // It ended at the first name in there, so nothing of it is seen.
    if (last === undefined ? isOneOfSeveral : last === walk.stoppedIn)
      this.#lines.push(`${this.#lines.pop()} ${UNOPENED}`)
  }

  finish(): { tree: string; shown: number; complete: boolean; notice?: string } {
    const unopened = `Directories with ${UNOPENED} were not opened: give a greater depth, or one of them as path.`
    const stopped = `It stopped after ${this.#shown} entries, in ${this.#stoppedIn}: look at the rest by path.`
    const notices = [this.#hasUnopened && unopened, this.#stoppedIn !== undefined && stopped].filter(
      (one) => one !== false,
    )
    const said = { tree: this.#lines.join('\n'), shown: this.#shown, complete: notices.length === 0 }
    return notices.length === 0 ? said : { ...said, notice: notices.join(' ') }
  }
}
