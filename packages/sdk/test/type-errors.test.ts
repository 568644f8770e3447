import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIRST_LINE, MISTAKES, toSource } from './type-errors.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

describe('what the compiler says of a mistake (sdk 17)', () => {
  let folder: string
  const said = new Map<number, string>()

  beforeAll(async () => {
    await mkdir(at('./.cache'), { recursive: true })
    folder = await mkdtemp(at('./.cache/mistakes-'))
    await writeFile(
      join(folder, 'mistakes.ts'),
      toSource((door) => `../../../src/doors/${door}.ts`),
    )
    await writeFile(join(folder, 'tsconfig.json'), '{ "extends": "../../tsconfig.json", "include": ["mistakes.ts"] }')
    const compiler = at('../../../node_modules/typescript/bin/tsc')
    const compile = promisify(execFile)(process.execPath, [compiler, '-p', folder, '--pretty', 'false'])
    const { stdout } = await compile.catch((error: { stdout: string }) => error)
    // What a message goes on to explain stands on lines of its own, which are indented.
    for (const [, line, message] of stdout.matchAll(/mistakes\.ts\((\d+),\d+\): error TS\d+: (.*(?:\n .*)*)/g)) {
      const number = Number(line)
      if (!said.has(number)) said.set(number, message ?? '')
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(MISTAKES.map((mistake, index) => ({ ...mistake, line: FIRST_LINE + index })))('$what', ({ line, says }) => {
    expect(said.get(line)).toContain(says)
  })

  it('nothing else is wrong', () => {
    expect([...said.keys()].sort((a, b) => a - b)).toEqual(MISTAKES.map((_, index) => FIRST_LINE + index))
  })
})
