/** `node --import portico/typescript`, as projects made by `portico new` use it. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCli } from './build.ts'

let folder: string
const app = join(dirname(buildCli()), '..')
beforeAll(async () => {
  // Inside what was built, so that packages are found by their names.
  folder = await mkdtemp(join(app, '..', '..', 'project-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it.each([
  [
    'the gateway, whose rate limiter is CommonJS (newcomer B4)',
    "import { createGateway } from '@portico/host/gateway'\nconst kind: string = typeof createGateway\nconsole.log(kind)\n",
    'function',
  ],
  [
    'another file beside it',
    "import { answer } from './other.ts'\ninterface A { a: number }\nconst a: A = { a: answer }\nconsole.log(a.a)\n",
    '42',
  ],
])('runs TypeScript that imports %s', async (_what, source, printed) => {
  await writeFile(join(folder, 'other.ts'), 'export const answer: number = 42\n')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'gw.ts'), source)
  const door = pathToFileURL(join(app, 'doors', 'typescript.js')).href
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', door, 'gw.ts'], { cwd: folder })
  expect(stdout.trim()).toBe(printed)
})
