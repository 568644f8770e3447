import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { toShell, toTypeScript } from './code-snippets.ts'

const call = { kind: 'tool', server: 'files', ownName: 'read_file' } as const

describe('toShell', () => {
  it.each([
    ['plain words', { path: 'README.md', lines: 3 }, 'portico call files read_file path=README.md lines=3'],
    ['spaces and quotes', { path: "it's here" }, String.raw`portico call files read_file 'path=it'\''s here'`],
    ['nested values', { a: { b: [1] } }, `portico call files read_file --args '{"a":{"b":[1]}}'`],
    ['text that looks like a number', { id: '007' }, `portico call files read_file --args '{"id":"007"}'`],
    ['nothing', {}, 'portico call files read_file'],
  ])('writes %s', (_what, args, line) => expect(toShell({ ...call, arguments: args })).toBe(line))

  it.each(['$(touch x)', '`id`', "'; rm -rf /; '", 'a\nb', '--help', '"', '!!', '*'])(
    'survives a shell: %j',
    (nasty) => {
      // A shell that shows each word that it would have given to the program.
      const line = toShell({ ...call, ownName: nasty, arguments: { x: nasty } }).replace(/^portico/, "printf '%s\\0'")
      const words = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1)
      expect(words.slice(0, 3)).toEqual(['call', 'files', nasty])
      expect(words.slice(3).join(' ')).toContain(words[3] === '--args' ? JSON.stringify(nasty) : nasty)
    },
  )
})

describe('toTypeScript', () => {
  it('connects to what is configured and makes the call', () => {
    const target = { kind: 'http', url: 'https://example.com/mcp', headers: {} } as const
    const text = toTypeScript({ ...call, arguments: { path: 'a' }, target })
    expect(text).toContain("import { connect } from '@portico/sdk/client'")
    expect(text).toContain('await connect("https://example.com/mcp")')
    expect(text).toContain('await client.callTool("read_file", {\n  "path": "a"\n})')
  })

  it('keeps a hostile name inside its string', () => {
    const text = toTypeScript({ ...call, ownName: '")\nprocess.exit(1)//', arguments: {} })
    expect(text).toContain(String.raw`client.callTool("\")\nprocess.exit(1)//")`)
  })
})
