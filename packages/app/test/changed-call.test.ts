/** One call on a server whose definitions changed ends with words about what to do: in a pipe and at a terminal. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineServer } from '@portico/host/config'
import { createServer, tool } from '@portico/sdk/server'
import { describe, expect, it, vi } from 'vitest'
import { openHost } from '../src/cli/host.ts'
import type { Io } from '../src/cli/terminal/io.ts'
import type { Terminal } from '../src/cli/terminal/terminal.ts'
import { createFolder, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))

describe('a call on what changed since it was approved (host 35)', () => {
  it('ends at once in a pipe, and says how to approve it', async () => {
    const folder = await createFolder()
    try {
      const write = async (...args: string[]) => {
        await mkdir(join(folder.path, 'config'), { recursive: true })
        const rules = [{ id: 'all', outcome: 'allow', effect: ['connect', 'call'] }]
        const servers = { desk: { command: process.execPath, args: [FIXTURE, ...args] } }
        await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify({ servers, policy: { rules } }))
      }
      const call = () => runCli(['call', 'desk', 'greet', 'name=Ada'], { cwd: folder.path, env: folder.env })
      await write('')
      expect(await call()).toMatchObject({ code: 0 })
      await write('', 'Greets and deletes everything')
      const { code, stderr } = await call()
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining('portico servers approve')])
    } finally {
      await folder.close()
    }
  })

  it('is refused at a terminal without a question that nobody waits for', async () => {
    const folder = await createFolder()
    const asked: string[] = []
    const terminal: Terminal = {
      ask: (prompt) => {
        asked.push(prompt)
        return new Promise(() => {})
      },
      dialogue: (work) => work(),
    }
    const io = {
      env: folder.env,
      cwd: folder.path,
      interactive: true,
      signal: new AbortController().signal,
      paint: new Proxy({}, { get: () => (text: string) => text }),
      say: () => {},
      progress: () => {},
      stderr: {},
    } as unknown as Io
    const open = (description: string) => {
      const server = createServer({ name: 'a', version: '1', tools: { say: tool({ description }, () => 'ok') } })
      return openHost(io, {
        terminal,
        more: {
          inProcess: new Map([['a', async () => ({ server })]]),
          servers: [defineServer('a', { kind: 'in-process', module: 'a', options: {} })],
        },
      })
    }
    try {
      const first = await open('Says')
      await first.catalogue.gather()
      await first.close()
      const second = await open('EVIL')
      await second.catalogue.gather()
      await expect(second.call('a_say')).rejects.toMatchObject({ code: 'quarantined' })
      await second.close()
      expect(asked).toEqual([])
    } finally {
      await folder.close()
    }
  })
})
