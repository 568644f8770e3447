import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPaint, type Io } from '../terminal/io.ts'
import { handResult } from './hand-result.ts'

it.each([
  { result: { content: [{ type: 'text' as const, text: 'hello' }] }, code: 0 },
  { result: { content: [{ type: 'text' as const, text: 'no' }], isError: true }, code: 1 },
])(
  'newcomer 6: --json with --output writes the whole result to the file, and exits with $code',
  async ({ result, code }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'portico-hand-'))
    const printed: string[] = []
    const parts = { cwd, paint: createPaint(false), interactive: false, terminal: false }
    const say = (): void => {}
    // Only these are used to hand a result over.
    const io = { ...parts, say, out: (text: string) => void printed.push(text) } as unknown as Io
    try {
      const input = { positionals: [], dashed: [], flags: { output: 'a.json' }, json: true }
      expect(await handResult('greet', result, input, io)).toBe(code)
      expect(JSON.parse(readFileSync(join(cwd, 'a.json'), 'utf8'))).toEqual(result)
      expect(printed).toEqual([])
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  },
)
