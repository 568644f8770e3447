/** The client's roots as real places on this disk. `host.ts` asks for them; `confine.ts` holds paths against them. */

import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Root } from '@portico/sdk/server'
import { isInside, refusedPath } from '../machine/path-text.ts'
import type { Directory } from './confine.ts'

const MAX_ROOTS = 100

/**
 * The places of roots, real where they are there. Those that are not plain `file:` URIs are none (sec-120); one that is gone
 * is a place in which nothing can be found (sec-121).
 */
export async function toRootPlaces(roots: readonly Root[]): Promise<string[]> {
  const places = await Promise.all(
    roots.slice(0, MAX_ROOTS).map(async ({ uri }) => {
      try {
        if (!uri.startsWith('file://') || /\.\.|%2e|%2f|%5c|%00/i.test(uri)) return undefined
        const path = fileURLToPath(uri)
        if (refusedPath(path, process.platform === 'win32' ? 'win32' : 'posix') !== undefined) return undefined
        return await realpath(path).catch(() => resolve(path))
      } catch {
        return undefined
      }
    }),
  )
  return places.filter((place) => place !== undefined)
}

/**
 * Roots choose within what the operator allowed. Where none of them has to do with any of the directories (there are none, or
 * the client works elsewhere) there is nothing to choose: undefined, and the operator's word stands alone.
 */
export function chooseAmong(places: readonly string[], directories: readonly Directory[]): string[] | undefined {
  const chosen = places.filter((place) =>
    directories.some(({ given, real }) => isInside(place, real) || isInside(place, given) || isInside(real, place)),
  )
  return chosen.length === 0 ? undefined : chosen
}
