/** What signing in costs those who do not: nothing. And it runs where there is no Node. */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = join(dirname(fileURLToPath(import.meta.url)), '../src')

/** The packages and modules of Node that a file needs before it runs, however far away. */
function foreignTo(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const imports = readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)
  return [...imports].flatMap(([, name = '']) => {
    return name.startsWith('.') ? foreignTo(join(dirname(file), name), seen) : [name]
  })
}

test('a client that signs in nowhere loads no OAuth', () => {
  const foreign = new Set(foreignTo(join(source, 'doors/client.ts')))
  expect([foreign.has('oauth4webapi'), foreign.has('jose')]).toEqual([false, false])
})

test('signing in needs two libraries and nothing of Node', () => {
  expect(new Set(foreignTo(join(source, 'doors/auth.ts')))).toEqual(new Set(['jose', 'oauth4webapi']))
})
