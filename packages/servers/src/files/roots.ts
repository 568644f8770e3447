/** The client's roots as real places on this disk. `host.ts` asks for them; `confine.ts` holds paths against them. */

import { realpath } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Root } from '@portico/sdk/server'
import { refusedPath } from '../machine/path-text.ts'

const MAX_ROOTS = 100

/** Real places of roots. Those that are not plain `file:` URIs, or are gone, allow nothing (sec-120, sec-121). */
export async function toRealRoots(roots: readonly Root[]): Promise<string[]> {
  const places = await Promise.all(
    roots.slice(0, MAX_ROOTS).map(async ({ uri }) => {
      try {
        if (!uri.startsWith('file://') || /\.\.|%2e|%2f|%5c|%00/i.test(uri)) return undefined
        const path = fileURLToPath(uri)
        if (refusedPath(path, process.platform === 'win32' ? 'win32' : 'posix') !== undefined) return undefined
        return await realpath(path)
      } catch {
        return undefined
      }
    }),
  )
  return places.filter((place) => place !== undefined)
}
