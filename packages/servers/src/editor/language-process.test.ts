import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { LanguageProcess } from './language-process.ts'

/** One that reads nothing and answers nothing. */
const start = (): LanguageProcess =>
  new LanguageProcess({
    command: [process.execPath, '-e', 'setInterval(() => {}, 1_000)'],
    cwd: tmpdir(),
    timeoutMs: 600_000,
    maxMessageBytes: 1_000_000,
    maxMemoryBytes: 2 ** 32,
    onNotice: () => {},
  })

it('a server that hangs is not waited for as long as for an answer', async () => {
  await start().close()
}, 60_000)

it('a request that was cancelled before is not made', async () => {
  const hanging = start()
  await expect(hanging.request('x', {}, AbortSignal.abort())).rejects.toThrow('cancelled')
  hanging.end('the test is over')
}, 60_000)
