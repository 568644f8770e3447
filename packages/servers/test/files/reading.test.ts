import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lintServer } from '@portico/sdk/lint'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entry } from '../../src/files/entry.ts'
import { createFilesServer } from '../../src/files/server.ts'
import { base, begin, call, cleanUp, done, inside, outside, prepare, refusal, start } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

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
