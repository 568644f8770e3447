import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withDirectory, withFile } from '../../src/files/anchor.ts'
import { Confinement } from '../../src/files/confine.ts'
import { base, begin, call, cleanUp, done, ERAS, inside, outside, prepare, refusal, SECRET } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

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
    await expect(withFile(path, async () => 'read')).rejects.toThrow('replaced')
  })

  it('race: a folder swapped for a link after it was judged leads nowhere', async () => {
    const { path } = await (await Confinement.open([inside], [])).reach('sub/secret.txt', undefined)
    await writeFile(path, 'mine')
    await rename(join(inside, 'sub'), join(inside, 'old'))
    await symlink(outside, join(inside, 'sub'))
    await expect(withFile(path, async () => 'read')).rejects.toThrow('replaced')
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

  it('servers 27: race: a folder that comes and goes is spoken of in plain words, whichever tool meets it', async () => {
    const client = await begin({ write: true, allowUnasked: true })
    let running = true
    const coming = (async () => {
      while (running) {
        await rename(join(inside, 'sub'), join(inside, 'old'))
        // A tool may make a folder of that name meanwhile.
        await writeFile(join(inside, 'sub'), 'a file now').catch(() => {})
        await putBack(join(inside, 'old'), join(inside, 'sub'))
      }
    })()
    try {
      for (let round = 0; round < 40; round++) {
        for (const [name, args] of [
          ['list_directory', { path: 'sub' }],
          ['list_directory', { path: 'sub', details: false }],
          ['directory_tree', { path: 'sub' }],
          ['search_files', { path: 'sub', pattern: '*' }],
          ['search_text', { path: 'sub', pattern: 'a' }],
          ['file_info', { path: 'sub/secret.txt' }],
          ['read_many', { paths: ['sub/secret.txt'] }],
          ['append_file', { path: 'sub/note.md', text: 'x' }],
          ['edit_file', { path: 'sub/note.md', edits: [{ oldText: 'needle', newText: `needle ${round}` }] }],
          ['create_directory', { path: `sub/folder-${round}` }],
          ['move_file', { from: `sub/copy-${round - 1}.txt`, to: `sub/moved-${round}.txt` }],
          ['copy_file', { from: 'hello.txt', to: `sub/copy-${round}.txt` }],
          ['write_file', { path: `sub/new-${round}.txt`, text: 'x' }],
        ] as const) {
          expect(JSON.stringify(await call(client, name, args)), name).not.toMatch(/unexpectedly|[Ii]nvalid/)
        }
      }
    } finally {
      running = false
      await coming
    }
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

  it('sec-121: a root in here that is gone allows nothing', async () => {
    const client = await begin({}, { version, answers: roots(join(inside, 'gone')) })
    await refusal(client, 'read_file', { path: 'hello.txt' })
  })

  it('servers 16b: roots elsewhere, or none, leave what the operator allowed', async () => {
    for (const answers of [roots(), roots(outside)]) {
      const client = await begin({}, { version, answers })
      await done(client, 'read_file', { path: 'hello.txt' })
      expect(await refusal(client, 'read_file', { path: join(outside, 'secret.txt') })).toContain('outside')
    }
  })

  it('servers 16b: a search without a path looks through the root', async () => {
    const client = await begin({}, { version, answers: roots(join(inside, 'sub')) })
    const found = await done<{ matches: { path: string }[] }>(client, 'search_files', { pattern: '*' })
    expect(found.matches.map(({ path }) => path)).toContain(join(inside, 'sub', 'note.md'))
    expect(found.matches.every(({ path }) => path.startsWith(join(inside, 'sub')))).toBe(true)
    expect(await done(client, 'list_directory', {})).toMatchObject({ path: join(inside, 'sub') })
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

/** Moves a folder to where it was, past whatever a tool makes there in the same moment. */
async function putBack(from: string, to: string): Promise<void> {
  for (;;) {
    await rm(to, { recursive: true, force: true }).catch(() => {})
    try {
      await rename(from, to)
      return
    } catch (error) {
      if (!(error instanceof Error && /ENOTEMPTY|EEXIST|ENOTDIR|EISDIR/.test(error.message))) throw error
    }
  }
}
