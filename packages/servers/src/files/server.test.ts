import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CallToolResult } from '@portico/sdk/client'
import { lintServer } from '@portico/sdk/lint'
import { type Answers, type TestClient, testClient } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReadyServer } from '../entry.ts'
import { openFile, withDirectory } from './anchor.ts'
import { Confinement } from './confine.ts'
import { entry } from './entry.ts'
import type { FilesOptions } from './options.ts'
import { createFilesServer } from './server.ts'

const ERAS = ['2025-06-18', '2026-07-28'] as const
const SECRET = 'the secret outside'

let base: string
let inside: string
let outside: string
const open_: (() => Promise<void>)[] = []

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'portico-files-')))
  inside = join(base, 'inside')
  outside = join(base, 'outside')
  await mkdir(join(inside, 'sub', 'deep'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), SECRET)
  await writeFile(join(inside, 'hello.txt'), 'one\ntwo\nthree\n')
  await writeFile(join(inside, 'sub', 'note.md'), '# Note\nneedle here\n')
  await writeFile(join(inside, 'sub', 'deep', 'x.ts'), 'const needle = 1\n')
})

afterEach(async () => {
  for (const close of open_.splice(0)) await close()
  await rm(base, { recursive: true, force: true })
})

async function start(options: Partial<FilesOptions> = {}): Promise<ReadyServer> {
  const ready = await createFilesServer({ directories: [inside], ...options })
  open_.push(() => ready.close())
  return ready
}

async function begin(
  options: Partial<FilesOptions> = {},
  { version = '2026-07-28', answers = {} }: { version?: (typeof ERAS)[number]; answers?: Answers } = {},
): Promise<TestClient> {
  const client = await testClient((await start(options)).server, { version, answers })
  open_.push(() => client.close())
  return client
}

async function call(client: TestClient, name: string, args: object): Promise<CallToolResult> {
  return (await client.callTool(name, args as { [key: string]: unknown })) as CallToolResult
}

/** The structured content of a call that must succeed. */
async function done<T = { [key: string]: never }>(client: TestClient, name: string, args: object): Promise<T> {
  const result = await call(client, name, args)
  expect(result.isError, JSON.stringify(result.content)).toBeFalsy()
  return result.structuredContent as T
}

async function refusal(client: TestClient, name: string, args: object): Promise<string> {
  const result = await call(client, name, args)
  expect(result.isError).toBe(true)
  const [block] = result.content
  return block?.type === 'text' ? block.text : ''
}

describe('starting', () => {
  it('needs at least one directory, and says so', async () => {
    await expect(entry.create({})).rejects.toThrow('directories')
    await expect(createFilesServer({ directories: [join(base, 'nowhere')] })).rejects.toThrow('cannot use')
    await expect(start({ maxResults: 0 })).rejects.toThrow('"maxResults"')
  })

  it('has a clean bill from the linter, and nothing that writes unless told', async () => {
    const { server } = await start({ write: true })
    expect(
      lintServer(server, { ignore: ['annotations-contradict'] }).filter(({ severity }) => severity !== 'info'),
    ).toEqual([])
    const reading = await start()
    for (const tool of reading.server.catalogue().tools) expect(tool.annotations?.readOnlyHint, tool.name).toBe(true)
    const client = await begin()
    await expect(client.callTool('trash_file', { path: 'hello.txt' })).rejects.toThrow('Unknown tool')
  })
})

describe('reading', () => {
  it('reads lines, ranges and bytes, and says where to go on', async () => {
    const client = await begin({ maxReadBytes: 9 })
    expect(await done(client, 'read_file', { path: 'hello.txt' })).toMatchObject({
      text: 'one\ntwo\n',
      lastLine: 2,
      nextLine: 3,
    })
    expect(await done(client, 'read_file', { path: 'hello.txt', firstLine: 3 })).toMatchObject({
      text: 'three\n',
      totalLines: 3,
    })
    const bytes = await done(client, 'read_file', { path: 'hello.txt', offset: 4, length: 3 })
    expect(bytes).toMatchObject({ text: 'two', nextOffset: 7 })
    expect(await done(client, 'read_file', { path: 'hello.txt', firstLine: 9 })).toMatchObject({
      text: '',
      totalLines: 3,
    })
    await writeFile(join(inside, 'long.txt'), 'ä'.repeat(50))
    const cut = await done<{ text: string; notice: string }>(client, 'read_file', { path: 'long.txt' })
    expect(cut.text).toBe('ääää')
    expect(cut.notice).toContain('maxReadBytes')
  })

  it('gives images as images and other binaries as blobs', async () => {
    await writeFile(join(inside, 'dot.png'), Buffer.from([0x89, 0x50, 0, 1]))
    await writeFile(join(inside, 'data.bin'), Buffer.from([0, 1, 2]))
    const client = await begin()
    expect((await call(client, 'read_file', { path: 'dot.png' })).content[0]).toMatchObject({
      type: 'image',
      mimeType: 'image/png',
    })
    expect((await call(client, 'read_file', { path: 'data.bin' })).content[0]).toMatchObject({
      type: 'resource',
      resource: { blob: 'AAEC' },
    })
  })

  it('does not wait for pipes', async () => {
    if (process.platform === 'win32') return
    execFileSync('mkfifo', [join(inside, 'pipe')])
    expect(await refusal(await begin(), 'read_file', { path: 'pipe' })).toContain('not a file')
  })

  it('reads many, with reasons for those it cannot', async () => {
    const client = await begin()
    const many = await done<{ files: unknown[]; failed: { path: string }[] }>(client, 'read_many', {
      paths: ['hello.txt', 'gone.txt', '../outside/secret.txt', 'sub/note.md'],
    })
    expect(many.files).toHaveLength(2)
    expect(many.failed.map(({ path }) => path)).toEqual(['gone.txt', '../outside/secret.txt'])
  })

  it('lists in pages (sec-136: cursors opaque, bad ones refused)', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await writeFile(join(inside, 'sub', name), '')
    const client = await begin({ maxResults: 3 })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await done<{ entries: { name: string }[]; nextCursor?: string }>(client, 'list_directory', {
        path: 'sub',
        ...(cursor && { cursor }),
      })
      expect(page.entries.length).toBeLessThanOrEqual(3)
      names.push(...page.entries.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(names).toEqual(['a', 'b', 'c', 'd', 'deep', 'e', 'note.md'])
    expect(await refusal(client, 'search_files', { pattern: '*', cursor: '!!' })).toContain('cursor')
    expect(await refusal(client, 'search_files', { pattern: '*', cursor: 'eA' })).toContain('cursor')
  })

  it('describes entries and draws a tree', async () => {
    const client = await begin()
    await symlink(join(outside, 'secret.txt'), join(inside, 'out'))
    expect(await done(client, 'file_info', { path: 'hello.txt' })).toMatchObject({
      kind: 'file',
      size: 14,
      hardLinks: 1,
    })
    expect(await done(client, 'file_info', { path: 'out' })).toMatchObject({ kind: 'link' })
    expect(await done(client, 'file_info', { path: inside })).toMatchObject({ kind: 'directory' })
    const { tree, complete } = await done<{ tree: string; complete: boolean }>(client, 'directory_tree', { depth: 2 })
    expect(tree).toBe('hello.txt\nout@\nsub/\n  deep/\n  note.md')
    expect(complete).toBe(false)
  })
})

describe.each([true, false])('searching (ripgrep: %j)', (ripgrep) => {
  it('finds text, by pages, around what is ignored and denied', async () => {
    await writeFile(join(inside, '.gitignore'), 'build/\n*.log\n!keep.log\n')
    await writeFile(join(inside, '.env'), 'needle=secret\n')
    await mkdir(join(inside, 'build'))
    for (const name of ['build/a.txt', 'x.log', 'keep.log']) await writeFile(join(inside, name), 'needle\n')
    await symlink(outside, join(inside, 'way-out'))
    await writeFile(join(outside, 'also.txt'), 'needle\n')
    const client = await begin({ ripgrep, maxResults: 2 })
    type Found = { engine: string; matches: { path: string; line: number }[]; nextCursor?: string }
    const first = await done<Found>(client, 'search_text', { pattern: 'needle' })
    expect(first.engine).toBe(ripgrep ? 'ripgrep' : 'plain')
    const second = await done<Found>(client, 'search_text', { pattern: 'needle', cursor: first.nextCursor })
    const paths = [...first.matches, ...second.matches].map(
      ({ path, line }) => `${path.slice(inside.length + 1)}:${line}`,
    )
    expect(paths).toEqual(['keep.log:1', 'sub/deep/x.ts:1', 'sub/note.md:2'])
    const all = await begin({ ripgrep, ignore: false })
    expect((await done<Found>(all, 'search_text', { pattern: 'NEEDLE', ignoreCase: true })).matches).toHaveLength(5)
    const typed = await done<Found>(client, 'search_text', { pattern: 'needle', glob: '*.ts', path: 'sub' })
    expect(typed.matches).toHaveLength(1)
  })

  it('never takes a pattern for an option, nor a wildcard for an expression', async () => {
    await writeFile(join(inside, 'options.txt'), '--files a.*b\n--pre=touch\n')
    const client = await begin({ ripgrep })
    for (const pattern of ['--files', '--pre=touch', 'a.*b', '-e', '(', '--']) {
      const found = await done<{ matches: unknown[] }>(client, 'search_text', { pattern })
      expect(found.matches.length, pattern).toBe({ '-e': 0, '(': 0, '--': 2 }[pattern] ?? 1)
    }
  })

  it('takes expressions only where they take linear time', async () => {
    await writeFile(join(inside, 'aaa.txt'), `${'a'.repeat(5000)}\n`)
    const client = await begin({ ripgrep })
    const evil = { pattern: '(a+)+$|(a*)*b', regex: true }
    if (ripgrep) expect(await done(client, 'search_text', evil)).toMatchObject({ complete: true })
    else expect(await refusal(client, 'search_text', evil)).toContain('ripgrep')
    if (ripgrep) expect(await refusal(client, 'search_text', { pattern: '(', regex: true })).toContain('failed')
  })
})

it('finds files by name, within limits that it names', async () => {
  const client = await begin({ maxDepth: 1 })
  expect(await done(client, 'search_files', { pattern: '*.ts' })).toEqual({ matches: [], complete: false })
  const deep = await begin()
  const found = await done<{ matches: { path: string }[] }>(deep, 'search_files', { pattern: 'sub/**/*.{ts,md}' })
  expect(found.matches.map(({ path }) => path.slice(inside.length + 1))).toEqual(['sub/deep/x.ts', 'sub/note.md'])
})

it('an ignore file cannot freeze the search', async () => {
  await writeFile(join(inside, '.gitignore'), `${'*a'.repeat(12)}b\n`)
  await writeFile(join(inside, 'a'.repeat(200)), '')
  const began = performance.now()
  await done(await begin(), 'search_files', { pattern: 'zzz' })
  expect(performance.now() - began).toBeLessThan(5000)
})

describe('confinement', () => {
  const spellings = (): string[] => [
    '../outside/secret.txt',
    'sub/../../outside/secret.txt',
    join(base, 'outside/secret.txt'),
    `${inside}/../outside/secret.txt`,
    '%2e%2e/outside/secret.txt',
    '..%2foutside%2fsecret.txt',
    '%252e%252e%252foutside%252fsecret.txt',
    '..\\outside\\secret.txt',
    `//localhost${join(outside, 'secret.txt')}`,
    `\\\\localhost\\share\\secret.txt`,
    `hello.txt\0${join(outside, 'secret.txt')}`,
    `${inside}-evil/secret.txt`,
    '/proc/self/root/etc/passwd',
    '/etc/passwd',
    'link-file',
    'link-dir/secret.txt',
    'link-loop',
    'link-chain/secret.txt',
    'sub/link-up/outside/secret.txt',
    pathToFileURL(join(outside, 'secret.txt')).href,
    '',
    '~/.bashrc',
  ]

  beforeEach(async () => {
    await symlink(join(outside, 'secret.txt'), join(inside, 'link-file'))
    await symlink(outside, join(inside, 'link-dir'))
    await symlink('link-loop', join(inside, 'link-loop'))
    await symlink('link-dir', join(inside, 'link-chain'))
    await symlink('../..', join(inside, 'sub', 'link-up'))
    await mkdir(`${inside}-evil`)
    await writeFile(join(`${inside}-evil`, 'secret.txt'), SECRET)
  })

  it('sec-131, sec-122: no spelling of a path leads out, in any tool that reads', async () => {
    const client = await begin()
    for (const path of spellings()) {
      for (const name of ['read_file', 'file_info', 'list_directory', 'directory_tree']) {
        const result = await call(client, name, { path })
        if (name !== 'file_info' || !path.startsWith('link')) expect(result.isError, `${name} ${path}`).toBe(true)
        expect(JSON.stringify(result)).not.toContain(SECRET)
      }
    }
  })

  it('sec-131: nor in any that writes, moves or trashes', async () => {
    const client = await begin({ write: true, allowUnasked: true })
    for (const path of spellings().filter((one) => one !== '')) {
      // A link may be moved and trashed: it is the link that goes, not what it leads to.
      const isEntry = /^(link-file|link-loop)$/.test(path)
      await refusal(client, 'write_file', { path, text: 'x', overwrite: true })
      await refusal(client, 'edit_file', { path, edits: [{ oldText: 'secret', newText: 'x' }] })
      if (!isEntry) {
        await refusal(client, 'create_directory', { path })
        await refusal(client, 'move_file', { from: path, to: 'taken.txt' })
        await refusal(client, 'trash_file', { path })
      }
      await refusal(client, 'move_file', { from: 'hello.txt', to: path })
    }
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
    expect(await readdir(outside)).toEqual(['secret.txt'])
    await done(client, 'trash_file', { path: 'link-file' })
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })

  it('a link to nowhere is not a free name', async () => {
    await symlink(join(outside, 'new.txt'), join(inside, 'dangling'))
    await refusal(await begin({ write: true }), 'write_file', { path: 'dangling', text: 'x' })
    expect(await readdir(outside)).toEqual(['secret.txt'])
  })

  it('answers alike whether a path outside exists or not', async () => {
    const client = await begin()
    const there = await refusal(client, 'read_file', { path: join(outside, 'secret.txt') })
    const gone = await refusal(client, 'read_file', { path: join(outside, 'absent.txt') })
    expect(gone.replace('absent', 'secret')).toBe(there)
  })

  it('follows links that stay inside, and writes through them', async () => {
    await symlink('hello.txt', join(inside, 'alias'))
    const client = await begin({ write: true, allowUnasked: true })
    expect(await done(client, 'read_file', { path: 'alias' })).toMatchObject({ path: join(inside, 'hello.txt') })
    await done(client, 'edit_file', { path: 'alias', edits: [{ oldText: 'two', newText: '2' }] })
    expect((await lstat(join(inside, 'alias'))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(inside, 'hello.txt'), 'utf8')).toContain('2')
  })

  it('a directory that is configured by a link works under both names', async () => {
    await symlink(inside, join(base, 'shortcut'))
    const client = await begin({ directories: [join(base, 'shortcut')] })
    await done(client, 'read_file', { path: join(base, 'shortcut', 'hello.txt') })
    await done(client, 'read_file', { path: join(inside, 'hello.txt') })
  })

  it('race: a file swapped for a link after it was judged is not opened', async () => {
    const { path } = await (await Confinement.open([inside], [])).reach('hello.txt', undefined)
    await rm(path)
    await symlink(join(outside, 'secret.txt'), path)
    await expect(openFile(path)).rejects.toThrow('replaced')
  })

  it('race: a folder swapped for a link after it was judged leads nowhere', async () => {
    const { path } = await (await Confinement.open([inside], [])).reach('sub/secret.txt', undefined)
    await writeFile(path, 'mine')
    await rename(join(inside, 'sub'), join(inside, 'old'))
    await symlink(outside, join(inside, 'sub'))
    await expect(openFile(path)).rejects.toThrow('replaced')
    await expect(withDirectory(join(inside, 'sub'), async () => 'in')).rejects.toThrow(/replaced|kind/)
  })

  it('race: a folder that is swapped while it is worked in stays the folder it was', async () => {
    if (process.platform !== 'linux') return
    await withDirectory(join(inside, 'sub'), async (held) => {
      await rename(join(inside, 'sub'), join(inside, 'old'))
      await symlink(outside, join(inside, 'sub'))
      await (await open(join(held, 'new.txt'), constants.O_CREAT | constants.O_WRONLY)).close()
    })
    expect(await readdir(outside)).toEqual(['secret.txt'])
    expect(await readdir(join(inside, 'old'))).toContain('new.txt')
  })

  it('race: swapping a folder to and fro never yields what is outside', async () => {
    const client = await begin()
    await writeFile(join(inside, 'sub', 'secret.txt'), 'mine')
    let running = true
    const swapping = (async () => {
      while (running) {
        await rename(join(inside, 'sub'), join(inside, 'old'))
        await symlink(outside, join(inside, 'sub'))
        await rm(join(inside, 'sub'))
        await rename(join(inside, 'old'), join(inside, 'sub'))
      }
    })()
    for (let round = 0; round < 150; round++) {
      expect(JSON.stringify(await call(client, 'read_file', { path: 'sub/secret.txt' }))).not.toContain(SECRET)
    }
    running = false
    await swapping
  })

  it.each([
    '.env',
    '.ENV',
    '.env.local',
    'sub/id_rsa',
    'server.PEM',
    '.ssh/config',
    '.git/config',
    'sub/.Git/hooks/x',
    '.npmrc',
  ])('denies %s by the option "deny", in reading, writing and moving', async (name) => {
    const path = join(inside, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, SECRET)
    const client = await begin({ write: true, allowUnasked: true })
    expect(await refusal(client, 'read_file', { path: name })).toContain('"deny"')
    await refusal(client, 'write_file', { path: name, text: 'x', overwrite: true })
    await refusal(client, 'move_file', { from: name, to: 'public.txt' })
    await refusal(client, 'move_file', { from: 'hello.txt', to: `${name}.key` })
    const found = await call(client, 'search_text', { pattern: 'secret outside' })
    expect(JSON.stringify(found)).not.toContain(SECRET)
    await symlink(path, join(inside, 'innocent'))
    await refusal(client, 'read_file', { path: 'innocent' })
  })

  it('denies no examples, and nothing at all with an empty list', async () => {
    await writeFile(join(inside, '.env.example'), 'A=')
    await writeFile(join(inside, '.env'), 'A=1')
    await done(await begin(), 'read_file', { path: '.env.example' })
    await done(await begin({ deny: [] }), 'read_file', { path: '.env' })
  })

  it('writing to a second name of a file leaves what lies outside alone', async () => {
    await link(join(outside, 'secret.txt'), join(inside, 'hard'))
    const client = await begin({ write: true, allowUnasked: true })
    await done(client, 'write_file', { path: 'hard', text: 'mine', overwrite: true })
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })
})

describe.each(ERAS)('roots at %s', (version) => {
  const roots = (...paths: string[]) => ({
    roots: paths.map((path) => ({ uri: path.includes(':') ? path : pathToFileURL(path).href })),
  })

  it('sec-121: only what is inside a directory and a root is reached', async () => {
    const client = await begin({}, { version, answers: roots(join(inside, 'sub'), outside) })
    await done(client, 'read_file', { path: 'sub/note.md' })
    expect(await refusal(client, 'read_file', { path: 'hello.txt' })).toContain('"followRoots"')
    await refusal(client, 'read_file', { path: join(outside, 'secret.txt') })
    const free = await begin({ followRoots: false }, { version, answers: roots(join(inside, 'sub')) })
    await done(free, 'read_file', { path: 'hello.txt' })
  })

  it('sec-121: roots that are gone, and none at all, allow nothing', async () => {
    for (const answers of [roots(), roots(join(base, 'gone'))]) {
      await refusal(await begin({}, { version, answers }), 'read_file', { path: 'hello.txt' })
    }
  })

  it('sec-134: completion says nothing where only roots could tell', async () => {
    const client = await begin({}, { version, answers: roots(join(inside, 'sub')) })
    const ask = {
      ref: { type: 'ref/resource' as const, uri: 'file:///{+path}' },
      argument: { name: 'path', value: `${inside}/` },
    }
    expect((await client.complete(ask)).completion.values).toEqual([])
  })
})

describe.each(ERAS)('changing at %s', (version) => {
  const edits = [{ oldText: 'two', newText: 'TWO' }]

  it('shows the difference, asks, and writes in one step that keeps the mode', async () => {
    await chmod(join(inside, 'hello.txt'), 0o640)
    const client = await begin({ write: true }, { version, answers: { elicit: ['accept'] } })
    const preview = await done<{ difference: string }>(client, 'preview_edit', { path: 'hello.txt', edits })
    expect(await readFile(join(inside, 'hello.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    const edited = await done<{ difference: string }>(client, 'edit_file', { path: 'hello.txt', edits })
    expect(edited.difference).toBe(preview.difference)
    expect(edited.difference).toContain('-two\n+TWO')
    expect(JSON.stringify(client.asked[0]?.params)).toContain('-two\\n+TWO')
    expect(await readFile(join(inside, 'hello.txt'), 'utf8')).toBe('one\nTWO\nthree\n')
    expect((await stat(join(inside, 'hello.txt'))).mode & 0o777).toBe(0o640)
    expect(await readdir(inside)).toEqual(['hello.txt', 'sub'])
    client.verifyScript()
  })

  it.each(['decline', 'cancel'] as const)('changes nothing when the user says %s', async (answer) => {
    const client = await begin({ write: true }, { version, answers: { elicit: () => ({ action: answer }) } })
    for (const [name, args] of [
      ['edit_file', { path: 'hello.txt', edits }],
      ['write_file', { path: 'hello.txt', text: 'x', overwrite: true }],
      ['move_file', { from: 'hello.txt', to: 'moved.txt' }],
      ['trash_file', { path: 'hello.txt' }],
    ] as const) {
      expect(await refusal(client, name, args)).toContain('Nothing was changed')
    }
    expect(await readFile(join(inside, 'hello.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    expect(await readdir(inside)).toEqual(['hello.txt', 'sub'])
  })

  it('refuses where nobody can be asked, unless the option says otherwise', async () => {
    const client = await begin({ write: true }, { version })
    expect(await refusal(client, 'edit_file', { path: 'hello.txt', edits })).toContain('"allowUnasked"')
    const free = await begin({ write: true, allowUnasked: true }, { version })
    await done(free, 'edit_file', { path: 'hello.txt', edits })
  })

  it('does not write over what changed while the user was deciding', async () => {
    const meddle = async () => {
      await writeFile(join(inside, 'hello.txt'), 'two, but different\n')
      return { action: 'accept' as const }
    }
    const asks: (typeof meddle)[] = [meddle, async () => ({ action: 'decline' as const }) as never]
    let at = 0
    const client = await begin({ write: true }, { version, answers: { elicit: () => asks[Math.min(at++, 1)]!() } })
    await refusal(client, 'edit_file', { path: 'hello.txt', edits })
    expect(await readFile(join(inside, 'hello.txt'), 'utf8')).toBe('two, but different\n')
  })

  it('trashes without deleting, and brings back', async () => {
    const client = await begin({ write: true }, { version, answers: { elicit: () => ({ action: 'accept' }) } })
    const { trashedTo } = await done<{ trashedTo: string }>(client, 'trash_file', { path: 'sub' })
    expect(await readFile(join(trashedTo, 'note.md'), 'utf8')).toContain('needle')
    expect(await done(client, 'search_files', { pattern: '*.md' })).toMatchObject({ matches: [] })
    await done(client, 'move_file', { from: trashedTo, to: 'sub' })
    expect(await readFile(join(inside, 'sub', 'note.md'), 'utf8')).toContain('needle')
    expect(await refusal(client, 'trash_file', { path: inside })).toContain('stays')
  })
})

describe('writing', () => {
  it('makes new files and folders without asking, and never over something', async () => {
    const client = await begin({ write: true })
    await done(client, 'create_directory', { path: 'new/folder' })
    await done(client, 'write_file', { path: 'new/folder/a.txt', text: 'a' })
    expect(await refusal(client, 'write_file', { path: 'new/folder/a.txt', text: 'b' })).toContain('overwrite')
    expect(await refusal(client, 'create_directory', { path: 'hello.txt' })).toContain('kind')
    expect(await refusal(client, 'write_file', { path: 'nowhere/a.txt', text: 'b' })).toContain('There is no')
    expect(await refusal(client, 'write_file', { path: 'evil\u202etxt', text: 'b' })).toContain('invisible')
  })

  it('a planted trash folder does not lead out', async () => {
    await symlink(outside, join(inside, '.trash'))
    const client = await begin({ write: true, allowUnasked: true })
    await refusal(client, 'trash_file', { path: 'hello.txt' })
    expect(await readdir(outside)).toEqual(['secret.txt'])
  })

  it('trashes to a folder of the option "trash"', async () => {
    const trash = join(base, 'bin')
    await mkdir(trash)
    const client = await begin({ write: true, allowUnasked: true, trash })
    const { trashedTo } = await done<{ trashedTo: string }>(client, 'trash_file', { path: 'hello.txt' })
    expect(trashedTo.startsWith(trash)).toBe(true)
  })

  it('names the option when a file is too large', async () => {
    const client = await begin({ write: true, allowUnasked: true, maxWriteBytes: 20 })
    expect(await refusal(client, 'write_file', { path: 'big.txt', text: 'x'.repeat(21) })).toContain('"maxWriteBytes"')
    await done(client, 'write_file', { path: 'big.txt', text: 'x'.repeat(20) })
  })

  it.each([
    ['missing', [{ oldText: 'four', newText: '' }], 'not found'],
    ['ambiguous', [{ oldText: 'e', newText: '' }], 'more than once'],
    ['empty', [{ oldText: '', newText: 'x' }], 'empty'],
  ])('refuses an edit that is %s', async (_, edits, reason) => {
    expect(await refusal(await begin(), 'preview_edit', { path: 'hello.txt', edits })).toContain(reason)
  })

  it('keeps long line ends', async () => {
    await writeFile(join(inside, 'dos.txt'), 'a\r\nb\r\nc\r\n')
    const client = await begin({ write: true, allowUnasked: true })
    await done(client, 'edit_file', { path: 'dos.txt', edits: [{ oldText: 'a\nb', newText: 'x\ny' }] })
    expect(await readFile(join(inside, 'dos.txt'), 'utf8')).toBe('x\r\ny\r\nc\r\n')
  })
})

describe('resources', () => {
  const uri = (...names: string[]): string => pathToFileURL(join(inside, ...names)).href

  it('reads files and lists directories', async () => {
    const client = await begin()
    const listed = await client.listResources()
    expect(listed.map((one) => one.uri)).toEqual([`${uri()}/`])
    const { contents } = await client.readResource(uri('hello.txt'))
    expect(contents).toEqual([{ uri: uri('hello.txt'), mimeType: 'text/plain', text: 'one\ntwo\nthree\n' }])
    const listing = await client.readResource(`${uri()}/`)
    expect(JSON.stringify(listing)).toContain('hello.txt')
    await mkdir(join(inside, 'with space#'))
    await writeFile(join(inside, 'with space#', 'ü?.txt'), 'odd')
    expect(JSON.stringify(await client.readResource(uri('with space#', 'ü?.txt')))).toContain('odd')
  })

  it.each(ERAS)('sec-131: no URI leads out at %s, and all get one answer', async (version) => {
    const client = await begin({}, { version })
    const out = pathToFileURL(join(outside, 'secret.txt')).href
    for (const one of [
      out,
      `${uri()}/../outside/secret.txt`,
      `${uri()}/%2e%2e/outside/secret.txt`,
      `${uri()}/..%2Foutside%2Fsecret.txt`,
      `${uri()}/%252e%252e/outside/secret.txt`,
      `file://localhost/etc/passwd`,
      `file:////server/share`,
      `${uri()}/hello.txt%00`,
      uri('gone'),
    ]) {
      await expect(client.readResource(one), one).rejects.toThrow()
    }
  })

  it('completes paths', async () => {
    await writeFile(join(inside, '.env'), '')
    const client = await begin()
    const complete = async (value: string) =>
      (
        await client.complete({
          ref: { type: 'ref/resource', uri: 'file:///{+path}' },
          argument: { name: 'path', value },
        })
      ).completion.values
    expect(await complete(inside.slice(1, -2))).toEqual([`${inside.slice(1)}/`])
    expect(await complete(`${inside}/`)).toEqual([join(inside, 'hello.txt'), `${join(inside, 'sub')}/`])
    expect(await complete(`${inside.slice(1)}/he`)).toEqual([join(inside, 'hello.txt').slice(1)])
    expect(await complete('/etc/pass')).toEqual([])
    expect(await complete(`${inside}/../`)).toEqual([])
  })

  it.each(ERAS)('tells subscribers of changes at %s, and watches nothing before', async (version) => {
    const client = await begin({}, { version })
    const changes: string[] = []
    const waiting = new Set<() => void>()
    const subscription = await client.subscribe(
      { resourceSubscriptions: [uri('hello.txt'), `${uri('sub')}/`] },
      (change) => {
        if (change.kind === 'resource') changes.push(change.uri)
        for (const wake of waiting) wake()
      },
    )
    /** Waits until the resource was reported once more. */
    const heard = async (wanted: string): Promise<void> => {
      while (!changes.includes(wanted)) await new Promise<void>((resolve) => waiting.add(resolve))
      changes.length = 0
    }
    await writeFile(join(inside, 'hello.txt'), 'changed\n')
    await heard(uri('hello.txt'))
    await writeFile(join(inside, 'replacement'), 'replaced\n')
    await rename(join(inside, 'replacement'), join(inside, 'hello.txt'))
    await heard(uri('hello.txt'))
    await writeFile(join(inside, 'sub', 'new.txt'), '')
    await heard(`${uri('sub')}/`)
    await subscription.close()
  })

  it.each(ERAS)('refuses to watch more than "maxWatched" at %s', async (version) => {
    const client = await begin({ maxWatched: 2 }, { version })
    await expect(client.subscribe({ resourceSubscriptions: [`${uri()}/`] })).rejects.toThrow('maxWatched')
  })

  it('offers a prompt that brings the file along', async () => {
    const { messages } = await (await begin()).getPrompt('explain_file', { path: 'hello.txt' })
    expect(JSON.stringify(messages)).toContain('three')
  })
})
