/** The example of shared state runs as a program here, twice on one file. */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { spawnExample } from './test/stdio-example.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-shared-state-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

async function run(): Promise<string[]> {
  const child = spawnExample('shared-state.ts', [join(folder, 'state.db')])
  let printed = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return printed.trimEnd().split('\n')
}

test('shared-state: a number that two raise at once, a lease, a message, and all of it there for the next process', async () => {
  const rest = ['at work, asked again: undefined']
  expect(await run()).toEqual([
    expect.stringMatching(/^visits: (1, 2|2, 1)$/),
    ...rest,
    'heard: raised, so there are 2',
    'available: true',
  ])
  expect(await run()).toEqual([
    expect.stringMatching(/^visits: (3, 4|4, 3)$/),
    ...rest,
    'heard: raised, so there are 4',
    'available: true',
  ])
})
