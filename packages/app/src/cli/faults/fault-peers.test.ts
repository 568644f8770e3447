import { expect, it } from 'vitest'
import { toOwnSubject } from './fault-peers.ts'

const theirs = { target: 'https://x.example/mcp', tool: 'search', args: { query: 'tea' }, timeoutMs: 5_000 }

it('compares like with like: a revision that was chosen is also that of Portico’s own side', () => {
  const connect = { versions: '2025-06-18' as const, headers: { authorization: 'Bearer theirs' } }
  expect(toOwnSubject({ ...theirs, connect }, 'http://127.0.0.1:1/mcp')).toEqual({
    target: 'http://127.0.0.1:1/mcp',
    tool: 'work',
    args: { nonce: 'x', ms: 5 },
    timeoutMs: 5_000,
    connect: { versions: '2025-06-18' },
  })
  expect(toOwnSubject(theirs, 'http://127.0.0.1:1/mcp')).not.toHaveProperty('connect')
})
