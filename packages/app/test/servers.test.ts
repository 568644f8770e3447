import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder, type Ran, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))

interface Place {
  readonly path: string
  readonly config: string
  run(...words: string[]): Promise<Ran>
  configure(config: object): Promise<void>
}

/** A home and a project of its own for each test, so that they can run side by side. */
async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await createFolder()
  const project = join(folder.path, 'project')
  const config = join(folder.path, 'config', 'portico.json')
  try {
    await mkdir(project)
    await work({
      path: folder.path,
      config,
      run: (...words) => runCli(words, { cwd: project, env: folder.env }),
      configure: async (content) => {
        await mkdir(join(folder.path, 'config'), { recursive: true })
        await writeFile(config, JSON.stringify(content))
      },
    })
  } finally {
    await folder.close()
  }
}

const desk = (...args: string[]) => ({ command: process.execPath, args: [FIXTURE, ...args] })

describe.concurrent('portico servers', () => {
  it('adds a program and an address, and shows how they are', () =>
    inPlace(async ({ run, config }) => {
      const added = await run('servers', 'add', 'desk', '--env', 'A=1', '--', process.execPath, FIXTURE, '--flag')
      expect(added).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('Written to') })
      expect(await run('servers', 'add', 'web', 'https://example.com/mcp', '--header', 'X-Team: blue')).toMatchObject({
        code: 0,
      })
      expect(JSON.parse(await readFile(config, 'utf8')).servers).toMatchObject({
        desk: { command: process.execPath, args: [FIXTURE, '--flag'], env: { A: '1' } },
        web: { url: 'https://example.com/mcp', headers: { 'X-Team': 'blue' } },
      })
      const status = await run('servers', '--json')
      // Nobody has approved them, and in a status nobody is asked.
      expect([status.code, JSON.parse(status.stdout)]).toEqual([
        1,
        ['desk', 'web'].map((name) => expect.objectContaining({ name, state: 'failed' })),
      ])
    }))

  it('disables, exports and removes', () =>
    inPlace(async ({ run, configure, config }) => {
      await configure({ servers: { web: { url: 'https://example.com/mcp' } } })
      expect(await run('servers', 'disable', 'web')).toMatchObject({ code: 0, stderr: 'web is disabled.\n' })
      expect(JSON.parse(await readFile(config, 'utf8')).servers.web).toMatchObject({ disabled: true })
      const exported = await run('servers', 'export', 'cursor')
      expect(JSON.parse(exported.stdout).mcpServers.web).toMatchObject({ url: 'https://example.com/mcp' })
      expect(await run('servers', 'remove', 'web')).toMatchObject({ code: 0 })
      expect(await run('servers', 'remove', 'web')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('There is no server "web"'),
      })
    }))

  it('says when none is configured, and when the file cannot be read', () =>
    inPlace(async ({ run, configure, config }) => {
      expect(await run('servers')).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('No server is configured'),
      })
      await configure({})
      await writeFile(config, '{ "servers": ')
      expect(await run('list', 'desk')).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining(config) })
    }))

  it.each([
    { words: ['servers', 'lst'], code: 2, says: 'there is no action "lst"' },
    { words: ['servers', 'add', 'x'], code: 2, says: 'a name and a URL or command are needed' },
    { words: ['servers', 'add', 'a b', 'https://x.example'], code: 2, says: 'cannot be a name' },
    { words: ['servers', 'export', 'emacs'], code: 2, says: 'takes one program' },
    { words: ['servers', 'import', 'emacs'], code: 2, says: '"emacs" is not known' },
    { words: ['servers', 'sign-in', 'nobody'], code: 3, says: 'There is no server "nobody"' },
    { words: ['servers', 'logs'], code: 2, says: 'takes one name' },
    { words: ['servers', '--config', 'missing.json'], code: 3, says: 'There is no file missing.json' },
  ])('refuses $words with $code', ({ words, code, says }) =>
    inPlace(async ({ run }) => {
      expect(await run(...words)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) })
    }),
  )

  it('takes over the servers of another program, and leaves those there are', () =>
    inPlace(async ({ run, configure, config, path }) => {
      await writeFile(
        join(path, 'project', '.mcp.json'),
        JSON.stringify({ mcpServers: { desk: desk(), other: desk('x') } }),
      )
      await configure({ servers: { desk: desk('mine') } })
      expect((await run('servers', 'import')).stdout).toMatch(/^desk\t.*\.mcp\.json\t.*\nother\t/)
      const { code, stderr } = await run('servers', 'import', 'claude-code')
      expect([code, stderr]).toEqual([0, expect.stringMatching(/desk is configured already[\s\S]*Added to .*: other/)])
      expect(JSON.parse(await readFile(config, 'utf8')).servers.desk.args).toContain('mine')
    }))

  it("uses a project's file only once it is trusted, and no longer when it has changed", () =>
    inPlace(async ({ run, path }) => {
      const file = join(path, 'project', 'portico.json')
      await writeFile(file, JSON.stringify({ servers: { desk: desk() } }))
      expect(await run('list', 'desk', '--yes')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('portico servers trust'),
      })
      expect(await run('servers', 'trust')).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /There is no terminal to ask in: Trust this file as it is\?[\s\S]*say yes to that with `--yes`/,
        ),
      })
      expect(await run('servers', 'trust', '--yes')).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(FIXTURE),
      })
      expect(await run('list', 'desk', 'tools', '--yes')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('greet'),
      })
      await writeFile(file, JSON.stringify({ servers: { desk: desk('changed') } }))
      expect(await run('list', 'desk', '--yes')).toMatchObject({ code: 5 })
    }))
})

describe.concurrent('a configured server', () => {
  it('is not used where nobody can be asked, unless --yes says so for this one time (sec-161)', () =>
    inPlace(async ({ run, configure }) => {
      await configure({ servers: { desk: desk() } })
      const refused = await run('call', 'desk', 'greet', 'name=Ada')
      expect(refused).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringMatching(/Nobody is there to be asked[\s\S]*--yes/),
      })
      expect(await run('call', 'desk', 'greet', 'name=Ada', '--yes')).toEqual({
        code: 0,
        stdout: 'Hello, {"name":"Ada"}\n',
        stderr: '',
      })
      expect(await run('call', 'desk', 'greet', 'name=Ada')).toMatchObject({ code: 5 })
    }))

  // Nine programs one after the other, each as slow as the machine is.
  it('obeys the rules, whatever --yes says', { timeout: 600_000 }, () =>
    inPlace(async ({ run, configure, path }) => {
      const rules = [
        { id: 'start', outcome: 'allow', effect: 'connect' },
        { id: 'quiet', outcome: 'deny', effect: 'call', item: 'fail', because: 'It always fails' },
        { id: 'hello', outcome: 'allow', effect: 'call', item: 'greet' },
      ]
      await configure({ servers: { desk: desk() }, policy: { rules } })
      expect(await run('call', 'desk', 'greet', 'name=Ada')).toMatchObject({
        code: 0,
        stdout: 'Hello, {"name":"Ada"}\n',
      })
      expect(await run('call', 'desk', 'fail', '--yes')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('It always fails'),
      })
      expect(await run('policy', 'explain', 'call', 'desk', 'fail')).toMatchObject({
        code: 0,
        stdout: 'deny\n',
        stderr: expect.stringContaining('matches quiet'),
      })
      expect(await run('policy', 'explain', 'read', 'desk', 'note://one')).toMatchObject({ code: 0, stdout: 'ask\n' })
      const audit = await run('audit', 'search', '--outcome', 'deny', '--json')
      expect(
        audit.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual([expect.objectContaining({ server: 'desk', item: 'fail', rule: 'quiet' })])
      expect(await run('audit', 'verify')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whole\t/) })
      const log = join(path, 'state', 'audit', 'audit.jsonl')
      await writeFile(log, (await readFile(log, 'utf8')).replace('"fail"', '"tail"'))
      expect(await run('audit', 'verify')).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^broken\t[\s\S]*not what was written/),
      })
    }),
  )
})

describe.concurrent('portico lock and verify', () => {
  it('finds a changed description, and says what was and what is', () =>
    inPlace(async ({ run, configure, path }) => {
      const rules = [{ id: 'start', outcome: 'allow', effect: 'connect' }]
      await configure({ servers: { desk: desk('') }, policy: { rules } })
      expect(await run('verify')).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no lock file') })
      expect(await run('lock')).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('portico.lock.json'),
      })
      expect(await run('verify')).toMatchObject({ code: 0, stdout: '' })
      await configure({ servers: { desk: desk('', 'Greets and deletes everything') }, policy: { rules } })
      const { code, stdout } = await run('verify')
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(
          /desk: the tool "greet" changed\n {2}description\n {4}- Greets .*somebody[\s\S]*\+ .*deletes/,
        ),
      ])
      await writeFile(join(path, 'project', 'portico.lock.json'), '[]')
      expect(await run('verify')).toMatchObject({ code: 7, stderr: expect.stringContaining('is no lock file') })
    }))
})
