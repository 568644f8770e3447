import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { plainEnvironment, runProgram } from './program.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-program-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Its child has none of our pipes, and holds one of its own open as long as it lives. */
const SCRIPT = '( echo on; exec sleep 100 ) > "$1" 2>/dev/null < /dev/null & wait'

it.skipIf(process.platform === 'win32')(
  'sec-705: what a stopped program started ends with it',
  async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const life = createReadStream(pipe)
    const stop = new AbortController()
    const running = runProgram('/bin/sh', {
      args: ['-c', SCRIPT, 'sh', pipe],
      cwd: folder,
      env: plainEnvironment(),
      maxBytes: 1_000,
      timeoutMs: 600_000,
      signal: stop.signal,
    })
    await once(life, 'data')
    const ended = once(life, 'end')
    stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    await ended
  },
  60_000,
)
