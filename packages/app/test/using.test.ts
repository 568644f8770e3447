import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, type Ran, runCli, startCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
const SERVER = `${process.execPath} ${FIXTURE}`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.close())

const run = (words: readonly string[], input?: string): Promise<Ran> =>
  runCli(words, { cwd: folder.path, env: folder.env, ...(input !== undefined && { input }) })

describe.concurrent('portico call', () => {
  it.each<{ what: string; words: string[]; input?: string; says: string }>([
    { what: 'typed pairs', words: ['name=Ada', 'times=3', 'loud=true'], says: '{"name":"Ada","times":3,"loud":true}' },
    { what: 'a repeated key as a list', words: ['name=A', 'tags=x', 'tags=y'], says: '{"name":"A","tags":["x","y"]}' },
    { what: 'JSON', words: ['--args', '{"name":"J"}', 'times=1'], says: '{"name":"J","times":1}' },
    { what: 'standard input', words: ['-'], input: '{"name":"S"}', says: '{"name":"S"}' },
  ])('takes arguments as $what, and prints the text alone', async ({ words, input, says }) => {
    expect(await run(['call', SERVER, 'greet', ...words], input)).toEqual({
      code: 0,
      stdout: `Hello, ${says}\n`,
      stderr: '',
    })
  })

  it.each<{ what: string; words: string[]; input?: string; code: number; says: RegExp }>([
    {
      what: 'a value of the wrong type, by its name',
      words: ['greet', 'name=A', 'times=many'],
      code: 2,
      says: /times must be of type integer, not "many"/,
    },
    {
      what: 'a value of the wrong type in JSON',
      words: ['greet', '--args', '{"name":5}'],
      code: 2,
      says: /name must be of type string, not 5/,
    },
    {
      what: 'what is none of the choices',
      words: ['greet', 'name=A', 'mood=odd'],
      code: 2,
      says: /mood must be one of glad, sad/,
    },
    {
      what: 'a missing argument',
      words: ['greet', 'times=1'],
      code: 2,
      says: /name is missing\n {2}greet takes: name=<string>/,
    },
    { what: 'an unknown argument', words: ['greet', 'name=A', 'nam=B'], code: 2, says: /greet has no argument "nam"/ },
    { what: 'bad JSON', words: ['greet', '--args', '{"name": '], code: 2, says: /--args is not JSON/ },
    {
      what: 'bad JSON on standard input',
      words: ['greet', '-'],
      input: 'nonsense',
      code: 2,
      says: /Standard input is not JSON/,
    },
    { what: 'an unknown tool', words: ['gret'], code: 3, says: /has no tool "gret"\n {2}Did you mean "greet"\?/ },
    {
      what: 'an unknown option',
      words: ['greet', '--nonsense'],
      code: 2,
      says: /Unknown option '--nonsense'\n {2}.*See `portico call --help`/,
    },
  ])('says $what in one line with what to do', async ({ words, input, code, says }) => {
    const ran = await run(['call', SERVER, ...words], input)
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) })
    expect(ran.stderr).toMatch(/^error: /)
    expect(ran.stderr).not.toMatch(/\n\s+at /)
  })

  it.each<{ what: string; words: string[]; code: number; says: RegExp }>([
    { what: 'unknown', words: ['nobody'], code: 3, says: /There is no server "nobody"/ },
    { what: 'not listening', words: ['http://127.0.0.1:1/mcp'], code: 4, says: /Nothing listens at 127\.0\.0\.1:1/ },
    {
      what: 'no program',
      words: ['portico-no-such-program --x'],
      code: 4,
      says: /"portico-no-such-program" was not found/,
    },
    { what: 'no file', words: ['./missing.ts'], code: 3, says: /There is no file \.\/missing\.ts/ },
    {
      what: 'a program that ends at once',
      words: [`${process.execPath} -e process.exit(3)`],
      code: 4,
      says: /error: /,
    },
    { what: 'not closed in its quotes', words: ['node "server.mjs'], code: 2, says: /A quote is not closed/ },
  ])('says so when the server is $what', async ({ words, code, says }) => {
    const ran = await run(['call', ...words, 'greet'])
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) })
    expect(ran.stderr).not.toMatch(/\n\s+at /)
  })

  it('gives the whole result as JSON', async () => {
    const { code, stdout } = await run(['call', SERVER, 'greet', 'name=Ada', '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ structuredContent: { greeting: 'Ada' } })])
  })

  it("shows a server's error without letting it act on the terminal (host 16, sec-221)", async () => {
    expect(await run(['call', SERVER, 'broken'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: bad ⟦U+001B⟧]0;owned⟦U+0007⟧⟦U+001B⟧[2J⟦U+202E⟧\n',
    })
  })

  it('ends with 1 when the tool reports an error, on standard error unless JSON is asked for', async () => {
    expect(await run(['call', SERVER, 'fail'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: fail reports: the disk is full\n',
    })
    const { code, stdout } = await run(['call', SERVER, 'fail', '--json'])
    expect([code, JSON.parse(stdout).isError]).toEqual([1, true])
  })

  it('takes a command with options of its own after --', async () => {
    const { code, stdout } = await run(['call', 'greet', 'name=Ada', '--json', '--', process.execPath, FIXTURE, ''])
    expect([code, JSON.parse(stdout).content[0].text]).toEqual([0, 'Hello, {"name":"Ada"}'])
  })

  it('lists the tools with their arguments when none is named', async () => {
    const { code, stdout } = await run(['call', SERVER])
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('greet\tname=<string> [times=<integer>] [loud=<boolean>]'),
    ])
  })

  it('cancels the call on Ctrl-C, ends with 130, and leaves no process', async () => {
    const notes = join(folder.path, 'interrupted.txt')
    const running = startCli(['call', `${SERVER} ${notes}`, 'wait'], { cwd: folder.path, env: folder.env })
    await expect.poll(() => readFile(notes, 'utf8').catch(() => '')).toContain('waiting')
    running.interrupt()
    expect(await running.ended).toEqual({ code: 130, stdout: '', stderr: '' })
    const said = await readFile(notes, 'utf8')
    expect(said).toContain('cancelled')
    expect(() => process.kill(Number(/pid (\d+)/.exec(said)?.[1]), 0)).toThrow()
  })

  it('ends with 6 when it takes too long', async () => {
    expect(await run(['call', SERVER, 'wait', '--timeout', '0.2'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('--timeout'),
    })
  })

  it('does not offer to ask where nobody can be asked', async () => {
    const { code, stderr } = await run(['call', SERVER, 'ask'])
    expect([code, stderr]).toEqual([5, expect.stringContaining('elicitation')])
  })
})

describe.concurrent('portico list', () => {
  it('has a line for each item, with tabs for programs', async () => {
    const { code, stdout, stderr } = await run(['list', SERVER])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('tool\tgreet\tGreets somebody\n')
    expect(stdout).toContain('resource\tnote://one\tone\n')
    expect(stdout).toContain('prompt\treview\tReviews\n')
  })

  it('gives definitions as JSON, of one kind or of all', async () => {
    const one = JSON.parse((await run(['list', SERVER, 'tools', '--json'])).stdout)
    const all = JSON.parse((await run(['list', SERVER, '--json'])).stdout)
    expect(one).toEqual(all.tools)
    expect(Object.keys(all)).toEqual(['tools', 'resources', 'templates', 'prompts'])
  })

  it('speaks the revision that is asked for, and says when the server does not', async () => {
    expect(await run(['list', SERVER, 'tools', '--protocol', '2024-11-05'])).toMatchObject({ code: 0 })
    expect(await run(['list', SERVER, '--protocol', '2026-07-28'])).toMatchObject({ code: 4, stdout: '' })
    expect(await run(['list', SERVER, '--protocol', '1999-01-01'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--protocol takes one of'),
    })
  })

  it('refuses a kind that does not exist', async () => {
    expect(await run(['list', SERVER, 'toys'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are no "toys"'),
    })
  })
})

describe.concurrent('portico read, prompt, types', () => {
  it('prints a text as it is, and bytes as bytes', async () => {
    expect(await run(['read', SERVER, 'note://one'])).toEqual({
      code: 0,
      stdout: 'first line\nsecond line\n',
      stderr: '',
    })
    const file = join(folder.path, 'bytes.png')
    expect(await run(['read', SERVER, 'note://bytes', '-o', file])).toMatchObject({ code: 0, stdout: '' })
    expect([...(await readFile(file))]).toEqual([0, 1, 2, 255])
  })

  it('ends with 3 for a resource that is not there', async () => {
    expect(await run(['read', SERVER, 'note://none'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^error: There is no note:\/\/none/),
    })
    expect(await run(['read', SERVER])).toMatchObject({ code: 2, stderr: expect.stringContaining('<uri> is missing') })
  })

  it('fills in a prompt', async () => {
    expect(await run(['prompt', SERVER, 'review', 'language=Rust'])).toEqual({
      code: 0,
      stdout: 'user: Review this Rust.\n',
      stderr: '',
    })
    expect(await run(['prompt', SERVER, 'review'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('language is missing'),
    })
    expect(await run(['prompt', SERVER, 'revue'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Did you mean "review"?'),
    })
  })

  it('writes types that name the tools', async () => {
    const { code, stdout, stderr } = await run(['types', SERVER, '--name', 'Desk'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/export interface Desk \{[\s\S]*"greet"[\s\S]*"times"\?: number/)
    const file = join(folder.path, 'desk.ts')
    expect(await run(['types', SERVER, '-o', file])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('FixtureServer'),
    })
  })
})

describe.concurrent('portico listen', () => {
  it('prints changes and logs, one JSON document a line, and ends after the count', async () => {
    const { code, stdout } = await run(['listen', SERVER, 'note://one', '-n', '2', '--json'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, lines]).toEqual([
      0,
      [
        expect.objectContaining({ type: 'log', level: 'warning', data: 'it is warm' }),
        expect.objectContaining({ type: 'change', kind: 'resource', uri: 'note://one' }),
      ],
    ])
  })

  it('ends on Ctrl-C with 0', async () => {
    const running = startCli(['listen', SERVER], { cwd: folder.path, env: folder.env })
    await running.until('stdout', /log warning it is warm/)
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
  })
})
