/** The version of this program, as its package says. */

import { readFileSync } from 'node:fs'

export function ownVersion(): string {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    // Our own package file, beside this one in source and in the built package alike.
    return (JSON.parse(text) as { version: string }).version
  } catch {
    return 'unknown'
  }
}
