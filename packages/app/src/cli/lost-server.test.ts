import { PorticoError } from '@portico/sdk/client'
import { describe, expect, it } from 'vitest'
import { withServer } from './lost-server.ts'
import type { OpenTarget } from './target/open-target.ts'
import type { Io } from './terminal/io.ts'

const TARGET = { kind: 'url', url: 'http://127.0.0.1:14411/mcp' } as const
// Only these are looked at.
const OPEN = { label: '127.0.0.1:14411', client: {} } as unknown as OpenTarget
const IO = { takes: () => true, interactive: false } as unknown as Io

function lost(delivery: 'not-sent' | 'unknown'): PorticoError {
  const cause = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  return new PorticoError('closed', 'The connection ended', { cause, delivery })
}

describe('a call that is cut off', () => {
  it.each([
    ['unknown', /^It may have been done: look before you repeat it\. `portico doctor/],
    ['not-sent', /^It was not sent: nothing was done\. `portico doctor/],
  ] as const)('says whether it may have been done: %s (newcomer 22)', async (delivery, remedy) => {
    const said = await withServer(lost(delivery), TARGET, OPEN, { io: IO, acts: true })
    expect(said).toMatchObject({ exit: 'unreachable', remedy: expect.stringMatching(remedy) })
    expect(said.message).toBe('127.0.0.1:14411 ended the connection in the middle of it')
  })

  it('says nothing of it where nothing could be done', async () => {
    const { remedy } = await withServer(lost('unknown'), TARGET, OPEN, { io: IO, acts: false })
    expect(remedy).toMatch(/^`portico doctor/)
  })

  it('says when a server that is busy may be asked again (newcomer 22)', async () => {
    const data = { status: 503, retryAfterMs: 2_000 }
    const busy = new PorticoError('http-status', 'The server answered HTTP 503: the store is away', {
      data,
      delivery: 'not-sent',
    })
    expect(await withServer(busy, TARGET, OPEN, { io: IO, acts: true })).toMatchObject({
      message: 'The server answered HTTP 503: the store is away',
      remedy: 'It was not sent: nothing was done. Try again in 2 s.',
    })
  })
})
