import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_LIMITS, formatProblem } from './formats/config-text.ts'
import type { ConfigForm } from './formats/form.ts'
import { readConfigText } from './read-config.ts'
import { DEFAULT_SETTINGS, type ServerConfig } from './server-config.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/config/${name}.json.txt`, import.meta.url), 'utf8')

const brief = ({ name, target, settings }: ServerConfig) => {
  const where = target.kind === 'stdio' ? target.command : target.kind === 'in-process' ? target.module : target.url
  return `${name}: ${target.kind} ${where}${settings.disabled ? ' (off)' : ''}`
}

describe('files as other programs write them', () => {
  const samples: [string, string, ConfigForm, string[]][] = [
    [
      'claude-desktop',
      '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      'claude-desktop',
      ['filesystem: stdio npx', 'brave search: stdio npx'],
    ],
    [
      'claude-desktop-windows',
      'C:\\Users\\Ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-desktop',
      ['memory: stdio cmd'],
    ],
    [
      'claude-code-user',
      '/home/ada/.claude.json',
      'claude-code',
      [
        'airtable: stdio npx',
        'notion: http https://mcp.notion.example/mcp',
        'asana: sse https://mcp.asana.example/sse',
      ],
    ],
    [
      'claude-code-project',
      'C:\\engine\\.mcp.json',
      'claude-code',
      [`api-server: http \${API_BASE_URL:-https://api.example.com}/mcp`, `local: stdio \${TOOLS}/server`],
    ],
    [
      'cursor',
      '/home/ada/.cursor/mcp.json',
      'cursor',
      ['github: stdio docker', 'local-server: stdio python', 'linear: http https://mcp.linear.example/mcp'],
    ],
    [
      'vscode',
      'C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\mcp.json',
      'vscode',
      ['perplexity: stdio npx', 'github: http https://api.github.example/mcp/'],
    ],
    [
      'windsurf',
      '/Users/ada/.codeium/windsurf/mcp_config.json',
      'windsurf',
      ['figma: http https://figma.example/mcp (off)', 'memory: stdio uvx'],
    ],
    [
      'zed',
      '/home/ada/.config/zed/settings.json',
      'zed',
      ['local-mcp-server: stdio some-command', 'older: stdio /opt/older', 'remote: http https://zed.example/mcp (off)'],
    ],
    [
      'portico',
      '/home/ada/.config/portico/portico.json',
      'portico',
      [
        'github: http https://github.example/mcp',
        'build: stdio node',
        'live: websocket wss://live.example/mcp',
        'clock: in-process time',
      ],
    ],
  ]

  it.each(samples)('%s at %s', (name, file, form, servers) => {
    const read = readConfigText(fixture(name), { file })
    expect(read.problems).toEqual([])
    expect(read.form).toBe(form)
    expect(read.servers.map(brief)).toEqual(servers)
  })

  it.each(samples)('%s is found out by its content where the name tells nothing', (name, _, form, servers) => {
    const read = readConfigText(fixture(name), { file: '/somewhere/servers.json' })
    const isOneOfMany = ['claude-desktop', 'cursor', 'windsurf'].includes(form)
    expect(read.form).toBe(isOneOfMany ? 'claude-code' : form)
    expect(read.servers.map(brief)).toEqual(servers)
  })

  it('takes the entries of the project at hand from Claude Code, which win over the user’s', () => {
    const read = readConfigText(fixture('claude-code-user'), {
      file: '/home/ada/.claude.json',
      project: '/home/ada/engine',
    })
    expect(read.servers.map(brief)).toEqual([
      'airtable: stdio npx',
      'notion: http https://notion.engine.example/mcp',
      'asana: sse https://mcp.asana.example/sse',
      'db: stdio /usr/local/bin/db-mcp',
    ])
    expect(read.servers[3]?.place).toEqual({
      file: '/home/ada/.claude.json',
      path: 'projects["/home/ada/engine"].mcpServers.db',
      line: 24,
    })
  })

  it('reads numbers in the environment as text, and the questions of VS Code', () => {
    const { servers } = readConfigText(fixture('claude-desktop-windows'), { file: 'x' })
    expect(servers[0]?.target).toMatchObject({ env: { DEBUG: '1', MEMORY_FILE: 'C:\\Users\\Ada\\memory.json' } })
    const { inputs } = readConfigText(fixture('vscode'), { file: '/p/.vscode/mcp.json' })
    expect(
      inputs.map(({ id, kind, password, options, fallback }) => ({ id, kind, password, options, fallback })),
    ).toEqual([
      { id: 'perplexity-key', kind: 'text', password: true, options: undefined, fallback: undefined },
      { id: 'region', kind: 'choice', password: false, options: ['eu', 'us'], fallback: 'eu' },
    ])
  })

  it('gives settings, sections and includes of our own form', () => {
    const { servers, extras, include } = readConfigText(fixture('portico'), { file: '/p/portico.json' })
    expect(servers[0]?.settings).toEqual({
      ...DEFAULT_SETTINGS,
      callsPerMinute: 30,
      tools: { delete_repository: { hide: true }, search: { rename: 'find', presets: { limit: 5 } } },
      sampling: { models: ['small'], requestsPerMinute: 10, tokensPerDay: 200_000 },
    })
    expect(servers[1]?.settings).toMatchObject({ lazy: true, roots: ['.'] })
    expect(extras).toEqual({
      policy: { rules: [{ id: 'no-writes', outcome: 'deny' }] },
      models: { small: { provider: 'local' } },
      gateway: { port: 7000 },
    })
    expect(include).toEqual(['./more.json'])
  })

  it('believes no setting of ours in another program’s file', () => {
    const text = '{"mcpServers":{"a":{"command":"x","trusted":true,"callMs":1}}}'
    expect(readConfigText(text, { file: '.mcp.json' }).servers[0]?.settings).toEqual(DEFAULT_SETTINGS)
  })
})

describe('equal meanings', () => {
  const one = (entry: unknown, form: ConfigForm = 'portico') => {
    const text = JSON.stringify({ servers: { a: entry } })
    return readConfigText(text, { file: 'f', form }).servers[0]?.fingerprint
  }
  it.each([
    ['order of members', { command: 'x', args: ['1'] }, { args: ['1'], command: 'x' }, true],
    ['spelling of variables', { command: `\${env:X}` }, { command: `\${X}` }, true],
    ['settings', { command: 'x', callMs: 5 }, { command: 'x' }, true],
    ['arguments', { command: 'x', args: ['1'] }, { command: 'x', args: ['2'] }, false],
    ['environment', { command: 'x', env: { A: '1' } }, { command: 'x' }, false],
    ['sign-in', { url: 'https://x.example', auth: { a: 1 } }, { url: 'https://x.example' }, false],
  ])('%s', (_, a, b, isEqual) => {
    expect(one(a)).toBeDefined()
    expect(one(a) === one(b)).toBe(isEqual)
  })
})

describe('what is wrong with a file', () => {
  const bad: [string, string, RegExp][] = [
    ['no JSON', '{"mcpServers": {"a": }', /^f\.mcp\.json:1: This is not JSON: value expected\. Correct/],
    ['not an object', '[1]', /^f\.mcp\.json:1: A configuration file holds one object/],
    ['servers as a list', '{"mcpServers": []}', /mcpServers: Servers are kept by name/],
    ['a server as text', '{"mcpServers": {"a": "x"}}', /mcpServers\.a: A server must be an object/],
    ['neither way', '{"mcpServers": {"a": {}}}', /neither `command` nor `url`/],
    ['both ways', '{"mcpServers": {"a": {"command": "x", "url": "https://x.example"}}}', /both `command` and `url`/],
    [
      'unknown type',
      '{"mcpServers": {"a": {"type": "carrier-pigeon", "command": "x"}}}',
      /a\.type: This type of server/,
    ],
    ['wrong type', '{"mcpServers": {"a": {"type": "http", "command": "x"}}}', /The type does not go with `command`/],
    ['args as text', '{"mcpServers": {"a": {"command": "x", "args": "y"}}}', /a\.args: This must be a list/],
    [
      'an argument as object',
      '{"mcpServers": {"a": {"command": "x", "args": [{}]}}}',
      /a\.args\[0\]: This must be a string/,
    ],
    ['env as list', '{"mcpServers": {"a": {"command": "x", "env": []}}}', /a\.env: This must be an object/],
    ['empty command', '{"mcpServers": {"a": {"command": " "}}}', /The command is empty/],
    ['no address', '{"mcpServers": {"a": {"url": "file:///etc/passwd"}}}', /must begin with http:\/\/ or https:\/\//],
    ['a script as address', '{"mcpServers": {"a": {"url": "javascript:alert(1)"}}}', /must begin with http/],
    [
      'header injection',
      '{"mcpServers": {"a": {"url": "https://x.example", "headers": {"X": "a\\r\\nB: c"}}}}',
      /not allowed here/,
    ],
    ['header name', '{"mcpServers": {"a": {"url": "https://x.example", "headers": {"X Y": "a"}}}}', /a name that HTTP/],
    ['NUL', '{"mcpServers": {"a": {"command": "x\\u0000y"}}}', /a\.command: The text holds a character/],
    [
      'environment name',
      '{"mcpServers": {"a": {"command": "x", "env": {"A=B": "c"}}}}',
      /a name that no system allows/,
    ],
    ['no name', '{"mcpServers": {"": {"command": "x"}}}', /A server cannot have this name/],
    ['a hidden name', '{"mcpServers": {"a\\u202eb": {"command": "x"}}}', /A server cannot have this name/],
    ['__proto__', '{"mcpServers": {"__proto__": {"command": "x"}}}', /A server cannot have this name/],
    [
      '__proto__ in env',
      '{"mcpServers": {"a": {"command": "x", "env": {"__proto__": "y"}}}}',
      /No member can have this name/,
    ],
    [
      'twice',
      '{"mcpServers": {"a": {"command": "x"}, "a": {"command": 1}}}',
      /mcpServers\.a: warning: The name is there twice/,
    ],
    ['foreign variable', `{"mcpServers": {"a": {"command": "\${command:x}"}}}`, /a kind of variable that is not known/],
    ['unknown input', `{"mcpServers": {"a": {"command": "\${input:x}"}}}`, /There is no input called "x"/],
    [
      'clear text',
      '{"mcpServers": {"a": {"url": "http://x.example"}}}',
      /warning: What is said .* can be read on the way/,
    ],
  ]
  it.each(bad)('%s: one clear line with place and remedy', (_, text, line) => {
    const { problems } = readConfigText(text, { file: 'f.mcp.json' })
    const lines = problems.map(formatProblem)
    expect(
      lines.some((found) => line.test(found)),
      lines.join('\n'),
    ).toBe(true)
    for (const found of lines) expect(found).not.toContain('\n')
    for (const { remedy } of problems) expect(remedy).not.toBe('')
  })

  it('leaves the good entries alone and says the line of the bad one', () => {
    const text =
      '{\n "mcpServers": {\n  "good": {"command": "x"},\n  "bad": {"command": 7},\n  "fine": {"url": "https://x.example"}\n }\n}'
    const { servers, problems, names } = readConfigText(text, { file: 'f.mcp.json' })
    expect(servers.map(({ name }) => name)).toEqual(['good', 'fine'])
    expect(names).toEqual(['good', 'bad', 'fine'])
    expect(problems.map(({ place }) => place)).toEqual([
      { file: 'f.mcp.json', path: 'mcpServers.bad.command', line: 4 },
    ])
  })

  it.each([
    ['a setting out of range', '{"servers": {"a": {"command": "x", "callMs": 0}}}', 'servers.a.callMs'],
    ['a setting of another type', '{"servers": {"a": {"command": "x", "lazy": "yes"}}}', 'servers.a.lazy'],
    ['an override', '{"servers": {"a": {"command": "x", "tools": {"t": {"hide": 1}}}}}', 'servers.a.tools.t.hide'],
    ['an unknown setting', '{"servers": {"a": {"command": "x", "callMS": 5}}}', 'servers.a.callMS'],
    ['an unknown section', '{"server": {}}', 'server'],
    ['a command to ask with', '{"inputs": [{"type": "command", "id": "x"}]}', 'inputs[0]'],
  ])('%s in our own form', (_, text, path) => {
    expect(readConfigText(text, { file: 'portico.json' }).problems.map(({ place }) => place.path)).toEqual([path])
  })

  it('says so when nothing in the file is known', () => {
    const { form, problems } = readConfigText('{"x": 1}', { file: 'x.json' })
    expect(form).toBeUndefined()
    expect(problems.map(formatProblem)).toEqual([
      'x.json:1: warning: Nothing in this file is a server. Add "servers" or "mcpServers".',
    ])
  })

  it('an empty file is no problem', () => {
    expect(readConfigText('', { file: '.mcp.json' })).toMatchObject({ servers: [], problems: [] })
  })
})

describe('a secret where others can read it', () => {
  const read = (entry: object) => {
    const inputs = [{ type: 'promptString', id: 'key', password: true }]
    return readConfigText(JSON.stringify({ inputs, servers: { a: entry } }), {
      file: '.vscode/mcp.json',
      form: 'portico',
    })
  }
  it.each([`\${secret:token}`, `\${input:key}`, `--token=\${secret:token}`])(
    '%s in args is refused; env is named',
    (arg) => {
      const { servers, problems } = read({ command: 'x', args: [arg] })
      expect(servers).toEqual([])
      expect(problems.map(formatProblem).join('\n')).toMatch(/a\.args\[0\]: A secret in the arguments .*`env`/)
      expect(read({ command: 'x', env: { TOKEN: arg } }).servers).toHaveLength(1)
    },
  )

  it.each([
    ['a key written out', `ghp_${'a'.repeat(36)}`],
    ['a variable named like one', `\${GITHUB_TOKEN}`],
  ])('%s in args is a warning that does not repeat it', (_, arg) => {
    const { servers, problems } = read({ command: 'x', args: [arg] })
    expect(servers).toHaveLength(1)
    expect(problems).toHaveLength(1)
    expect(JSON.stringify(problems)).not.toContain('ghp_')
  })
})

describe('bounds', () => {
  const file = '.mcp.json'
  it('size: the limit, and one more', () => {
    const fill = (size: number) => {
      const text = '{"mcpServers":{"a":{"command":"x"}}}'
      return text + ' '.repeat(size - text.length)
    }
    expect(readConfigText(fill(CONFIG_LIMITS.maxBytes), { file }).servers).toHaveLength(1)
    const over = readConfigText(fill(CONFIG_LIMITS.maxBytes + 1), { file })
    expect(over).toMatchObject({ servers: [], problems: [{ message: expect.stringMatching(/larger than/) }] })
    const history = readConfigText(fill(CONFIG_LIMITS.maxBytes + 1), { file: '/home/ada/.claude.json' })
    expect(history.servers).toHaveLength(1)
  })

  it('depth: the limit, and one more', () => {
    const nested = (levels: number) => `{"mcpServers":{},"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(readConfigText(nested(CONFIG_LIMITS.maxDepth), { file }).problems).toEqual([])
    const [problem] = readConfigText(nested(CONFIG_LIMITS.maxDepth + 1), { file }).problems
    expect(problem?.message).toMatch(/nested deeper/)
    expect(readConfigText('['.repeat(500_000), { file }).problems).toHaveLength(1)
  })

  it('brackets in strings and comments do not count', () => {
    const text = `{"mcpServers":{"a":{"command":"${'['.repeat(200)}\\""}} /* ${'{'.repeat(200)} */ } // ${'['.repeat(200)}`
    expect(readConfigText(text, { file })).toMatchObject({ problems: [], servers: [{ name: 'a' }] })
  })

  it('servers: the first 500 count', () => {
    const entries = Array.from({ length: CONFIG_LIMITS.maxServers + 2 }, (_, at) => [`s${at}`, { command: 'x' }])
    const read = readConfigText(JSON.stringify({ mcpServers: Object.fromEntries(entries) }), { file })
    expect(read.servers).toHaveLength(CONFIG_LIMITS.maxServers)
    expect(read.problems).toHaveLength(1)
  })

  it('problems: a file full of them stays readable', () => {
    const entries = Array.from({ length: 400 }, (_, at) => [`s${at}`, 1])
    const read = readConfigText(JSON.stringify({ mcpServers: Object.fromEntries(entries) }), { file })
    expect(read.problems).toHaveLength(CONFIG_LIMITS.maxProblems)
  })
})

describe('any text at all', () => {
  const forms = ['portico', 'claude-desktop', 'claude-code', 'cursor', 'windsurf', 'vscode', 'zed'] as const
  const key = fc.constantFrom(
    'mcpServers',
    'servers',
    'context_servers',
    'inputs',
    'include',
    'policy',
    'command',
    'args',
    'env',
    'url',
    'type',
    'tools',
    'sampling',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'a',
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom('stdio', 'http', 'https://x.example', `\${A}`, `\${input:a}`, '', 1, true, null, '__proto__'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }).map((pairs) => new Pairs(pairs)),
    ),
  }))
  /** An object as text may have it: with the same name twice, and `__proto__` as a name. */
  class Pairs {
    readonly pairs: readonly (readonly [string, unknown])[]
    constructor(pairs: readonly (readonly [string, unknown])[]) {
      this.pairs = pairs
    }
  }
  const toText = (value: unknown): string => {
    if (value instanceof Pairs) return `{${value.pairs.map(([name, of]) => `${JSON.stringify(name)}:${toText(of)}`)}}`
    return Array.isArray(value) ? `[${value.map(toText)}]` : JSON.stringify(value)
  }
  const check = (text: string, form: ConfigForm) => {
    const before = Object.getOwnPropertyNames(Object.prototype).length
    const read = readConfigText(text, { file: 'f', form, project: 'a' })
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(before)
    expect(Object.getPrototypeOf(read.extras)).toBe(Object.prototype)
    for (const { target, settings } of read.servers) {
      expect(Object.getPrototypeOf(target)).toBe(Object.prototype)
      expect(Object.getPrototypeOf(settings.tools)).toBe(Object.prototype)
      if (target.kind === 'stdio') expect(Object.getPrototypeOf(target.env)).toBe(Object.prototype)
    }
  }

  it('is read without throwing and without touching a prototype', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(...forms), (value, form) => check(toText(value), form)),
      { numRuns: 400 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...forms), check), { numRuns: 300 })
    const noise = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '/*', '*/', '//', '\n', '\\', 'a', '1', '"mcpServers"'),
    )
    fc.assert(
      fc.property(noise, fc.constantFrom(...forms), (parts, form) => check(parts.join(''), form)),
      { numRuns: 400 },
    )
  })
})
