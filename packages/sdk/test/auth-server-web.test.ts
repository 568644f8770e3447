/** `requireBearer` runs where there is no Node: nothing it imports, however far away, is anything but `jose`. */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('the door imports nothing of Node', () => {
  const seen = new Set<string>()
  const foreign = new Set<string>()
  const follow = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const source = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    for (const [, name = ''] of source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
      if (name.startsWith('.')) follow(join(dirname(file), name))
      else foreign.add(name)
    }
  }
  follow(join(dirname(fileURLToPath(import.meta.url)), '../src/doors/bearer.ts'))
  expect(seen.size).toBeGreaterThan(10)
  expect([...foreign]).toEqual(['jose'])
})
