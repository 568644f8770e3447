import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lintServer } from '@portico/sdk/lint'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entry } from '../../src/files/entry.ts'
import { createFilesServer } from '../../src/files/server.ts'
import { base, begin, call, cleanUp, done, inside, outside, prepare, refusal, start } from './fixture.ts'

interface FileLines {
  readonly text: string
  readonly totalLines?: number
  readonly nextLine?: number
}

beforeEach(prepare)
afterEach(cleanUp)

describe('starting', () => {
  it('needs at least one directory, and says so', async () => {
    await expect(entry.create({})).rejects.toThrow('directories')
    await expect(createFilesServer({ directories: [join(base, 'nowhere')] })).rejects.toThrow('there is no directory')
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

  it('reads any range of lines of a file of many pieces as an editor would show it', async () => {
    const lines = Array.from({ length: 40_000 }, (_, at) => `line ${at + 1} ${'ö'.repeat(at % 60)}`)
    await writeFile(join(inside, 'many.txt'), lines.join('\n'))
    const client = await begin({ maxReadBytes: 8_000_000 })
    for (const [firstLine, lastLine] of [
      [undefined, undefined],
      [undefined, 1],
      [1, 30_000],
      [20_000, undefined],
      [20_000, 20_000],
      [39_999, 40_000],
      [40_000, 50_000],
      [40_001, undefined],
    ]) {
      const asked = { ...(firstLine && { firstLine }), ...(lastLine && { lastLine }) }
      const read = await done<FileLines>(client, 'read_file', { path: 'many.txt', ...asked })
      const last = Math.min(lastLine ?? lines.length, lines.length)
      const shown = lines.slice((firstLine ?? 1) - 1, last).join('\n') + (last < lines.length ? '\n' : '')
      // Compared first by length: a difference of megabytes is no message.
      expect([read.text.length, read.text === shown], JSON.stringify(asked)).toEqual([shown.length, true])
      expect(read.totalLines).toBe(last < lines.length ? undefined : lines.length)
      expect(read.nextLine).toBe(last < lines.length ? last + 1 : undefined)
    }
  })

  it('takes a file for binary when its beginning is, whichever lines are asked for', async () => {
    await writeFile(join(inside, 'mixed.dat'), `a\nb\n${'c'.repeat(5_000)}\0`)
    const client = await begin()
    for (const range of [{}, { lastLine: 1 }, { firstLine: 2 }]) {
      const { content } = await call(client, 'read_file', { path: 'mixed.dat', ...range })
      expect(content[0], JSON.stringify(range)).toMatchObject({ type: 'resource' })
    }
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

  it('reads many in their order, and no more in all than one read may return', async () => {
    const paths = Array.from({ length: 50 }, (_, at) => `n${at}.txt`)
    for (const [at, path] of paths.entries()) await writeFile(join(inside, path), `${at}`.padEnd(10, '.'))
    const client = await begin({ maxReadBytes: 405 })
    const many = await done<{ files: FileLines[]; failed: { path: string; reason: string }[] }>(client, 'read_many', {
      paths,
    })
    expect(many.files.map(({ text }) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 40 }, (_, at) => at))
    expect(many.failed.map(({ path }) => path)).toEqual(paths.slice(40))
    for (const { reason } of many.failed) expect(reason).toContain('used up the option "maxReadBytes"')
  })

  it('lists sizes and times, or names and kinds alone', async () => {
    const client = await begin()
    await symlink(join(outside, 'secret.txt'), join(inside, 'out'))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    const { entries } = await done<{ entries: unknown[] }>(client, 'list_directory', {})
    expect(entries).toEqual([
      { name: 'hello.txt', kind: 'file', size: 14, modified: time },
      { name: 'out', kind: 'link', modified: time },
      { name: 'sub', kind: 'directory', modified: time },
    ])
    const bare = await done<{ entries: unknown[] }>(client, 'list_directory', { details: false })
    expect(bare.entries).toEqual([
      { name: 'hello.txt', kind: 'file' },
      { name: 'out', kind: 'link' },
      { name: 'sub', kind: 'directory' },
    ])
    expect(await refusal(client, 'list_directory', { path: 'hello.txt' })).toContain('is a file')
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
      if (cursor !== undefined) {
        expect(await refusal(client, 'list_directory', { cursor }), 'sec-702').toContain('another question')
      }
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
    expect(tree).toBe('hello.txt\nout@\nsub/\n  deep/ …\n  note.md')
    expect(complete).toBe(false)
  })
})
