import { PROTOCOL_VERSIONS } from '@portico/sdk/client'
import { expect, it } from 'vitest'
import { TARGET_FLAGS } from '../parse/flags.ts'
import { splitWords } from '../parse/shell-words.ts'
import { createPaint } from '../terminal/io.ts'
import { toLine, toPainted, toPlain } from '../terminal/plain-text.ts'
import { toPathError } from './path-error.ts'
import {
  isListedWord,
  isPath,
  isPathOrUrl,
  isReadWord,
  isServerWord,
  labelOf,
  readTarget,
  splitTarget,
} from './target-kind.ts'

it.each([
  { words: ['github'], target: { kind: 'name', name: 'github' }, label: 'github' },
  { words: ['https://a.example:8/mcp?x=1'], target: { kind: 'url' }, label: 'a.example:8' },
  { words: ['unix:/run/s.sock'], target: { kind: 'url' }, label: 'unix:/run/s.sock' },
  { words: ['./server.ts'], target: { kind: 'file', file: './server.ts' }, label: 'server.ts' },
  {
    words: ['node server.mjs'],
    target: { kind: 'command', command: 'node', args: ['server.mjs'] },
    label: 'server.mjs',
  },
  {
    words: ['npx', '-y', '@a/server'],
    target: { kind: 'command', command: 'npx', args: ['-y', '@a/server'] },
    label: 'server',
  },
  ...[
    ['node --import portico/typescript hello.ts', 'hello.ts'],
    ['node --import=portico/typescript src/hello.ts --port 3', 'hello.ts'],
    ['/usr/bin/node -r dotenv/config hello.mjs', 'hello.mjs'],
    ['python3 -m weather', 'weather'],
    ['uv run --with mcp weather.py', 'weather.py'],
    ['docker run -i --rm -e TOKEN mcp/git', 'git'],
    ['env LEVEL=1 npx -y @a/notes', 'notes'],
  ].map(([line = '', label]) => ({ words: line.split(' '), target: { kind: 'command' }, label })),
])('reads $words as a $target.kind', ({ words, target, label }) => {
  const read = readTarget(words)
  expect(read).toMatchObject(target)
  expect(labelOf(read)).toBe(label)
})

it('takes whatever follows -- as a command, a single word too', () => {
  const input = { positionals: ['greet', 'name=A', 'server'], dashed: ['server'], flags: {}, json: false }
  expect(splitTarget(input)).toEqual({
    target: { kind: 'command', command: 'server', args: [] },
    rest: ['greet', 'name=A'],
  })
})

it.each([
  { typed: 'files ./docs', args: ['./docs'], rest: [] },
  { typed: 'files ./docs ../more read_file path=./a', args: ['./docs', '../more'], rest: ['read_file', 'path=./a'] },
  { typed: 'git . status', args: ['.'], rest: ['status'] },
  { typed: 'openapi https://a.example/api.json list_pets', args: ['https://a.example/api.json'], rest: ['list_pets'] },
  { typed: 'time now zone=UTC', args: undefined, rest: ['now', 'zone=UTC'] },
  { typed: './server.ts ./x', args: undefined, rest: ['./x'] },
])('newcomer: takes what a ready-made server works on after its name: $typed', ({ typed, args, rest }) => {
  const input = { positionals: typed.split(' '), dashed: [], flags: {}, json: false }
  const found = splitTarget(input, isPathOrUrl)
  expect([(found.target as { args?: unknown }).args, found.rest]).toEqual([args, rest])
  expect(isPath('file:///a/b')).toBe(false)
})

it.each([
  { typed: 'files docs search_text pattern=a', args: ['docs'], rest: ['search_text', 'pattern=a'] },
  { typed: 'memory memory.db recall', args: ['memory.db'], rest: ['recall'] },
  { typed: 'sql sqlite:nothere.db list_tables', args: ['sqlite:nothere.db'], rest: ['list_tables'] },
  { typed: 'sql postgres://a:b@host/db list_tables', args: ['postgres://a:b@host/db'], rest: ['list_tables'] },
  { typed: 'git docs a=b', args: undefined, rest: ['docs', 'a=b'] },
  { typed: 'git docs -', args: undefined, rest: ['docs', '-'] },
  { typed: 'git nowhere log', args: undefined, rest: ['nowhere', 'log'] },
])(
  'newcomer 4: a file, a folder or an address before the name of a tool is the server’s: $typed',
  ({ typed, args, rest }) => {
    const found = splitTarget({ positionals: typed.split(' '), dashed: [], flags: {}, json: false }, isServerWord)
    expect([(found.target as { args?: unknown }).args, found.rest]).toEqual([args, rest])
  },
)

it.each([
  { line: 'node server.mjs --name "two words"', words: ['node', 'server.mjs', '--name', 'two words'] },
  { line: `a 'b "c"' ""`, words: ['a', 'b "c"', ''] },
  { line: String.raw`a "b\"c" d\ e`, words: ['a', 'b"c', 'd e'] },
  { line: '  a   $HOME | b;c ', words: ['a', '$HOME', '|', 'b;c'] },
])('splits $line as a shell would, and does nothing else of a shell', ({ line, words }) => {
  expect(splitWords(line)).toEqual(words)
})

it("makes visible what a terminal would act on in a server's words", () => {
  expect(toPlain('a\u001B[2Jb\u202Ec\td\r\ne\rf\u200B')).toBe('a⟦U+001B⟧[2Jb⟦U+202E⟧c\td\ne⟦U+000D⟧f⟦U+200B⟧')
  expect(toLine('one\n  two', 6)).toBe('one t…')
})

it('lets nothing act on a terminal but our own colours (host 16, sec-221)', () => {
  const { red } = createPaint(true)
  const hostile = '\u001B]0;owned\u0007\u001B[2J\u001B[8m\u202E'
  expect(toPainted(`${red('error')}: ${hostile}`)).toBe(
    `${red('error')}: ⟦U+001B⟧]0;owned⟦U+0007⟧⟦U+001B⟧[2J⟦U+001B⟧[8m⟦U+202E⟧`,
  )
})

it('offers every revision that there is', () => {
  expect([...TARGET_FLAGS.protocol.choices].sort()).toEqual([...PROTOCOL_VERSIONS].sort())
})

it.each([
  { typed: 'files docs', args: ['docs'], rest: [] },
  { typed: 'files docs tools', args: ['docs'], rest: ['tools'] },
  { typed: 'files tools', args: undefined, rest: ['tools'] },
  { typed: 'files nowhere', args: undefined, rest: ['nowhere'] },
])('newcomer: list takes a bare folder for the server’s, and a kind for a kind: $typed', ({ typed, args, rest }) => {
  const input = { positionals: typed.split(' '), dashed: [], flags: {}, json: false }
  const found = splitTarget(input, isListedWord)
  expect([(found.target as { args?: unknown }).args, found.rest]).toEqual([args, rest])
})

it.each([
  { typed: 'files docs file:///a/b', args: ['docs'], rest: ['file:///a/b'] },
  { typed: 'files docs', args: undefined, rest: ['docs'] },
  { typed: 'sql sample://docs', args: undefined, rest: ['sample://docs'] },
])('newcomer: read takes a bare folder before the address for the server’s: $typed', ({ typed, args, rest }) => {
  const found = splitTarget({ positionals: typed.split(' '), dashed: [], flags: {}, json: false }, isReadWord)
  expect([(found.target as { args?: unknown }).args, found.rest]).toEqual([args, rest])
})

it.each([
  ['docs', /"docs" is a folder.*`portico list files \.\/docs`.*a file in it/],
  ['./docs', /"\.\/docs" is a folder.*`portico list files \.\/docs`/],
  ['package.json', /"package\.json" is a file.*quotes/],
])('newcomer: %s is told what it is, and what would do', (word, words) => {
  const { message, remedy } = toPathError(word, process.cwd()) ?? {}
  expect(`${message} ${remedy}`).toMatch(words)
})

it('newcomer: what is no path is left to others', () => {
  expect(toPathError('nowhere-at-all', process.cwd())).toBeUndefined()
})
