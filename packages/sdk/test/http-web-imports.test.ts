/** `serveFetch` runs where there is no Node: nothing it imports, however far away, names one of Node's modules. */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const FETCH = join(dirname(fileURLToPath(import.meta.url)), '../src/serve/adapters/fetch.ts')

it('serveFetch imports nothing of Node', () => {
  const seen = new Set<string>()
  const foreign: string[] = []
  const follow = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, name = ''] of readFileSync(file, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
      if (name.startsWith('.')) follow(join(dirname(file), name))
      else foreign.push(`${file}: ${name}`)
    }
  }
  follow(FETCH)
  expect(seen.size).toBeGreaterThan(20)
  expect(foreign).toEqual([])
})
