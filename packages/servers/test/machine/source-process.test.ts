import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startReadyProcess } from '../../src/machine/source-process.ts'

const fixtures = new URL('../fixtures/here.ts', import.meta.url).href
const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
const PARENT = fileURLToPath(new URL('../fixtures/endless-parent.ts', import.meta.url))

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

it('sec-694 a process that works without end ends by itself when the one that started it is killed (servers 18)', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const parent = spawn(process.execPath, [`--import=${import.meta.resolve('tsx')}`, PARENT, String(port)], {
    stdio: 'ignore',
  })
  try {
    // The connection lives as long as the process, and the system ends it with it.
    const [connection] = (await once(listener, 'connection')) as [Socket]
    connection.on('error', () => {})
    await once(connection, 'data')
    const closed = once(connection, 'close')
    parent.kill('SIGKILL')
    await closed
  } finally {
    parent.kill('SIGKILL')
    listener.close()
  }
}, 30_000)

it('sec-694 every process of our own is started in the one place that has it end with its parent', () => {
  const starters = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) =>
      /spawn\w*\(process\.execPath|\bfork\(|new Worker\(/.test(readFileSync(join(SOURCES, path), 'utf8')),
    )
  expect(starters.map((path) => path.replaceAll('\\', '/'))).toEqual(['machine/source-process.ts'])
})
