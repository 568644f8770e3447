import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { base, begin, cleanUp, done, ERAS, inside, outside, prepare, refusal } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

describe.each(ERAS)('changing at %s', (version) => {
  const edits = [{ oldText: 'two', newText: 'TWO' }]

  it('shows the difference, asks, and writes in one step that keeps the mode', async () => {
    await chmod(join(inside, 'hello.txt'), 0o640)
    const client = await begin({ write: true }, { version, answers: { elicit: [{ confirm: true }] } })
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
      expect(await refusal(client, name, args)).toContain('Nothing was done')
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
      return { action: 'accept' as const, content: { confirm: true } }
    }
    const asks: (typeof meddle)[] = [meddle, async () => ({ action: 'decline' as const }) as never]
    let at = 0
    const client = await begin({ write: true }, { version, answers: { elicit: () => asks[Math.min(at++, 1)]!() } })
    await refusal(client, 'edit_file', { path: 'hello.txt', edits })
    expect(await readFile(join(inside, 'hello.txt'), 'utf8')).toBe('two, but different\n')
  })

  it.each([
    ['a text', 'old\n'],
    ['a text that shares no line', Array.from({ length: 30_000 }, (_, at) => `old ${at}`).join('\n')],
    ['no text', Buffer.from([0, 1, 2])],
  ])('sec-290: all of what replaces %s is shown first, however long', async (_what, before) => {
    await writeFile(join(inside, 'hello.txt'), before)
    const client = await begin(
      { write: true },
      { version, answers: { elicit: () => ({ action: 'accept', content: { confirm: true } }) } },
    )
    const lines = Array.from({ length: 1_000 }, (_, at) => `new ${at}`)
    await done(client, 'write_file', { path: 'hello.txt', text: lines.join('\n'), overwrite: true })
    const messages = client.asked.map(({ params }) => (params as { message: string }).message)
    const shown = messages.map((message) => message.slice(message.indexOf('\n\n') + 2)).join('')
    expect(lines.filter((line) => !shown.includes(line))).toEqual([])
  })

  it('sec-740: names what a folder takes along that is on the list "deny", and leaves it where nobody can be asked', async () => {
    await mkdir(join(inside, 'sub', '.ssh'))
    await writeFile(join(inside, 'sub', '.env'), 'A=1')
    await writeFile(join(inside, 'sub', '.ssh', 'id_rsa'), 'key')
    const calls = [
      ['move_file', { from: 'sub', to: 'sub2' }],
      ['trash_file', { path: 'sub' }],
    ] as const
    const unasked = await begin({ write: true, allowUnasked: true }, { version })
    for (const [name, args] of calls) expect(await refusal(unasked, name, args)).toContain('holds .env, .ssh')
    const client = await begin({ write: true }, { version, answers: { elicit: () => ({ action: 'decline' }) } })
    for (const [name, args] of calls) {
      expect(await refusal(client, name, args)).toContain('Nothing was done')
      expect(JSON.stringify(client.asked.at(-1)?.params)).toMatch(/deny.*\.env.*\.ssh/)
    }
    expect(await readdir(inside)).toEqual(['hello.txt', 'sub'])
  })

  it('trashes without deleting, and brings back', async () => {
    const client = await begin(
      { write: true },
      { version, answers: { elicit: () => ({ action: 'accept', content: { confirm: true } }) } },
    )
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
