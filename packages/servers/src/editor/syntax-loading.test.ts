import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Syntax } from './syntax.ts'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** Fails the first time at each step. */
const PARSER = `
let inits = 0
let loads = 0
exports.Parser = class {
  static init() { return ++inits === 1 ? Promise.reject(new Error('first init')) : Promise.resolve() }
  setLanguage() {}
  parse() { return { rootNode: { type: 'module' }, delete() {} } }
  delete() {}
}
exports.Language = { load: () => (++loads === 1 ? Promise.reject(new Error('first load')) : Promise.resolve({})) }
`

it('a parser or a grammar that could not be loaded is tried again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-syntax-'))
  folders.push(folder)
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, 'web-tree-sitter'), { recursive: true })
  await mkdir(join(modules, '@vscode/tree-sitter-wasm/wasm'), { recursive: true })
  await writeFile(join(modules, 'web-tree-sitter/package.json'), '{ "main": "index.cjs" }')
  await writeFile(join(modules, 'web-tree-sitter/index.cjs'), PARSER)
  await writeFile(join(modules, '@vscode/tree-sitter-wasm/package.json'), '{}')
  await writeFile(join(modules, '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm'), '')
  const syntax = Syntax.find(folder, 1_000)
  const read = (): Promise<string> => syntax.read('a.py', '', ({ type }) => type)
  await expect(read()).rejects.toThrow('first init')
  await expect(read()).rejects.toThrow('first load')
  expect(await read()).toBe('module')
})
