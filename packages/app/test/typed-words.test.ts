/** What a newcomer types after the name of a ready-made server, and what is said about it. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

describe('what is said where a ready-made server cannot be made fits what is missing', () => {
  it.concurrent.each([
    { words: ['list', '--', 'slack'], says: /SLACK_TOKEN/, never: /after the server|Correct/ },
    { words: ['list', 'asana'], says: /ASANA_TOKEN/, never: /after the server|Correct/ },
    { words: ['list', 'mongo'], says: /PORTICO_MONGO_URL/, never: /after the server|Correct/ },
    { words: ['list', 'git'], says: /error: git: name .*\n.*`portico list git \.\/project`/, never: /git: git|docs/ },
    { words: ['list', 'files'], says: /error: files: name .*\n.*`portico list files \.\/docs`/, never: /files: files/ },
    { words: ['list', 'graphql'], says: /`portico list graphql https:/, never: /in front/ },
    { words: ['run', 'files'], says: /name at least one directory.*\n.*`portico run files/, never: /standard input/ },
    { words: ['run', 'files', './nosuch'], says: /nosuch/, never: /standard input/ },
    { words: ['run', 'time'], says: /standard input.*\n.*`portico call time <tool>`/, never: /a file directly/ },
    { words: ['call', 'now', '--', 'tiem'], says: /Did you mean "time"\?/, never: /^$/ },
    { words: ['run', 'files', '.', '--max-results', '-5'], says: /`--max-results=-5`/, never: /ambiguous|XYZ|forget/ },
    { words: ['run', 'files', '.', '--max-results=-5'], says: /`--max-results` must be/, never: /maxResults/ },
    { words: ['list', 'time', '--timeout'], says: /--timeout takes a value/, never: /argument missing/ },
  ])('$words', async ({ words, says, never }) => {
    const { code, stderr } = await runCli(words, { cwd: folder.path, env: folder.env, input: 'none' })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(says)
    expect(stderr).not.toMatch(never)
  })

  it('help shows both orders of the words', async () => {
    const { stdout } = await runCli(['call', '--help'], { cwd: folder.path, env: folder.env })
    expect(stdout).toMatch(/portico call \[options\] \[tool\] \[args…\] -- <server…>/)
  })
})

describe('sec-810: a name in a file that nobody has trusted means no other server', () => {
  it('not the ready-made one either, until it is trusted, and after it no longer is', async () => {
    const cwd = join(folder.path, 'project')
    await mkdir(cwd)
    await writeFile(join(cwd, 'portico.json'), JSON.stringify({ servers: { time: { module: 'time' } } }))
    const run = (...words: string[]) => runCli(words, { cwd, env: folder.env })
    const refused = { code: 5, stdout: '', stderr: expect.stringContaining('nobody has trusted yet') }
    expect(await run('list', 'time')).toMatchObject(refused)
    expect(await run('list', '--', 'time')).toMatchObject({ code: 0 })
    expect(await run('servers', 'trust', '--yes')).toMatchObject({ code: 0 })
    expect((await run('list', 'time', '--yes')).stderr).not.toContain('nobody has trusted')
    expect(await run('servers', 'untrust')).toMatchObject({ code: 0, stderr: expect.stringContaining('no longer') })
    expect(await run('servers', 'untrust')).toMatchObject({ code: 0, stderr: expect.stringContaining('was not') })
    expect(await run('list', 'time')).toMatchObject(refused)
  })
})

describe('sec-811: no password of an address in an entry is shown', () => {
  it.each([[['servers']], [['servers', '--json']], [['doctor']], [['doctor', '--json']]])('%j', async (words) => {
    const config = join(folder.path, `hidden-${words.join('')}.json`)
    const [command, args] = [process.execPath, ['-e', '', 'mysql://ada:geheim@db.example/a']]
    const env = { PORTICO_SQL_URL: 'postgres://reader:geheim@db.example/shop' }
    await writeFile(config, JSON.stringify({ servers: { shop: { command, args, env } } }))
    const { stdout, stderr } = await runCli([...words, '--config', config], { cwd: folder.path, env: folder.env })
    expect(stdout + stderr).toContain('shop')
    expect(stdout + stderr).not.toContain('geheim')
  })
})
