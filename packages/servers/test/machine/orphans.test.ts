/** No process that a server starts outlives it, even if the server is killed and has no moment left to end anything. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { STARTERS } from '../fixtures/endless-parent.ts'

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
const PARENT = fileURLToPath(new URL('../fixtures/endless-parent.ts', import.meta.url))

describe('sec-694 a process that hears nothing ends when the server that started it is killed (servers 18)', () => {
  it.each(Object.keys(STARTERS))('%s', { timeout: 120_000 }, async (starter) => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const loader = ['--conditions=portico-source', `--import=${import.meta.resolve('tsx')}`]
    const parent = spawn(process.execPath, [...loader, PARENT, starter, String(port)], { stdio: 'ignore' })
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
  })
})

it('sec-694 every process is started in one of the two places that have it end with its parent', () => {
  const starters = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => {
      const text = readFileSync(join(SOURCES, path), 'utf8').replace(/import type .*/g, '')
      return /node:child_process|spawnPiped|new Worker\(/.test(text)
    })
  const names = starters.map((path) => path.replaceAll('\\', '/')).sort()
  expect(names).toEqual(['machine/kept-child.ts', 'machine/source-process.ts'])
})
