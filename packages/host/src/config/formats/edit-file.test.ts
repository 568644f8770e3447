import { chmod, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineServer } from '../define-server.ts'
import { readConfigText } from '../read-config.ts'
import { meaningOf } from '../trust/fingerprint.ts'
import { removeFromFile, writeIntoFile } from './edit-file.ts'
import { exportServers } from './export-servers.ts'
import { type ConfigForm, FORMS } from './form.ts'

const fixture = (name: string) =>
  readFile(new URL(`../../../test/fixtures/config/${name}.json.txt`, import.meta.url), 'utf8')

const SAMPLES: [string, ConfigForm][] = [
  ['claude-desktop', 'claude-desktop'],
  ['claude-desktop-windows', 'claude-desktop'],
  ['claude-code-user', 'claude-code'],
  ['claude-code-project', 'claude-code'],
  ['cursor', 'cursor'],
  ['vscode', 'vscode'],
  ['windsurf', 'windsurf'],
  ['zed', 'zed'],
  ['portico', 'portico'],
]

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edit-'))
  file = join(folder, 'config.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const server = defineServer('new', { kind: 'stdio', command: 'x', args: ['1'], env: { T: `\${TOKEN}` } })

describe('exported and imported again', () => {
  it.each(SAMPLES)('%s: the meaning is unchanged in its own form and in ours', async (name, form) => {
    const before = readConfigText(await fixture(name), { file: 'f', form })
    expect(before.servers.length).toBeGreaterThan(0)
    for (const target of [form, 'portico'] as const) {
      const { text, problems } = exportServers(before.servers, target, { inputs: before.inputs })
      expect(problems).toEqual([])
      const after = readConfigText(text, { file: 'f', form: target })
      expect(after.problems).toEqual([])
      expect(after.servers.map(meaningOf)).toEqual(before.servers.map(meaningOf))
      expect(after.inputs.map(({ place, ...rest }) => rest)).toEqual(
        before.inputs.filter(({ id }) => id !== 'who').map(({ place, ...rest }) => rest),
      )
    }
  })

  it.each(['claude-code', 'cursor', 'vscode', 'windsurf'] as const)('variables reach %s in its spelling', (form) => {
    const { text, problems } = exportServers([server], form)
    expect(text).toContain(form === 'claude-code' ? `"\${TOKEN}"` : `"\${env:TOKEN}"`)
    expect(problems).toEqual([])
    expect(readConfigText(text, { file: 'f', form }).servers[0]?.fingerprint).toBe(server.fingerprint)
  })

  it('a secret becomes a question where the program can ask, a variable elsewhere, and a value nowhere', () => {
    const secret = defineServer('s', { kind: 'http', url: 'https://x.example', headers: { A: `\${secret:my-key}` } })
    const vscode = exportServers([secret], 'vscode')
    expect(vscode.problems).toEqual([])
    expect(JSON.parse(vscode.text)).toMatchObject({
      servers: { s: { headers: { A: `\${input:my-key}` } } },
      inputs: [{ id: 'my-key', type: 'promptString', password: true }],
    })
    const cursor = exportServers([secret], 'cursor')
    expect(cursor.text).toContain(`\${env:MY_KEY}`)
    expect(cursor.problems).toMatchObject([
      { message: 'Cursor cannot ask for "my-key"', remedy: 'Set MY_KEY in its environment' },
    ])
  })

  it.each([
    [
      'remote servers',
      'claude-desktop',
      { kind: 'http', url: 'https://x.example', headers: {} },
      /keeps remote servers elsewhere/,
    ],
    ['WebSocket', 'vscode', { kind: 'websocket', url: 'wss://x.example', headers: {} }, /WebSocket/],
    ['servers in process', 'cursor', { kind: 'in-process', module: 'time', options: {} }, /no servers of ours/],
    ['variables', 'zed', server.target, /Zed does not know variables/],
    ['folders', 'cursor', { kind: 'stdio', command: 'x', args: [], env: {}, cwd: '/x' }, /`cwd`/],
    ['defaults', 'vscode', { kind: 'stdio', command: `\${A:-b}`, args: [], env: {} }, /has no defaults/],
  ] as const)('says when %s get lost on the way to %s', (_, form, target, message) => {
    const { problems } = exportServers([defineServer('a', target)], form)
    expect(problems.map((problem) => problem.message).join()).toMatch(message)
  })

  it('says when settings get lost', () => {
    const { problems } = exportServers(
      [defineServer('a', server.target, { lazy: true, disabled: true })],
      'claude-code',
    )
    expect(problems.map(({ message }) => message)).toEqual([
      'Claude Code does not know lazy',
      'Claude Code cannot switch a server off in its file',
    ])
  })
})

describe('editing a program’s own file', () => {
  it.each(SAMPLES)('%s: adding and removing leaves every other byte alone', async (name, form) => {
    const before = await fixture(name)
    await writeFile(file, before)
    expect(await writeIntoFile(file, form, server, { name: 'new' })).toMatchObject({ changed: true })
    const between = await readFile(file, 'utf8')
    const read = readConfigText(between, { file: 'f', form })
    expect(read.problems).toEqual([])
    expect(read.servers.find(({ name }) => name === 'new')?.fingerprint).toBe(server.fingerprint)
    const others = readConfigText(before, { file: 'f', form }).servers.map(meaningOf)
    expect(read.servers.filter(({ name }) => name !== 'new').map(meaningOf)).toEqual(others)
    const lines = new Set(between.split('\n'))
    // The line before may have got a comma.
    expect(
      before
        .split('\n')
        .filter((line) => !lines.has(line) && !lines.has(`${line},`) && !lines.has(line.replace('\r', ',\r'))),
    ).toEqual([])
    expect(between.includes('\r\n')).toBe(before.includes('\r\n'))
    await removeFromFile(file, form, 'new')
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await readFile(`${file}.portico-backup`, 'utf8')).toBe(between)
  })

  it('changes an entry member by member: what we do not know stays', async () => {
    const text =
      '{\n  "mcpServers": {\n    "new": {\n      // mine\n      "command": "y",\n      "alwaysAllow": ["t"],\n      "args": ["1"] // one\n    }\n  }\n}\n'
    await writeFile(file, text)
    await writeIntoFile(file, 'windsurf', server, { name: 'new' })
    const after = await readFile(file, 'utf8')
    expect(after).toContain('// mine\n      "command": "x",\n      "alwaysAllow": ["t"],\n      "args": ["1"')
    expect(after).toContain('// one')
    expect(await writeIntoFile(file, 'windsurf', server, { name: 'new' })).toMatchObject({ changed: false })
    expect(await readFile(file, 'utf8')).toBe(after)
  })

  it('turns a program into an address without leaving parts behind', async () => {
    await writeIntoFile(file, 'cursor', server, { name: 'new' })
    const remote = defineServer('new', { kind: 'http', url: 'https://x.example', headers: {} })
    await writeIntoFile(file, 'cursor', remote, { name: 'new' })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mcpServers: { new: { url: 'https://x.example' } } })
  })

  it('writes into a project of Claude Code', async () => {
    await writeFile(file, await fixture('claude-code-user'))
    await writeIntoFile(file, 'claude-code', server, { name: 'new', project: '/home/ada/engine' })
    const read = (project?: string) => readConfigText(readText, { file: 'f', form: 'claude-code', project }).names
    const readText = await readFile(file, 'utf8')
    expect(read()).not.toContain('new')
    expect(read('/home/ada/engine')).toContain('new')
  })

  it('adds a question once', async () => {
    const secret = defineServer('s', { kind: 'http', url: 'https://x.example', headers: { A: `\${secret:k}` } })
    await writeFile(file, await fixture('vscode'))
    await writeIntoFile(file, 'vscode', secret, { name: 's' })
    await writeIntoFile(file, 'vscode', secret, { name: 't' })
    const { inputs, problems } = readConfigText(await readFile(file, 'utf8'), { file: 'f', form: 'vscode' })
    expect(problems).toEqual([])
    expect(inputs.map(({ id }) => id)).toEqual(['perplexity-key', 'region', 'k'])
  })

  it.each(Object.keys(FORMS) as ConfigForm[])('makes the file of %s if there is none, or it is empty', async (form) => {
    const path = join(folder, 'deep', 'down', 'x.json')
    const made = await writeIntoFile(path, form, server, { name: 'new' })
    expect(made.backup).toBeUndefined()
    const read = readConfigText(await readFile(path, 'utf8'), { file: 'f', form })
    expect(read.servers.map(({ fingerprint }) => fingerprint)).toEqual([server.fingerprint])
    await writeFile(file, '\n')
    await writeIntoFile(file, form, server, { name: 'new' })
    expect(readConfigText(await readFile(file, 'utf8'), { file: 'f', form }).names).toEqual(['new'])
  })

  it.each([
    ['does not parse', '{"mcpServers": {', /not JSON/],
    ['is no object', '[]', /does not hold an object/],
    ['has the name twice', '{"mcpServers": {"new": {}, "new": {}}}', /twice/],
  ])('leaves a file alone that %s', async (_, text, message) => {
    await writeFile(file, text)
    await expect(writeIntoFile(file, 'cursor', server, { name: 'new' })).rejects.toThrow(message)
    await expect(removeFromFile(file, 'cursor', 'new')).rejects.toThrow(message)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('keeps permissions, links and the mark at the beginning', async () => {
    const real = join(folder, 'real.json')
    await writeFile(real, '\uFEFF{\n\t"mcpServers": {}\n}\n')
    await chmod(real, 0o640)
    await symlink(real, file)
    await writeIntoFile(file, 'cursor', server, { name: 'new' })
    expect((await lstat(file)).isSymbolicLink()).toBe(true)
    expect((await stat(real)).mode & 0o777).toBe(0o640)
    const text = await readFile(real, 'utf8')
    expect(text.startsWith('\uFEFF{\n\t"mcpServers": {\n\t\t"new"')).toBe(true)
  })
})
