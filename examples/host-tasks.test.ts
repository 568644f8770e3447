/** The example of tasks in a host, run as it stands. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url))
const example = fileURLToPath(new URL('host-tasks.ts', import.meta.url))

test('has the model go on without the result, and take it up when it has come', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [run, example])
  expect(stdout).toBe('I am having them counted.\nThere are 4,711 books.\n')
  expect(stderr).toMatch(/task [0-9a-f]{8}: working walking along the shelves/)
  expect(stderr).toMatch(/task [0-9a-f]{8}: completed/)
})
