import { expect, it } from 'vitest'
import { findCommand } from '../parse/command-table.ts'
import { commandHelp } from '../parse/help.ts'
import { parseCommand } from '../parse/parse.ts'
import { createPaint, type Io } from './io.ts'
import { bytesOfResult, showResult, showText } from './show-result.ts'

const plain = { paint: createPaint(false) }
const coloured = { paint: createPaint(true) }

function screen(env: Io['env'] = {}) {
  const lines: string[] = []
  const bytes: string[] = []
  const io = {
    ...plain,
    env,
    terminal: true,
    takes: () => true,
    out: (text: string) => void lines.push(text),
    writeBytes: (data: Uint8Array) => void bytes.push(Buffer.from(data).toString()),
  }
  // Only these are used to show a result.
  return { io: io as unknown as Io, lines, bytes }
}

it.each([
  ['an object', '{"a":[1,true],"b":{}}', '{\n  "a": [\n    1,\n    true\n  ],\n  "b": {}\n}'],
  ['rows', '[{"city":"Rome","n":1},{"city":"Oslo","n":20}]', 'city   n\nRome   1\nOslo  20'],
  ['rows under one key', '{"rows":[{"a":1},{"a":2}]}', 'a\n1\n2'],
  ['no JSON', '{ not json', '{ not json'],
  ['a lone number', '12', '12'],
  [
    'Markdown',
    '# Title\n\n- one **two** `three`\n```\ncode\n```\n[x](https://a.example)',
    'Title\n\n• one two three\n    code\nx (https://a.example)',
  ],
])('newcomer: shows %s for people', (_what, text, shown) => {
  expect(showText(text, plain)).toBe(shown)
})

it('newcomer: JSON has colours, and nothing of a server acts on the terminal in any form', () => {
  expect(showText('{"a":"b"}', coloured)).toBe('{\n  \u001B[36m"a"\u001B[39m: \u001B[32m"b"\u001B[39m\n}')
  const hostile = '\u001B[31m\u001B]0;x\u0007'
  for (const text of [
    JSON.stringify({ [hostile]: hostile }),
    `# ${hostile}`,
    JSON.stringify([{ a: hostile }, { a: hostile }]),
    hostile,
  ]) {
    expect(showText(text, plain)).not.toContain('\u001B')
  }
})

const PIXEL = 'iVBORw0KGgo='
const picture = { content: [{ type: 'image' as const, data: PIXEL, mimeType: 'image/png' }] }

it.each([
  ['kitty', { KITTY_WINDOW_ID: '1' }, `\u001B_Ga=T,f=100,m=0;${PIXEL}\u001B\\\n`],
  ['iTerm', { TERM_PROGRAM: 'iTerm.app' }, `\u001B]1337;File=inline=1;size=8:${PIXEL}\u0007\n`],
])('newcomer: shows a picture on %s', (_name, env, expected) => {
  const { io, bytes } = screen(env)
  showResult(picture, io)
  expect(bytes).toEqual([expected])
})

it.each([[{}], [{ KITTY_WINDOW_ID: '1', TMUX: 'x' }]])(
  'newcomer: elsewhere tells of it and how to save it (%o)',
  (env) => {
    const { io, lines, bytes } = screen(env)
    showResult(picture, io)
    expect([lines, bytes]).toEqual([['[image image/png, 8 bytes]  save it with --output <file>'], []])
  },
)

it('newcomer: --output gets the bytes of the one picture, and otherwise the text', () => {
  expect(bytesOfResult(picture)).toEqual(Buffer.from(PIXEL, 'base64'))
  expect(
    bytesOfResult({ content: [{ type: 'text', text: 'a' }, ...picture.content, ...picture.content] }).toString(),
  ).toMatch(/^a\n\[image/)
})

it('newcomer: a data string cannot smuggle codes to the terminal', () => {
  const { io, bytes } = screen({ KITTY_WINDOW_ID: '1' })
  showResult({ content: [{ type: 'image', data: `${PIXEL}\u001B\\\u001B]0;x\u0007`, mimeType: 'image/png' }] }, io)
  expect(bytes.join('')).not.toContain(']0;x')
})

it.each([
  [['--celsius', '3'], 'celsius=3'],
  [['--jsno'], 'Did you mean `--json`?'],
  [['--outptu', 'a'], 'Did you mean `--output`?'],
])('newcomer: a mistyped option %j is told what was likely meant', (words, hint) => {
  const call = findCommand('call')
  if (call === undefined) throw new Error('there is no call')
  expect(() => parseCommand(call, ['server.ts', 'to_fahrenheit', ...words])).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining(hint) }),
  )
})

it.each([40, 60, 100])('newcomer: help keeps to %i columns', (columns) => {
  const call = findCommand('call')
  if (call === undefined) throw new Error('there is no call')
  const lines = commandHelp(call, plain.paint, columns).split('\n')
  // Examples and usage are typed as they stand.
  const long = lines.filter((line) => line.length > columns && !line.includes('portico call'))
  expect(long).toEqual([])
})

it('newcomer 11: rows are a table beside plain values too, which stand below it', () => {
  const text = '{"columns":["city","n"],"rows":[{"city":"Rome","n":1},{"city":"Oslo","n":20}],"total":2,"cut":false}'
  expect(showText(text, plain)).toBe('city   n\nRome   1\nOslo  20\n\ncolumns: city, n\ntotal: 2\ncut: false')
})

it('newcomer 11: one row is a table where it is a list of rows', () => {
  expect(showText('{"rows":[{"city":"Rome","n":1}],"total":1}', plain)).toBe('city  n\nRome  1\n\ntotal: 1')
})

it.each([60, 80])('newcomer 11: a table keeps to %i columns', (columns) => {
  const row = {
    city: 'Lisbon',
    about: 'a rather long text that says what there is to see',
    link: 'https://example.com/a',
  }
  const lines = showText(JSON.stringify([row, row]), { ...plain, columns }).split('\n')
  expect(lines[0]).toMatch(/^city +about +link$/)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
})

it('newcomer 11: is laid out as JSON where columns would be too narrow to be read', () => {
  const row = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`column_${at}`, 'some words here']))
  expect(showText(JSON.stringify([row, row]), { ...plain, columns: 60 })).toMatch(/^\[\n/)
})
