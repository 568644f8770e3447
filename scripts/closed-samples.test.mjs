/** A sample that ends on a signal closes the database that it opened: its connection would keep the process alive. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listCode } from './tree.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const OPENED = /const (\{[^}]*\}|\w+) = await openState\(/

/** Each block of TypeScript in a page or in a doc comment; a file of `examples` is one. */
function readSamples() {
  const pages = readdirSync(`${root}docs/guide`).map((name) => `docs/guide/${name}`)
  const texts = [...pages, 'README.md', ...listCode(root, 'packages').filter((path) => path.includes('/src/'))]
  const blocks = texts.flatMap((file) =>
    [...read(file).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => ({ file, code })),
  )
  return [...blocks, ...listCode(root, 'examples').map((file) => ({ file, code: read(file) }))]
}

function read(file) {
  return readFileSync(`${root}${file}`, 'utf8')
}

/** Whether the database is closed by the name that it has there: `close()`, `then(close)` or `state.close()`. */
function closesIt(code) {
  const [, bound] = OPENED.exec(code) ?? []
  const name = bound.startsWith('{') ? 'close' : `${bound}\\.close`
  const isNamed = !bound.startsWith('{') || /\bclose\b/.test(bound)
  return isNamed && new RegExp(`(?<![.\\w])${name}\\b(?:\\(\\)|\\))`).test(code)
}

test('samples: whoever ends on a signal closes what openState opened (stores 4)', () => {
  const ending = readSamples().filter(({ code }) => /SIGTERM|SIGINT/.test(code) && OPENED.test(code))
  expect(ending.map(({ file }) => file)).toContain('docs/guide/scaling-out.md')
  expect(ending.filter(({ code }) => !closesIt(code)).map(({ file }) => file)).toEqual([])
})
