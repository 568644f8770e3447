/** Edits that would outgrow all memory, several files of which one cannot be written, and text that is none (sec-862 to sec-864). */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyReplacements } from '../../src/files/edit.ts'
import { replaceFiles, takeSnapshot } from '../../src/files/write.ts'
import { begin, cleanUp, done, inside, prepare, refusal } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

const read = (name: string) => readFile(join(inside, name), 'utf8')

describe('sec-862: edits that multiply', () => {
  // Five of these make 1,000 characters into 512 million.
  const bomb = ['e'.repeat(1_000), 'e'.repeat(64), 'ee', 'ee', 'ee'].map((newText) => ({
    oldText: 'e',
    newText,
    all: true,
  }))

  it.each([
    ['preview_edit', (path: string) => ({ path, edits: bomb })],
    ['edit_file', (path: string) => ({ path, edits: bomb })],
    ['replace_in_files', (path: string) => ({ files: [{ path, edits: bomb }] })],
  ])('are refused before they are put together (%s)', async (name, toArgs) => {
    await writeFile(join(inside, 'a.txt'), 'e'.repeat(1_000))
    const client = await begin({ write: true, allowUnasked: true })
    expect(await refusal(client, name, toArgs('a.txt'))).toContain('maxWriteBytes')
    expect(await read('a.txt')).toHaveLength(1_000)
  })

  it('stop at the first step that is too large, though a later one would make it small', () => {
    const edits = [
      { oldText: 'e', newText: 'ee'.repeat(100), all: true },
      { oldText: 'e', newText: '', all: true },
    ]
    expect(() => applyReplacements('eee', edits, 100)).toThrow('maxWriteBytes')
    expect(applyReplacements('eee', edits, 600)).toBe('')
    expect(() => applyReplacements('e', [{ oldText: 'e', newText: 'x'.repeat(101) }], 100)).toThrow('maxWriteBytes')
    expect(applyReplacements('aXbX', [{ oldText: 'X', newText: '$&', all: true }], 10)).toBe('a$&b$&')
  })
})

describe('sec-863: several files are changed together', () => {
  const NAMES = ['m1.txt', 'm2.txt', 'm3.txt']
  beforeEach(async () => {
    for (const name of NAMES) await writeFile(join(inside, name), 'old\n')
  })

  it('none, where one changed while the person was asked', async () => {
    const elicit = async () => {
      await writeFile(join(inside, 'm2.txt'), 'old, changed\n')
      return { action: 'accept', content: { confirm: true } }
    }
    const client = await begin({ write: true }, { version: '2025-06-18', answers: { elicit } as never })
    const files = NAMES.map((path) => ({ path, edits: [{ oldText: 'old', newText: 'new' }] }))
    const said = await refusal(client, 'replace_in_files', { files })
    expect(said).toContain('m2.txt was changed by somebody else meanwhile')
    expect(said).toContain('nothing was written')
    expect(await Promise.all(NAMES.map(read))).toEqual(['old\n', 'old, changed\n', 'old\n'])
  })

  it('those that were written are put back where a later one cannot be', async () => {
    const changes = await Promise.all(
      NAMES.map(async (name) => {
        const path = join(inside, name)
        const directory = { real: inside, given: inside }
        const reached = { path, relative: name, directory, exists: true } as never
        return { reached, bytes: Buffer.from('new\n'), snapshot: await takeSnapshot(path, 100) }
      }),
    )
    let looked = 0
    // All is well when it is looked at, and the disk fails when the third is written.
    const failing = {
      ...changes[2]!,
      get bytes(): Buffer {
        looked++
        throw new Error('the disk is full')
      },
    }
    await expect(replaceFiles([changes[0]!, changes[1]!, failing])).rejects.toThrow('the disk is full')
    expect(looked).toBe(1)
    expect(await Promise.all(NAMES.map(read))).toEqual(['old\n', 'old\n', 'old\n'])
  })
})

describe('sec-864: text with half a character is no text', () => {
  it.each([
    ['write_file', { path: 'lone.txt', text: 'a\ud800b' }],
    ['write_file', { path: 'lo\udc00ne.txt', text: 'ab' }],
    ['edit_file', { path: 'hello.txt', edits: [{ oldText: 'one', newText: '\udc00' }] }],
    ['append_file', { path: 'hello.txt', text: '\ud83d' }],
    ['create_directory', { path: 'x\ud800' }],
  ])('%s refuses it, and nothing is written', async (name, args) => {
    const client = await begin({ write: true, allowUnasked: true })
    const before = await read('hello.txt')
    expect(await refusal(client, name, args)).toContain('half a character')
    expect(await read('hello.txt')).toBe(before)
    await expect(read('lone.txt')).rejects.toThrow('ENOENT')
    await done(client, 'write_file', { path: 'whole.txt', text: 'a😀b' })
    expect(await read('whole.txt')).toBe('a😀b')
  })
})
