/** Syntax trees, with packages that stand for `web-tree-sitter`; the real ones are in `npm run servers -- "vendors: editor"`. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createEditorServer, type EditorOptions } from './server.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-syntax-'))
const closers: (() => Promise<unknown>)[] = []

/** The text of a file says which tree it has; a tree that is given back counts as freed. */
const PARSER = `
const node = (type, row, children = [], name) => ({
  type, text: name, startPosition: { row }, endPosition: { row }, namedChildren: children,
  childForFieldName: (field) => field === 'name' && name !== undefined ? node('identifier', row, [], name) : null,
})
const endless = (row) => { const one = node('call', row); Object.defineProperty(one, 'namedChildren', { get: () => [endless(row)] }); return one }
const TREES = {
  plain: () => node('program', 0, [node('function', 0, [node('block', 0)], 'light\\u202e\\nkeeper 9–9'), node('ERROR', 2)]),
  wide: () => node('program', 0, Array.from({ length: 5000 }, (_, row) => node('call', row))),
  deep: () => endless(0),
}
export class Parser {
  static async init() {}
  setLanguage(file) { if (!file.endsWith('tree-sitter-python.wasm')) throw new Error(file) }
  parse(text, old, { progressCallback }) {
    if (text === 'slow') { while (!progressCallback()); return null }
    return { rootNode: TREES[text](), delete() {} }
  }
  delete() {}
}
export const Language = { load: async (file) => file }
`

beforeAll(() => {
  const files = {
    'tools/package.json': '{}',
    'tools/node_modules/web-tree-sitter/package.json': '{"type":"module","main":"index.js"}',
    'tools/node_modules/web-tree-sitter/index.js': PARSER,
    'tools/node_modules/@vscode/tree-sitter-wasm/package.json': '{}',
    'tools/node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm': '',
    'project/node_modules/web-tree-sitter/package.json': '{"main":"index.js"}',
    'project/node_modules/web-tree-sitter/index.js': 'globalThis.projectWasRun = true',
    'project/node_modules/@vscode/tree-sitter-wasm/package.json': '{}',
    ...Object.fromEntries(['plain', 'wide', 'deep', 'slow'].map((text) => [`project/${text}.py`, text])),
    'project/large.py': 'x'.repeat(2_000),
    'project/page.md': '# x',
    'project/main.rs': '',
    'outside.py': 'plain',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

async function ask(args: object, options: Partial<EditorOptions> = {}) {
  const { server, close } = await createEditorServer({
    directory: join(folder, 'project'),
    languages: ['.toy=/nowhere/none'],
    grammars: join(folder, 'tools'),
    maxFileBytes: 1_000,
    timeoutMs: 200,
    ...options,
  })
  const client = await connect(server)
  closers.push(close, () => client.close())
  const { content, isError, _meta } = await client.callTool('syntax_tree', { ...args })
  const [block] = content
  return { text: block?.type === 'text' ? block.text : '', isError: isError === true, _meta }
}

describe('a syntax tree', () => {
  it('sec-592: shows kinds, names and lines, marked as content, and no name makes a row of its own', async () => {
    const { text, _meta } = await ask({ path: 'plain.py' })
    expect(text).toBe('program 1–1\n  function light keeper 9–9 1–1\n    block 1–1\n  ERROR 3–3')
    expect(_meta).toMatchObject({ 'portico/untrusted': true })
  })

  it.each([
    [{ depth: 1 }, 'program 1–1'],
    [{ kind: 'block' }, 'block 1–1'],
    [{ from: 2, to: 3 }, 'Nothing.'],
    [{ kind: 'nowhere' }, 'Nothing.'],
  ])('%j', async (wish, expected) => {
    expect((await ask({ path: 'plain.py', ...wish })).text).toBe(expected)
  })

  it.each([
    ['wide.py', {}],
    ['deep.py', { kind: 'call' }],
    ['deep.py', { kind: 'nowhere' }],
  ])('sec-593: of %s with %j ends, and says that there is more', async (path, wish) => {
    const { text } = await ask({ path, ...wish }, { maxCharacters: 100_000 })
    expect(text.split('\n').length).toBeLessThanOrEqual(2_001)
    expect(text).toContain('[There is more: give kind, or the lines from and to.]')
  })

  it.each([
    ['slow.py', 'could not be parsed within 200 ms'],
    ['large.py', 'at most 1000 are read (option "maxFileBytes")'],
    ['page.md', 'There is no grammar for that file'],
    ['main.rs', 'There is no grammar for that file'],
    ['../outside.py', 'outside'],
    ['.env', 'on the list of the option "deny"'],
  ])('sec-593: of %s is refused', async (path, words) => {
    const { text, isError } = await ask({ path })
    expect(isError).toBe(true)
    expect(text).toContain(words)
  })
})

describe('the packages for syntax trees', () => {
  it('are named where they are not installed, and sec-594: are not taken from the project', async () => {
    const { text, isError } = await ask({ path: 'plain.py' }, { grammars: undefined })
    expect(isError).toBe(true)
    expect(text).toBe(
      'Syntax trees need packages that are not installed: npm install web-tree-sitter @vscode/tree-sitter-wasm',
    )
    expect(globalThis).not.toHaveProperty('projectWasRun')
  })

  it('are named where the operator’s folder does not have them', async () => {
    await expect(createEditorServer({ directory: folder, grammars: folder })).rejects.toThrow(
      `npm install --prefix ${folder} web-tree-sitter @vscode/tree-sitter-wasm`,
    )
  })
})
