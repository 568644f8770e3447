/** What a newcomer types after the name of a ready-made server, and what is said about it. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFolder, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let folder: Awaited<ReturnType<typeof createFolder>>

beforeAll(async () => {
  folder = await createFolder()
})

afterAll(() => folder.close())

describe('newcomer 5, sec-682: no password of an address is repeated in an error', () => {
  const url = 'postgres://a:geheim@127.0.0.1:1/db'
  it.concurrent.each([
    [['call', 'sql', url, 'list_tables']],
    [['list', 'time', url, 'much']],
    [['call', 'time', 'current_time', '--header', 'Bearer geheim']],
    [[url]],
  ])('%j', async (words) => {
    const { code, stdout, stderr } = await runCli(words, {
      cwd: folder.path,
      env: { ...folder.env, PORTICO_DEBUG: '1' },
    })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/error: /)
    expect(stdout + stderr).not.toContain('geheim')
  })
})
