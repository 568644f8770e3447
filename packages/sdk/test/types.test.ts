/** Has the compiler read `types.test-d.ts`, whose lines say themselves which of them must not compile. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

it('the types of handlers follow from schemas and templates', async () => {
  const compiler = at('../../../node_modules/typescript/bin/tsc')
  const compile = promisify(execFile)(process.execPath, [compiler, '-p', at('./tsconfig.types.json')])
  const { stdout } = await compile.catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})
