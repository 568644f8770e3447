import { describe, expect, test } from 'vitest'
import { readImports } from './imports.mjs'

const seen = (source, file) =>
  readImports(source, file).map(({ specifier, typeOnly }) => (typeOnly ? `type ${specifier}` : specifier))

describe('every form of import is read', () => {
  test.each([
    ["import 'a'", ['a']],
    ["import x from 'a'", ['a']],
    ["import x, { y as z, type T } from 'a'", ['a']],
    ["import * as x from 'a'", ['a']],
    ['import {\n  x,\n  y,\n} from "a"', ['a']],
    ["import { 'odd name' as x } from 'a'", ['a']],
    ["import data from 'a' with { type: 'json' }", ['a']],
    ["import type { T } from 'a'", ['type a']],
    ["import type T from 'a'", ['type a']],
    ["import type * as T from 'a'", ['type a']],
    ["import type from 'a'", ['a']],
    ["import from from 'a'", ['a']],
    ["export * from 'a'", ['a']],
    ["export * as x from 'a'", ['a']],
    ["export { x } from 'a'", ['a']],
    ["export type { T } from 'a'", ['type a']],
    ["export type * from 'a'", ['type a']],
    ["const x = await import('a')", ['a']],
    ['const x = await import(`a`)', ['a']],
    ["type T = import('a').T", ['a']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test holds a template
    ["const s = `${await import('a')} ${`${import('b')}`}`", ['a', 'b']],
    ["#!/usr/bin/env node\nimport 'a'", ['a']],
    ["export { x }\nimport 'a'", ['a']],
    ["export {}\nimport { x } from 'a'", ['a']],
    ["const half = (a + b) / 2 // it's\nimport 'a'\nconst c = d / 2", ['a']],
    ["const r = /['\"`/*]/\nimport 'a'", ['a']],
    ["const r = /[/'`]/g\nimport 'a'", ['a']],
    ["if (x) /'`/.test(y)\nimport 'a'", ['a']],
    ["i++ / 2; `\n`\nimport 'a'", ['a']],
    ["const text = <p>don't</p>\nimport('a')", ['a'], 'module.tsx'],
  ])('%s', (source, expected, file) => {
    expect(seen(source, file)).toEqual(expected)
  })
})

describe('what only looks like an import is not', () => {
  test.each([
    ["// import 'a'"],
    ["/* import 'a'\nimport 'b' */"],
    ['const s = "import \'a\'"'],
    ["const s = `import 'a'`"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test holds a template
    ["const s = `${x} import 'a' ${y}`"],
    ["const r = /import 'a'/"],
    ['const here = import.meta.url'],
    ["loader.import('a')"],
    ['import(name)'],
    ["const o = { import: 'a', export: 'b' }"],
    ["export const from = 'a'"],
    ["export type T = 'a'"],
    ["export { x }\nconst y = 'a'"],
    ["export default 'a'"],
  ])('%s', (source) => {
    expect(seen(source)).toEqual([])
  })
})

test('the line is that of the specifier', () => {
  const source = "/* one\n two */\nconst s = `\n`\nimport {\n  x,\n} from 'a'\nconst t = '\\\n'\nimport 'b'\n"
  expect(readImports(source).map(({ specifier, line }) => [specifier, line])).toEqual([
    ['a', 7],
    ['b', 10],
  ])
})
