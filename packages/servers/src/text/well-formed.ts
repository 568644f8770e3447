/**
 * Text that can be stored as it is. Half a character (a surrogate without its other half) cannot be written in UTF-8: it would
 * silently become another one, so that what is stored is not what was asked for.
 */

import { ToolError } from '@portico/sdk/server'

const HALF = /\p{Surrogate}/u

/** Throws for a value with half a character in one of its texts or names. */
export function requireWellFormed(value: unknown): void {
  if (typeof value === 'string') {
    if (HALF.test(value))
      throw new ToolError(
        'A text has half a character in it (a lone surrogate). Nothing was done. Give whole characters',
      )
    return
  }
  if (typeof value !== 'object' || value === null) return
  // Of a list the names are numbers.
  for (const [name, item] of Object.entries(value)) {
    requireWellFormed(name)
    requireWellFormed(item)
  }
}
