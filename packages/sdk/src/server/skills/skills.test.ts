/** Skills on both sides (SEP-2640): what is listed is what is served, and a client uses nothing that it has not verified. */

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { SKILLS_EXTENSION } from '../../protocol/skills/skills.ts'
import { parseFrontmatter } from '../../protocol/skills/skills-frontmatter.ts'
import { type TestClient, testClient } from '../../testing/test-client.ts'
import { createServer } from '../server.ts'
import { type SkillRecord, skills } from './skills.ts'
import { readSkillFolder } from './skills-folder.ts'

const SKILL = '---\nname: mending\ndescription: Mends things\nmetadata:\n  level: 3\n---\nMend it.\n'
const files = { 'SKILL.md': SKILL, 'refs/glue.md': 'Glue é\n', 'refs/raw.bin': new Uint8Array([0, 255, 128]) }
const uri = 'skill://craft/mending/SKILL.md'

function connected(records: readonly SkillRecord[] = [{ path: 'craft/mending', files }]): Promise<TestClient> {
  return testClient(createServer({ name: 's', version: '1', extensions: [skills({ records })] }))
}

describe('a server with skills', () => {
  test('declares the extension and the resources, lists entries and reads them one by one', async () => {
    await using client = await connected()
    expect(client.server.capabilities.extensions).toEqual({ [SKILLS_EXTENSION]: { directoryRead: true } })
    const [entry] = await client.skills().list()
    expect(entry).toMatchObject({
      uri,
      frontmatter: { name: 'mending', description: 'Mends things', metadata: { level: 3 } },
    })
    expect(await client.skills().get(uri)).toEqual(entry)
    await expect(client.skills().get('skill://craft/none/SKILL.md')).rejects.toMatchObject({ rpcCode: -32602 })
  })

  test('reads folders, and refuses what is no folder', async () => {
    await using client = await connected()
    const read = async (folder: string) => {
      const { resources } = await client.request('resources/directory/read', { uri: folder })
      return (resources as { name: string; mimeType: string }[]).map(({ name, mimeType }) => `${name} ${mimeType}`)
    }
    expect(await read('skill://craft/mending')).toEqual(['SKILL.md text/markdown', 'refs inode/directory'])
    expect(await read('skill://craft/mending/refs/')).toEqual([
      'glue.md text/markdown',
      'raw.bin application/octet-stream',
    ])
    await expect(read(uri)).rejects.toMatchObject({ rpcCode: -32602 })
  })

  const faults: [string, SkillRecord, string][] = [
    ['has no SKILL.md', { files: { 'README.md': '' } }, 'no SKILL.md'],
    ['has no frontmatter', { files: { 'SKILL.md': 'Hello' } }, 'no frontmatter'],
    ['has no description', { files: { 'SKILL.md': '---\nname: a\n---\n' } }, 'description'],
    ['has a name that is not allowed', { files: { 'SKILL.md': '---\nname: A_b\ndescription: x\n---\n' } }, 'name'],
    ['lives elsewhere than its name', { path: 'x/other', files }, 'end in its own name'],
    ['leads out of its folder', { path: 'mending', files: { ...files, '../up.md': '' } }, 'no plain path'],
  ]
  test.each(faults)('refuses a skill that %s', (_name, record, message) => {
    expect(() => skills({ records: [record] })).toThrow(message)
  })
})

describe('a client that loads a skill', () => {
  test('reads SKILL.md and then only the files that are asked for, all verified', async () => {
    await using client = await connected()
    const read: string[] = []
    const source = {
      server: client.server,
      request: (method: string, params?: JsonObject) => client.request(method, params),
      readResource: (one: string) => {
        read.push(one)
        return client.readResource(one)
      },
    }
    const { Skills } = await import('../../client/features/skills.ts')
    const all = new Skills(source)
    const [entry] = await all.list()
    expect(read).toEqual([])
    const skill = await all.load(entry!)
    expect([skill.name, skill.instructions]).toEqual(['mending', SKILL])
    expect(read).toEqual([uri])
    expect(await skill.readText('refs/glue.md')).toBe('Glue é\n')
    expect(await skill.read('refs/raw.bin')).toEqual(new Uint8Array([0, 255, 128]))
    await expect(skill.read('../other/SKILL.md')).rejects.toMatchObject({ code: 'not-found' })
    expect(read).toHaveLength(3)
  })

  const tampered: [string, (text: string) => string, boolean][] = [
    ['other bytes of the same length', (text) => text.replace('Mend it', 'Burn it'), false],
    ['more bytes', (text) => `${text}more`, false],
    ['another frontmatter, listed with its own digest', (text) => text.replace('Mends things', 'Steals things'), true],
  ]
  test.each(tampered)('refuses %s', async (_name, change, relisted) => {
    const served = change(SKILL)
    await using honest = await connected()
    await using other = await connected([{ path: 'craft/mending', files: { ...files, 'SKILL.md': served } }])
    const entry = await honest.skills().get(uri)
    const listed = relisted ? { ...entry, resources: (await other.skills().get(uri)).resources } : entry
    await expect(other.skills().load(listed)).rejects.toMatchObject({ code: 'invalid-result' })
  })

  test('is told when a server has no skills', async () => {
    await using client = await testClient(createServer({ name: 's', version: '1', tools: {} }))
    expect(client.skills().offered).toBe(false)
    await expect(client.skills().list()).rejects.toMatchObject({ code: 'capability-missing' })
  })
})

describe('frontmatter', () => {
  const cases: [string, string, unknown][] = [
    [
      'plain scalars',
      'a: x y\nb: 3\nc: 1.5\nd: true\ne: null\nf: ~\ng:\nh: 0x1F',
      { a: 'x y', b: 3, c: 1.5, d: true, e: null, f: null, g: null, h: 31 },
    ],
    ['quotes', `a: "x: \\"y\\" \\u00e9"\nb: 'it''s'\nc: "1"`, { a: 'x: "y" é', b: "it's", c: '1' }],
    ['comments', '# top\na: 1 # one\nb: x#y\n', { a: 1, b: 'x#y' }],
    ['nesting', 'a:\n  b:\n    c: 1\n  d: 2\ne: 3', { a: { b: { c: 1 }, d: 2 }, e: 3 }],
    ['lists', 'a:\n  - x\n  - 2\nb:\n- y\nc: [p, "q, r", 3]', { a: ['x', 2], b: ['y'], c: ['p', 'q, r', 3] }],
    ['flow mappings', 'a: { b: 1, c: [x], "d e": y }', { a: { b: 1, c: ['x'], 'd e': 'y' } }],
    [
      'text blocks',
      'a: |\n  one\n  two\nb: >-\n  one\n  two\n\n  three\nc: 1',
      { a: 'one\ntwo\n', b: 'one two\nthree', c: 1 },
    ],
    ['URLs and times', 'a: https://x.example/y\nb: 10:30', { a: 'https://x.example/y', b: '10:30' }],
    ['keys of any kind', '__proto__: 1\nconstructor: 2', JSON.parse('{"__proto__":1,"constructor":2}')],
  ]
  test.each(cases)('reads %s', (_name, yaml, expected) => {
    expect(JSON.stringify(parseFrontmatter(`---\n${yaml}\n---\nbody`))).toBe(JSON.stringify(expected))
  })

  const refused = [
    'a: &x 1',
    'a: *x',
    'a: !tag x',
    '<<: {}',
    'a: 1\na: 2',
    'a: x: y',
    'a: "open',
    '- a',
    'a:\n\tb: 1',
    'a: x\n  y',
    'a: [1',
    'just text',
  ]
  test.each(refused)('refuses %j rather than guess', (yaml) => {
    expect(() => parseFrontmatter(`---\n${yaml}\n---\n`)).toThrow('frontmatter')
  })

  test.each(['[', '{a: ', '? ', '"', ','])('refuses 64 kB of %j in no time', (piece) => {
    const yaml = `a:\n  ${piece.repeat(Math.floor(64_000 / piece.length))}`
    expect(() => parseFrontmatter(`---\n${yaml}\n---\n`)).toThrow('frontmatter')
  })
})

describe('a folder of skills', () => {
  const made: string[] = []
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))))

  test('gives each folder with a SKILL.md, without links and hidden files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skills-'))
    made.push(folder)
    await mkdir(join(folder, 'craft/mending/refs'), { recursive: true })
    await writeFile(join(folder, 'craft/mending/SKILL.md'), SKILL)
    await writeFile(join(folder, 'craft/mending/refs/glue.md'), 'Glue')
    await writeFile(join(folder, 'craft/mending/.env'), 'SECRET=1')
    await symlink('/etc/hosts', join(folder, 'craft/mending/hosts.md'))
    const records = await readSkillFolder(folder)
    expect(records.map(({ path, files }) => [path, Object.keys(files)])).toEqual([
      ['craft/mending', ['SKILL.md', 'refs/glue.md']],
    ])
    await using client = await connected(records)
    expect(await client.skills().list()).toHaveLength(1)
  })
})
