/** The declarations as they are published, under the strictest settings that a user's project can have. */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const COMPILER = at('../../../node_modules/typescript/bin/tsc')
const folder = mkdtempSync(join(tmpdir(), 'portico-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function compile(args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [COMPILER, ...args], { cwd: folder })
  return (await run.catch((error: { stdout: string }) => error)).stdout
}

test('sdk D13: every door compiles with exactOptionalPropertyTypes and without skipLibCheck', async () => {
  const types = join(folder, 'types')
  mkdirSync(types)
  symlinkSync(at('../../../node_modules'), join(folder, 'node_modules'), 'junction')
  const declare = ['--emitDeclarationOnly', '--declarationMap', 'false', '--sourceMap', 'false', '--composite', 'false']
  expect(await compile(['-p', at('../tsconfig.json'), ...declare, '--outDir', types])).toBe('')
  const { exports } = JSON.parse(readFileSync(at('../package.json'), 'utf8')) as { exports: object }
  const doors = Object.keys(exports).map((door) => door.slice('./'.length))
  const lines = doors.map((door, index) => `export * as door${index} from './types/doors/${door}.js'`)
  writeFileSync(join(folder, 'all.ts'), lines.join('\n'))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2023', 'esnext.disposable'],
        types: ['node'],
      },
      files: ['all.ts'],
    }),
  )
  expect(await compile(['-p', folder])).toBe('')
})
