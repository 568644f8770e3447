/** The editor server with a small language server: what it shows, what it writes, and what it refuses. */

import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect, type ElicitationHandlers, type ProtocolVersion } from '@portico/sdk/client'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findLanguages, languageIdOf } from './languages.ts'
import { MessageReader, writeMessage } from './message-stream.ts'
import { applyEdits } from './positions.ts'
import { createEditorServer, type EditorOptions } from './server.ts'
import { readReport, reportText } from './test-reports.ts'

const SERVER = fileURLToPath(new URL('../../test/fixtures/language-server.mjs', import.meta.url))
const closers: (() => Promise<void>)[] = []
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-editor-test-'))
  await mkdir(join(folder, 'project', 'src'), { recursive: true })
})
beforeEach(async () => {
  await write('src/a.toy', 'alpha beta\nTODO teh alpha  \n')
  await write('src/b.toy', 'gamma alpha\n')
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
  await rm(folder, { recursive: true, force: true })
})

const write = (name: string, text: string) => writeFile(join(folder, 'project', name), text)
const read = (name: string) => readFile(join(folder, 'project', name), 'utf8')

interface Ask {
  readonly elicitation?: ElicitationHandlers
  readonly versions?: ProtocolVersion
}

async function start(options: Partial<EditorOptions> = {}, ask: Ask = {}): Promise<Client> {
  const { server, close } = await createEditorServer({
    directory: join(folder, 'project'),
    languages: [`.toy=${process.execPath} ${SERVER}`],
    ...options,
  })
  const client = await connect(server, ask)
  closers.push(async () => {
    await client.close()
    await close()
  })
  return client
}

async function say(client: Client, name: string, args: object): Promise<string> {
  const { content, isError } = await client.callTool(name, args as { [name: string]: unknown })
  const [block] = content
  const text = block?.type === 'text' ? block.text : ''
  return isError === true ? `ERROR ${text}` : text
}

const ALPHA = { path: 'src/a.toy', line: 1, word: 'alpha' }

describe('reading', () => {
  it('shows what is wrong with a file as it is on disk now', async () => {
    const client = await start()
    const wrong = 'src/a.toy:2:1 warning: something is to be done [toy]'
    expect(await say(client, 'diagnostics', { paths: ['src/a.toy', 'src/b.toy'] })).toBe(wrong)
    await write('src/a.toy', 'alpha\n')
    expect(await say(client, 'diagnostics', { paths: ['src/a.toy'] })).toBe('Nothing is wrong.')
  })

  it.each([
    ['symbols', { path: 'src/a.toy' }, ['function word 1–1', '  variable inner 1–1']],
    ['definition', ALPHA, ['src/a.toy:1:1  alpha beta']],
    ['definition', { path: 'src/a.toy', line: 1, column: 3 }, ['src/a.toy:1:1']],
    ['references', ALPHA, ['src/a.toy:1:1', 'src/a.toy:2:10', '[1 outside of the folder]']],
    ['hover', ALPHA, ['the word alpha']],
    ['find_symbol', { query: 'beta', near: 'src/a.toy' }, ['function beta  src/a.toy:1:7']],
    ['code_actions', { path: 'src/a.toy', line: 2 }, ['Mend the spelling', 'Run something', 'Do it']],
    ['hover', { ...ALPHA, word: 'nowhere' }, ['Line 1 does not contain "nowhere": alpha beta']],
    ['hover', { path: 'src/a.toy', line: 99 }, ['has no line 99']],
    ['hover', { path: 'notes.md', line: 1 }, ['There is no notes.md']],
  ])('%s %j', async (name, args, expected) => {
    const text = await say(await start(), name, args)
    for (const words of expected) expect(text).toContain(words)
    for (const hidden of ['\u202e', '/etc/']) expect(text).not.toContain(hidden)
  })

  it('says which languages there are, and that there are none', async () => {
    await write('x.md', '# x\n')
    expect(await say(await start(), 'symbols', { path: 'x.md' })).toContain('some for .toy')
    await expect(createEditorServer({ directory: folder, languages: ['toy=x'] })).rejects.toThrow('languages takes')
  })
})

describe('languages', () => {
  it.each([
    ['.ts', 'typescript'],
    ['.py', 'python'],
    ['.tsx', 'typescriptreact'],
    ['.toy', 'toy'],
  ])('servers 24: a file %s is %s to a server that the operator named', async (extension, id) => {
    const [language] = await findLanguages([`${extension}="/a path/with blanks" --stdio`])
    expect(language?.command).toEqual(['/a path/with blanks', '--stdio'])
    expect(language && languageIdOf(language, `a${extension}`)).toBe(id)
  })
})

describe('a workspace', () => {
  const toy = `.toy=${process.execPath} ${SERVER}`
  const none = { directory: '', languages: [toy] }

  it('servers 24: of several folders takes whole paths, and knows them all', async () => {
    const root = await realpath(folder)
    const [one, two] = [join(root, 'one'), join(root, 'two @ (2)')]
    for (const room of [one, two]) await mkdir(room, { recursive: true })
    await writeFile(join(one, 'a.toy'), 'alpha TODO\n')
    await writeFile(join(two, 'b.toy'), 'gamma alpha TODO\n')
    const client = await start({ ...none, directory: [one, two] })
    const [a, b] = [join(one, 'a.toy'), join(two, 'b.toy')]
    expect(await say(client, 'diagnostics', { paths: [a, b] })).toBe(
      [`${shown(a)}:1:7`, `${shown(b)}:1:13`].map((at) => `${at} warning: something is to be done [toy]`).join('\n'),
    )
    expect(await say(client, 'references', { path: a, line: 1, word: 'alpha' })).toContain(`${shown(b)}:1:7`)
    const said = await say(client, 'workspace', {})
    for (const words of [`folder ${one}`, `folder ${two}`, 'for .toy: running', `open ${shown(a)}`, `open ${shown(b)}`])
      expect(said).toContain(words)
    expect(await say(client, 'hover', { path: 'a.toy', line: 1 })).toContain('absolute path')
  })

  it('servers 24: files that are open are seen as others left them, and those that are gone are closed', async () => {
    const client = await start()
    await say(client, 'symbols', { path: 'src/b.toy' })
    await write('src/b.toy', 'gamma\nand then alpha\n')
    expect(await say(client, 'references', ALPHA)).toContain('src/b.toy:2:10  and then alpha')
    await rm(join(folder, 'project', 'src', 'b.toy'))
    expect(await say(client, 'references', ALPHA)).not.toContain('src/b.toy')
    expect(await say(client, 'workspace', {})).not.toContain('open src/b.toy')
  })

  it('servers 24: a server that is to be asked what is wrong is asked', async () => {
    await write('src/a.toy', 'alpha PULL\n')
    const client = await start({ languages: [`${toy} --pull`], settleMs: 60_000 })
    expect(await say(client, 'diagnostics', { paths: ['src/a.toy'] })).toBe('src/a.toy:1:7 error: was asked for')
    await write('src/a.toy', 'alpha\n')
    expect(await say(client, 'diagnostics', { paths: ['src/a.toy'] })).toBe('Nothing is wrong.')
  })

  it('servers 24: what a server says of a file as it was before is not taken for what is wrong now', async () => {
    await write('src/a.toy', 'alpha OLD\n')
    expect(await say(await start(), 'diagnostics', { paths: ['src/a.toy'] })).toBe('Nothing is wrong.')
  })

  it('servers 24: a name is looked for in every language, and a server that cannot be used is named', async () => {
    const client = await start({ languages: [toy, '.bad=/nowhere/at-all'] })
    await say(client, 'symbols', { path: 'src/a.toy' })
    const text = await say(client, 'find_symbol', { query: 'beta' })
    expect(text).toContain('function beta  src/a.toy:1:7')
    expect(text).toMatch(/^\[at-all: .*could not be started/m)
  })

  it('servers 24: an answer in parts is gone on with by the tool that gave it', async () => {
    const client = await start({ maxCharacters: 60 })
    for (const [tool, args] of [
      ['references', ALPHA],
      ['rename', { ...ALPHA, name: 'delta' }],
    ] as const) {
      const [, start = ''] = /ask again with start (\d+)/.exec(await say(client, tool, args)) ?? []
      expect(Number(start), tool).toBeGreaterThan(0)
      expect(await say(client, tool, { ...args, start: Number(start) }), tool).not.toMatch(/^ERROR/)
    }
  })
})

function shown(path: string): string {
  return path.replaceAll('\\', '/')
}

describe('edits', () => {
  it('are shown, and nothing is written without apply or without write', async () => {
    const client = await start()
    const shown = await say(client, 'rename', { ...ALPHA, name: 'delta' })
    expect(shown).toContain('-alpha beta')
    expect(shown).toContain('+delta beta')
    expect(await say(client, 'rename', { ...ALPHA, name: 'delta', apply: true })).toContain(
      'the option "write" allows it',
    )
    expect(await read('src/a.toy')).toContain('alpha')
  })

  for (const versions of ['2025-06-18', '2026-07-28'] as const) {
    it(`${versions}: are asked about with the whole difference, and written to every file`, async () => {
      const messages: string[] = []
      let confirm = false
      const elicitation: ElicitationHandlers = {
        form: async ({ message }) => {
          messages.push(message)
          return { action: 'accept', content: { confirm } }
        },
      }
      const client = await start({ write: true }, { elicitation, versions })
      await say(client, 'hover', { path: 'src/b.toy', line: 1, word: 'alpha' })
      const args = { ...ALPHA, name: 'delta', apply: true }
      expect(await say(client, 'rename', args)).toContain('did not agree')
      expect(await read('src/b.toy')).toBe('gamma alpha\n')
      confirm = true
      expect(await say(client, 'rename', args)).toBe('Changed src/b.toy, src/a.toy.')
      expect([await read('src/a.toy'), await read('src/b.toy')]).toEqual([
        'delta beta\nTODO teh delta  \n',
        'gamma delta\n',
      ])
      for (const part of ['+delta beta', '+gamma delta']) expect(messages.at(-1), 'sec-290').toContain(part)
    })
  }

  it('format and code actions write what they showed', async () => {
    const client = await start({ write: true, allowUnasked: true })
    expect(await say(client, 'format', { path: 'src/a.toy', apply: true })).toBe('Changed src/a.toy.')
    const action = { path: 'src/a.toy', line: 2, title: 'Mend the spelling' }
    expect(await say(client, 'code_actions', action)).toContain('+TODO the alpha')
    expect(await say(client, 'code_actions', { ...action, apply: true })).toBe('Changed src/a.toy.')
    expect(await read('src/a.toy')).toBe('alpha beta\nTODO the alpha\n')
    expect(await say(client, 'code_actions', { ...action, title: 'Run something' })).toContain('runs a command')
    expect(await say(client, 'code_actions', { ...action, title: 'Do it' })).toContain('change nothing')
    expect(await say(client, 'code_actions', { ...action, title: 'Nonsense' })).toContain('There is no action')
  })

  it.each([
    ['outside', 'outside of the folder'],
    ['remove', 'make, rename or delete files'],
    ['twice', 'overlap'],
  ])('sec-437: a language server that proposes "%s" changes nothing', async (name, words) => {
    const client = await start({ write: true, allowUnasked: true })
    expect(await say(client, 'rename', { ...ALPHA, name, apply: true })).toContain(words)
    expect(await read('src/a.toy')).toContain('alpha beta')
  })

  it('a file that somebody changed while the question was open is left as it is', async () => {
    const elicitation: ElicitationHandlers = {
      form: async () => {
        await write('src/a.toy', 'somebody else\n')
        return { action: 'accept', content: { confirm: true } }
      },
    }
    const client = await start({ write: true }, { elicitation, versions: '2025-06-18' })
    expect(await say(client, 'rename', { ...ALPHA, name: 'delta', apply: true })).toContain('changed meanwhile')
    expect(await read('src/a.toy')).toBe('somebody else\n')
  })
})

describe('paths', () => {
  it.each(['../secret.toy', '/etc/passwd', 'link.toy', '.env', 'src/../../secret.toy'])(
    'sec-437: %s is not reached by any tool',
    async (path) => {
      await writeFile(join(folder, 'secret.toy'), 'secret words\n')
      await write('.env', 'KEY=1\n')
      await symlink(join(folder, 'secret.toy'), join(folder, 'project', 'link.toy')).catch(() => {})
      const client = await start({
        languages: [`.toy,.env=${process.execPath} ${SERVER}`],
        write: true,
        allowUnasked: true,
      })
      for (const { name, inputSchema } of await client.listTools()) {
        const { properties = {} } = inputSchema as { properties?: object }
        if (!('path' in properties || 'paths' in properties)) continue
        const text = await say(client, name, {
          ...('paths' in properties ? { paths: [path] } : { path, line: 1, name: 'x' }),
        }).catch((error: Error) => `ERROR ${error.message}`)
        expect(text, name).toMatch(/^ERROR/)
        expect(text).not.toContain('secret words')
      }
    },
  )
})

describe('language servers that misbehave', () => {
  it.each([
    ['CRASH', /ended with code 3/],
    ['GARBAGE', /has no length/],
    ['HUGE', /999999999999 bytes/],
  ])('%s is told, and the next one starts anew', async (word, reason) => {
    const client = await start()
    await write('src/a.toy', `${word} alpha\n`)
    expect(await say(client, 'hover', { path: 'src/a.toy', line: 1, word: 'alpha' })).toMatch(reason)
    await write('src/a.toy', 'alpha\n')
    expect(await say(client, 'hover', { path: 'src/a.toy', line: 1, word: 'alpha' })).toContain('the word alpha')
  })

  it('a program that only repeats what it is told is no language server', async () => {
    const echo = `${process.execPath} -e process.stdin.pipe(process.stdout)`
    const client = await start({ languages: [`.toy=${echo}`] })
    for (const [name, args] of [
      ['hover', ALPHA],
      ['diagnostics', { paths: ['src/a.toy'] }],
    ] as const) {
      expect(await say(client, name, args)).toContain('is no language server')
    }
  })

  it('one that does not answer is given up, and one that is not there is named', async () => {
    const client = await start({ timeoutMs: 1000 })
    // On a busy machine it takes longer to start than it may: the next call starts another.
    await expect.poll(() => say(client, 'hover', ALPHA), { timeout: 60_000 }).toContain('the word alpha')
    expect(await say(client, 'rename', { ...ALPHA, name: 'never' })).toContain('option timeoutMs')
    expect(await say(client, 'hover', ALPHA)).toContain('the word alpha')
    const missing = await start({ languages: ['.toy=/nowhere/at-all'] })
    expect(await say(missing, 'hover', ALPHA)).toContain('could not be started')
  })
})

describe('messages', () => {
  it('come out whole however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.string()), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(50)),
        (sent, cuts) => {
          const bytes = Buffer.concat(sent.map((params) => writeMessage({ params })))
          const reader = new MessageReader(1_000_000)
          const got: unknown[] = []
          let at = 0
          for (const cut of [...cuts, bytes.length]) {
            got.push(...reader.push(bytes.subarray(at, at + cut)))
            at += cut
          }
          expect(got).toEqual(sent.map((params) => ({ jsonrpc: '2.0', params })))
        },
      ),
    )
  })

  it('edits that do not overlap give the same text in any order', () => {
    const text = 'one two\nthree\n'
    const at = (line: number, character: number, end: number, newText: string) => ({
      range: { start: { line, character }, end: { line, character: end } },
      newText,
    })
    const edits = [at(0, 0, 3, '1'), at(0, 4, 7, '2'), at(1, 0, 5, '3'), at(9, 0, 0, 'end')]
    expect(applyEdits(text, edits)).toBe('1 2\n3\nend')
    expect(applyEdits(text, [...edits].reverse())).toBe('1 2\n3\nend')
  })
})

describe('test reports', () => {
  const junit =
    '<testsuites><testsuite><testcase classname="a" name="b"/><testcase name="c"><failure message="no &lt;x&gt;">at c</failure></testcase><testcase name="d"><skipped/></testcase></testsuite></testsuites>'
  const tap = 'TAP version 13\n1..3\nok 1 - a\nnot ok 2 - c\n  ---\n  message: no <x>\nok 3 - d # SKIP later\n'
  const json = JSON.stringify({
    testResults: [
      {
        assertionResults: [
          { status: 'passed', title: 'a' },
          { status: 'failed', fullName: 'c', failureMessages: ['no <x>'] },
          { status: 'pending', title: 'd' },
        ],
      },
    ],
  })

  it.each([
    ['r.xml', junit],
    ['r.tap', tap],
    ['r.json', json],
  ])('%s', async (file, content) => {
    const report = await readReport(file, content)
    expect(report).toMatchObject({ passed: 1, skipped: 1 })
    expect(reportText(file, report)).toMatch(new RegExp(`^${file}: 1 passed, 1 failed, 1 skipped\\n✗ c\\n    `))
    expect(reportText(file, report)).toContain('no <x>')
  })

  it.each(['2025-06-18', '2026-07-28'] as const)(
    '%s: are a tool and a resource whose subscribers hear of the next run',
    async (versions) => {
      const client = await start({ reports: ['r.tap', 'gone.xml'] }, { versions })
      await write('r.tap', tap)
      expect(await say(client, 'test_results', {})).toContain('gone.xml: there is no report yet')
      const { contents } = await client.readResource('editor://tests')
      expect(JSON.stringify(contents)).toContain('1 failed')
      const changes: string[] = []
      const subscription = await client.subscribe('editor://tests', (change) => changes.push(change.kind))
      await write('r.tap', tap.replace('not ok', 'ok'))
      await expect.poll(() => changes.length, { timeout: 20_000 }).toBeGreaterThan(0)
      await subscription.close()
    },
  )
})
