/** Paths of a service's requests, made of fixed words and of values that cannot leave their place. */

import { ToolError } from '@portico/sdk/server'

/** A path that was made by `pathOf`, and by nothing else. */
export interface VendorPath {
  readonly path: string
}

/**
 * Joins fixed words and values: each value becomes exactly one segment, whatever is in it. Values that would name another
 * place (`.`, `..`, nothing) are refused.
 */
export function pathOf(words: TemplateStringsArray, ...values: readonly (string | number)[]): VendorPath {
  const path = words.reduce((joined, word, at) => joined + (at === 0 ? '' : toSegment(values[at - 1])) + word, '')
  return { path }
}

/** The same for a path of several segments, as that of a file is. */
export function withFile(prefix: VendorPath, file: string): VendorPath {
  const segments = file.split('/').filter((segment) => segment !== '')
  return { path: [prefix.path, ...segments.map(toSegment)].join('/') }
}

function toSegment(value: string | number | undefined): string {
  const text = String(value ?? '')
  if (text === '' || text === '.' || text === '..') throw new ToolError(`"${text}" cannot be part of an address.`)
  // Half of a character has no spelling in an address.
  if (/\p{Surrogate}/u.test(text)) throw new ToolError('A character of an address is not whole.')
  return encodeURIComponent(text)
}
