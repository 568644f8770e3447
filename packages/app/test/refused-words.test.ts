/** What is answered to words that cannot be meant so: the thing that is wrong, and how it is written. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFolder, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  spawnSync('git', ['init', '--quiet', join(folder.path, 'repo')])
})
afterAll(() => folder.close())

describe('words that cannot be meant so (newcomer 22)', () => {
  it.each<[string, string[], number, RegExp]>([
    ['a file that is not there', ['run', 'missing.ts'], 3, /There is no file missing\.ts/],
    ['--wait without --task', ['call', 'time', 'now', '--wait'], 2, /--wait belongs to --task[\s\S]*`--task --wait`/],
    ['an unknown action of servers', ['servers', 'frobnicate'], 2, /Use one of status, add, remove/],
    [
      'a tool that an option adds',
      ['call', 'git', './repo', 'stage', 'paths=a'],
      3,
      /no tool "stage"[\s\S]*`--write` adds it: `portico call stage … -- git \.\/repo --write`/,
    ],
    [
      'a folder that is not there',
      ['list', '--', 'editor', './nowhere'],
      2,
      /error: editor: there is no directory \S*nowhere/,
    ],
  ])('%s', async (_what, words, code, says) => {
    const ran = await runCli(words, { cwd: folder.path, env: folder.env, input: 'none' })
    expect(ran).toMatchObject({ code, stderr: expect.stringMatching(says) })
  })

  it('`servers list` is what `servers` shows', async () => {
    const options = { cwd: folder.path, env: folder.env, input: 'none' }
    expect(await runCli(['servers', 'list'], options)).toEqual(await runCli(['servers'], options))
  })
})
