/** Copies, additions, last lines, other encodings, lines around a match, edits of several files, and names that people guess. */

import { readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { begin, cleanUp, done, inside, outside, prepare, refusal, SECRET } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

const WRITES = { write: true, allowUnasked: true }
const read = (name: string) => readFile(join(inside, name), 'utf8')

describe('a copy', () => {
  it('is made where nothing is, by either pair of names', async () => {
    const client = await begin(WRITES)
    expect(await done(client, 'copy_file', { from: 'hello.txt', to: 'sub/copy.txt' })).toMatchObject({ bytes: 14 })
    await done(client, 'copy_file', { source: 'hello.txt', destination: 'again.txt' })
    expect([await read('sub/copy.txt'), await read('again.txt')]).toEqual([
      await read('hello.txt'),
      await read('hello.txt'),
    ])
    expect(await refusal(client, 'copy_file', { from: 'hello.txt', to: 'again.txt' })).toContain('exists')
    expect(await refusal(client, 'copy_file', { from: 'hello.txt' })).toContain('"to" is missing')
    expect(await refusal(client, 'copy_file', { from: 'sub', to: 'sub2' })).toContain('is a directory')
  })

  it('sec-413: neither takes from nor leads outside, by path, link or secret name', async () => {
    const client = await begin(WRITES)
    await symlink(join(outside, 'secret.txt'), join(inside, 'link.txt'))
    await symlink(outside, join(inside, 'way'))
    await writeFile(join(inside, '.env'), SECRET)
    for (const [from, to] of [
      ['link.txt', 'a.txt'],
      ['way/secret.txt', 'a.txt'],
      ['../outside/secret.txt', 'a.txt'],
      ['.env', 'a.txt'],
      ['hello.txt', 'way/a.txt'],
      ['hello.txt', '../outside/a.txt'],
      ['hello.txt', '.env.local'],
      ['hello.txt', 'link.txt'],
    ]) {
      await refusal(client, 'copy_file', { from, to })
    }
    expect(await readdir(inside)).not.toContain('a.txt')
    expect(await readdir(outside)).toEqual(['secret.txt'])
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })

  it('sec-413: is no larger than a written file may be', async () => {
    const client = await begin({ ...WRITES, maxWriteBytes: 14 })
    await done(client, 'copy_file', { from: 'hello.txt', to: 'same.txt' })
    await truncate(join(inside, 'hello.txt'), 15)
    expect(await refusal(client, 'copy_file', { from: 'hello.txt', to: 'more.txt' })).toContain('maxWriteBytes')
  })
})

describe('an addition', () => {
  it('is shown, asked for, and stands at the end', async () => {
    const client = await begin({ write: true }, { answers: { elicit: ['decline', { confirm: true }] } })
    expect(await refusal(client, 'append_file', { path: 'hello.txt', text: 'four\n' })).toContain('Nothing was done')
    await done(client, 'append_file', { path: 'hello.txt', text: 'four\n' })
    expect(await read('hello.txt')).toBe('one\ntwo\nthree\nfour\n')
    expect(JSON.stringify(client.asked[0]?.params)).toContain('four')
  })

  it('sec-413: goes through no link, into nothing binary, and within the bound', async () => {
    const client = await begin({ ...WRITES, maxWriteBytes: 20 })
    await symlink(join(outside, 'secret.txt'), join(inside, 'link.txt'))
    await writeFile(join(inside, 'binary'), Buffer.from([0, 1]))
    expect(await refusal(client, 'append_file', { path: 'link.txt', text: 'x' })).toContain('outside')
    expect(await refusal(client, 'append_file', { path: 'binary', text: 'x' })).toContain('not text')
    expect(await refusal(client, 'append_file', { path: 'hello.txt', text: 'x'.repeat(7) })).toContain('maxWriteBytes')
    await done(client, 'append_file', { path: 'hello.txt', text: 'x'.repeat(6) })
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })
})

describe('reading', () => {
  it.each([
    [1, 'three\n'],
    [2, 'two\nthree\n'],
    [3, 'one\ntwo\nthree\n'],
    [9, 'one\ntwo\nthree\n'],
  ])('brings the last %i lines', async (lastLines, text) => {
    expect(await done(await begin(), 'read_file', { path: 'hello.txt', lastLines })).toMatchObject({ text })
  })

  it('brings whole lines alone where the last ones are longer than allowed, with or without a last newline', async () => {
    const client = await begin({ maxReadBytes: 9 })
    expect(await done(client, 'read_file', { path: 'hello.txt', lastLines: 3 })).toMatchObject({
      text: 'three\n',
      notice: expect.stringContaining('more before'),
    })
    await writeFile(join(inside, 'open.txt'), 'a\nb')
    expect(await done(client, 'read_file', { path: 'open.txt', lastLines: 1 })).toMatchObject({ text: 'b' })
    await writeFile(join(inside, 'empty.txt'), '')
    expect(await done(client, 'read_file', { path: 'empty.txt', lastLines: 1 })).toMatchObject({ text: '' })
  })

  it('servers 27: text in other encodings comes as text', async () => {
    const client = await begin({ maxReadBytes: 64 })
    await writeFile(join(inside, 'latin.txt'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'))
    await writeFile(join(inside, 'wide.txt'), Buffer.from('\ufeffGr\u00fc\u00dfe', 'utf16le'))
    expect(await done(client, 'read_file', { path: 'latin.txt', encoding: 'latin1' })).toMatchObject({
      text: 'Gr\u00fc\u00dfe',
    })
    expect(await done(client, 'read_file', { path: 'wide.txt' })).toMatchObject({
      text: 'Gr\u00fc\u00dfe',
      encoding: 'utf-16le',
    })
    expect(await refusal(client, 'read_file', { path: 'latin.txt', encoding: 'shift_jis' })).toContain(
      'not text in shift_jis',
    )
    await writeFile(join(inside, 'long.txt'), Buffer.from(`\ufeff${'\u00fc'.repeat(500)}`, 'utf16le'))
    expect(await done(client, 'read_file', { path: 'long.txt' })).toMatchObject({
      text: '\u00fc'.repeat(31),
      nextOffset: 64,
    })
  })

  it('servers 27: a directory is said to be one', async () => {
    expect(await refusal(await begin(), 'read_file', { path: 'sub' })).toContain('use list_directory')
  })
})

it.each([true, false])('lines around a match come with it (ripgrep: %s)', async (ripgrep) => {
  const client = await begin({ ripgrep })
  expect(await done(client, 'search_text', { pattern: 'two', context: 1 })).toMatchObject({
    matches: [{ line: 2, text: 'two', before: ['one'], after: ['three'] }],
  })
})

describe('edits of several files', () => {
  const edits = [{ oldText: 'needle', newText: 'pin' }]
  const files = [
    { path: 'sub/note.md', edits },
    { path: 'sub/deep/x.ts', edits },
  ]

  it('are asked for once and made together', async () => {
    const client = await begin({ write: true }, { answers: { elicit: [{ confirm: true }] } })
    const { files: told } = await done<{ files: { difference: string }[] }>(client, 'replace_in_files', { files })
    expect(told.map(({ difference }) => difference.includes('pin'))).toEqual([true, true])
    expect(await read('sub/note.md')).toContain('pin here')
    expect(await read('sub/deep/x.ts')).toContain('const pin')
    expect(client.asked).toHaveLength(1)
    expect(JSON.stringify(client.asked[0]?.params)).toMatch(/pin here.*const pin/)
  })

  it('sec-413: are made to none where one does not fit, is outside or is named twice', async () => {
    const client = await begin(WRITES)
    await symlink(join(outside, 'secret.txt'), join(inside, 'link.txt'))
    for (const bad of [
      { path: 'hello.txt', edits },
      { path: 'link.txt', edits: [{ oldText: 'secret', newText: 'x' }] },
      { path: './sub/../sub/note.md', edits },
    ]) {
      await refusal(client, 'replace_in_files', { files: [...files, bad] })
    }
    expect(await read('sub/note.md')).toContain('needle here')
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })
})

it('takes the names that people guess', async () => {
  const client = await begin(WRITES)
  await done(client, 'write_file', { path: 'new.txt', content: 'x' })
  await done(client, 'move_file', { source: 'new.txt', destination: 'newer.txt' })
  expect(await read('newer.txt')).toBe('x')
  expect(await refusal(client, 'write_file', { path: 'c.txt', text: 'a', content: 'b' })).toContain('twice')
  expect(await refusal(client, 'write_file', { path: 'c.txt' })).toContain('"text" is missing')
})
