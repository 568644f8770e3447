import { once } from 'node:events'
import { expect, it } from 'vitest'
import { startReadyProcess } from '../../src/machine/source-process.ts'

const fixtures = new URL('../fixtures/here.ts', import.meta.url).href

it('what fills its memory ends by itself, and nothing else does', async () => {
  const child = await startReadyProcess(fixtures, 'memory-hog', 64)
  child.send('fill')
  const [code, signal] = await once(child, 'exit')
  expect(code === 0, `ended with ${code} ${signal}`).toBe(false)
})

it('knows nothing of the environment, and ends when whoever asked is gone', async () => {
  const child = await startReadyProcess(fixtures, 'memory-hog', 64)
  child.send('stay')
  const [reply] = await once(child, 'message')
  expect(reply.environment).not.toContain('PATH')
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('says so when it does not start', async () => {
  await expect(startReadyProcess(fixtures, 'web-site', 64)).rejects.toThrow('did not start')
})
