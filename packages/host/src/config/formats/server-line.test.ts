import { expect, it } from 'vitest'
import { readServerLine, shellOnlyWord, splitShellWords } from './server-line.ts'

it.each([
  [
    'npx -y @modelcontextprotocol/server-filesystem ./folder',
    'filesystem',
    'npx',
    ['-y', '@modelcontextprotocol/server-filesystem', './folder'],
  ],
  ['$ npx -y server-files@1.2.0 "/my docs"', 'files', 'npx', ['-y', 'server-files@1.2.0', '/my docs']],
  ['uvx mcp-server-git --repository .', 'git', 'uvx', ['mcp-server-git', '--repository', '.']],
  ['node ./weather/dist/index.js', 'weather', 'node', ['./weather/dist/index.js']],
  ['node --import portico/typescript hello.ts', 'hello', 'node', ['--import', 'portico/typescript', 'hello.ts']],
  ['npx portico run everything', 'everything', 'npx', ['portico', 'run', 'everything']],
  ['npx -y portico@1.2.0 run ./weather.ts', 'weather', 'npx', ['-y', 'portico@1.2.0', 'run', './weather.ts']],
  ['portico run files ./docs', 'files', 'portico', ['run', 'files', './docs']],
  ['npx portico serve', 'portico', 'npx', ['portico', 'serve']],
  ['docker run -i --rm mcp/time', 'time', 'docker', ['run', '-i', '--rm', 'mcp/time']],
  ['/usr/local/bin/notes.sh --all', 'notes', '/usr/local/bin/notes.sh', ['--all']],
  ['npx -y \\\n  some-mcp', 'some', 'npx', ['-y', 'some-mcp']],
])('a line for a shell is a command (newcomer A6): %s', (line, name, command, args) => {
  expect(readServerLine(line)).toEqual({ name, named: false, entry: { command, args } })
})

it('takes variables before a command as its environment', () => {
  expect(readServerLine('TOKEN=a=b LEVEL=1 run-it')?.entry).toEqual({
    command: 'run-it',
    env: { TOKEN: 'a=b', LEVEL: '1' },
  })
})

it.each([
  ['https://mcp.linear.app/mcp', 'linear'],
  ['https://api.githubcopilot.com/mcp/', 'githubcopilot'],
  ['http://127.0.0.1:3000/mcp', '127.0.0.1'],
  ['http://localhost:3000/mcp', 'localhost'],
])('a URL is an address (newcomer A6): %s', (url, name) => {
  expect(readServerLine(url)).toEqual({ name, named: false, entry: { type: 'http', url } })
})

it.each([
  [
    'claude mcp add files -- npx -y server-files /tmp',
    'files',
    { command: 'npx', args: ['-y', 'server-files', '/tmp'] },
  ],
  [
    'claude mcp add -s user -e KEY=v files npx server-files',
    'files',
    { command: 'npx', args: ['server-files'], env: { KEY: 'v' } },
  ],
  [
    'claude mcp add --transport http linear https://mcp.linear.app/mcp',
    'linear',
    { type: 'http', url: 'https://mcp.linear.app/mcp' },
  ],
  [
    'claude mcp add --transport=sse old https://x.test/sse --header "Authorization: Bearer t"',
    'old',
    { type: 'sse', url: 'https://x.test/sse', headers: { Authorization: 'Bearer t' } },
  ],
  [`claude mcp add-json w '{"command":"x","args":["y"]}'`, 'w', { command: 'x', args: ['y'] }],
  [`code --add-mcp '{"name":"w","command":"x"}'`, 'w', { command: 'x' }],
  ['codex mcp add docs --url https://x.test/mcp', 'docs', { type: 'http', url: 'https://x.test/mcp' }],
])('what another program says to type is understood (newcomer A6): %s', (line, name, entry) => {
  expect(readServerLine(line)).toEqual({ name, named: true, entry })
})

it.each(['', '{"mcpServers":{}}', '[mcp_servers.a]', 'servers:', 'a "b', 'one line\nand another'])(
  'anything else is left to the reader of configuration files: %j',
  (text) => {
    expect(readServerLine(text)).toBeUndefined()
  },
)

it.each([
  [`a 'b c' "d \\"e" f\\ g`, ['a', 'b c', 'd "e', 'f g']],
  [`''`, ['']],
])('splits %s as a shell does', (line, words) => {
  if (process.platform !== 'win32') expect(splitShellWords(line)).toEqual(words)
})

it('takes a folder before a command, and tells of words that only a shell understands', () => {
  expect(readServerLine('cd /x && npx portico run ./all.ts')?.entry).toMatchObject({ command: 'npx', cwd: '/x' })
  expect(shellOnlyWord('cd /x && npx a')).toBeUndefined()
  for (const line of ['a && b', 'a | b', 'a; b', 'a > b', 'a $(b)']) expect(shellOnlyWord(line)).toBeDefined()
  expect(shellOnlyWord("a --x='1' b")).toBeUndefined()
})
