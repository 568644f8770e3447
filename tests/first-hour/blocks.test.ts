import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { missingLine, readPage } from './blocks.ts'
import { readPages } from './pages.ts'

const fenced = (language: string, body: string): string => `\`\`\`${language}\n${body}\n\`\`\`\n`

test('first hour: a shell block without a comment is run and has to end with exit code 0', () => {
  const [block, ...others] = readPage('a.md', `# A\n\n${fenced('sh', 'npm test')}${fenced('json', '{}')}`).blocks
  expect(others).toEqual([])
  expect(block).toMatchObject({ page: 'a.md', line: 3, code: 'npm test\n', run: { exitCode: 0, answers: [] } })
})

test('first hour: comments say how a block is run, and one that says nothing known is an error', () => {
  const run = 'exit code 2; at "Sure?" type "y"; background until "http://"; row "a row"'
  const [block] = readPage('a.md', `<!-- run: ${run} -->\n${fenced('sh', 'x')}`).blocks
  expect(block?.run).toMatchObject({
    exitCode: 2,
    answers: [{ at: 'Sure?', type: 'y' }],
    until: 'http://',
    row: 'a row',
  })
  expect(() => readPage('a.md', `<!-- run: sometimes -->\n${fenced('sh', 'x')}`)).toThrow('a.md:2: "sometimes"')
  expect(() => readPage('a.md', '<!-- page: at night -->\n')).toThrow('"at night"')
})

test('first hour: a text block below is what is promised; one that begins with $ is typed', () => {
  const text = [fenced('sh', 'one'), fenced('text', 'first'), fenced('text', 'loose'), fenced('text', '$ two\nsecond')]
  const { blocks } = readPage('a.md', text.join('\n'))
  expect(blocks.map(({ code, promised }) => [code.trim(), promised?.trim()])).toEqual([
    ['one', 'first'],
    ['two', 'second'],
  ])
})

test('first hour: another kind of block is saved where a comment names its file', () => {
  const { blocks } = readPage('a.md', `<!-- run: save as a.ts -->\n<!-- file: b.ts -->\n${fenced('ts', 'export {}')}`)
  expect(blocks).toMatchObject([{ code: 'export {}\n', run: { saveAs: 'a.ts' } }])
})

test.each([
  ['one\ntwo', 'zero\none\nand\ntwo\n', undefined],
  ['two\none', 'one\ntwo\n', 'one'],
  ['a … c', 'a  big\t c', undefined],
  ['a … c', 'a b c d', 'a … c'],
  ['(1 + 1)', '(1 + 1)', undefined],
])('first hour: %j against %j', (promised, output, missing) => {
  expect(missingLine(promised, output)).toBe(missing)
})

test('first hour: every page can be read, and what is not run says why', () => {
  const pages = readPages()
  const shell = pages.flatMap(({ blocks }) => blocks).filter(({ run }) => run.saveAs === undefined)
  expect(shell.length).toBeGreaterThan(30)
  const skipped = shell.filter(({ run }) => run.notHere !== undefined)
  // Each by its reason, so that no other is left out unseen: what no machine has for a stranger.
  expect(skipped.map(({ run }) => run.notHere).sort()).toEqual([
    'needs a MongoDB server',
    'needs a client of yours',
    'needs a client to serve until it is gone',
    'needs a database and takes minutes',
    'needs a server of yours',
    'needs a server with tasks at that address',
    'needs a workspace of Slack',
    'needs a workspace of Slack',
    'needs an account at GitHub, a browser and Claude Desktop',
  ])
})

test('newcomer: a guide that names a command of this repository says that it takes a checkout', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const own = new Set(Object.keys(scripts).filter((name) => name !== 'check'))
  const guide = new URL('../../docs/guide/', import.meta.url)
  const silent = readdirSync(guide).filter((name) => {
    const text = readFileSync(new URL(name, guide), 'utf8')
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].some(([, script = '']) => own.has(script))
    return named && !text.includes('checkout')
  })
  expect(silent).toEqual([])
})
