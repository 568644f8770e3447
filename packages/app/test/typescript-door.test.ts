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
  expect((await runWithDoor('gw.ts')).stdout.trim()).toBe(printed)
})

it.each([
  [
    'by name',
    "import { server, more, late, E } from './server.ts'\nconsole.log(server.name, more, late(), E.A)",
    'hello 42 late 0',
  ],
  ['by default', "import server from './server.ts'\nconsole.log(server.name)", 'hello'],
  [
    'whole',
    "import * as all from './server.ts'\nconsole.log(Object.keys(all).join())",
    'E,answer,default,late,more,server',
  ],
  [
    'that was loaded before, once',
    "import { server } from './server.ts'\nimport { seen } from './other.ts'\nconsole.log(server.seen === seen)",
    'true',
  ],
  ['that is CommonJS', "import all from './old.cts'\nconsole.log(all.a)", '1'],
])('lets JavaScript import a TypeScript file %s', async (_what, source, printed) => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'other.ts'), 'export const answer: number = 42\nexport const seen = {}\n')
  await writeFile(join(folder, 'all.ts'), "export * from './other'\n")
  await writeFile(join(folder, 'old.cts'), 'const a: number = 1\nmodule.exports = { a }\n')
  await writeFile(
    join(folder, 'server.ts'),
    `import { seen } from './other.ts'
export interface Named { name: string }
export const server: Named & { seen: object } = { name: 'hello', seen }
export { answer as more } from './other.ts'
export function late(): string { return await0 }
const await0 = await Promise.resolve('late')
export enum E { A }
export { answer } from './all.ts'
export default server
`,
  )
  await writeFile(join(folder, 'use.mjs'), source)
  expect((await runWithDoor('use.mjs')).stdout.trim()).toBe(printed)
})

it('passes on what a file exports of others, and says where one is wrong', async () => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'other.ts'), 'export const answer: number = 42\n')
  await writeFile(join(folder, 'all.ts'), "export * from './other'\nexport * as other from './other.ts'\n")
  await writeFile(
    join(folder, 'use.mjs'),
    "import { answer, other } from './all.ts'\nconsole.log(answer, other.answer)",
  )
  expect((await runWithDoor('use.mjs')).stdout.trim()).toBe('42 42')
  await writeFile(join(folder, 'all.ts'), 'export const one: = 1\n')
  await expect(runWithDoor('use.mjs')).rejects.toThrow(/SyntaxError.*: Unexpected token \(.*all\.ts:1:\d+\)/)
})

function runWithDoor(file: string): Promise<{ stdout: string; stderr: string }> {
  const door = pathToFileURL(join(app, 'doors', 'typescript.js')).href
  return promisify(execFile)(process.execPath, ['--import', door, file], { cwd: folder })
}
