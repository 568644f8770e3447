import { describe, expect, it } from 'vitest'
import type { StreamEvents, StreamWriter } from '../../transport/http-reply.ts'
import { SERVE_LIMITS } from '../rules/limits.ts'
import { createMemoryEvents } from './event-store.ts'
import { createSessionId } from './streamable-session.ts'
import { parseEventId, ResumableStream } from './streamable-stream.ts'

/** One connection of a client: what it was sent, and a way to break it. */
class Connection implements StreamWriter {
  text = ''
  ended = false
  break: () => void = () => {}
  write(text: string): boolean {
    this.text += text
    return true
  }
  open(events: StreamEvents): void {
    this.break = () => events.closed()
  }
  end(): void {
    this.ended = true
  }
  abort(): void {
    this.ended = true
  }
  get events(): string[] {
    return this.text.split('\n\n').filter((event) => event !== '')
  }
}

function start(primed = false, maxReplayBytes = 40): ResumableStream {
  const settings = { maxQueueBytes: 1e6, notificationsPerSecond: 1e6 }
  const events = createMemoryEvents(SERVE_LIMITS)('x')
  return new ResumableStream('s', { events, settings, primed, maxReplayBytes, onError: () => {} })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a resumable stream', () => {
  it('keeps what comes before the first connection, the same notice once', async () => {
    const stream = start()
    for (const text of ['tools', 'tools', 'prompts', 'tools']) stream.send(text, 'keep')
    const connection = new Connection()
    stream.attach(connection, stream.written)
    stream.send('tools', 'keep')
    await turn()
    expect(connection.events).toEqual(['id: s_1\ndata: tools', 'id: s_2\ndata: prompts', 'id: s_3\ndata: tools'])
  })

  it('keeps logs and progress for a client that is away only up to the bound, the rest always', async () => {
    const stream = start()
    for (let count = 0; count < 10; count++) stream.send(`${count}`.padEnd(10), 'log')
    stream.send('answer', 'keep')
    const connection = new Connection()
    stream.attach(connection, 0)
    await turn()
    expect(connection.events).toHaveLength(5)
    expect(connection.events.at(-1)).toContain('answer')
  })

  it('goes on behind the event that the client names, on the newest connection alone (sec-11)', async () => {
    const stream = start()
    const [first, second] = [new Connection(), new Connection()]
    stream.attach(first, 0)
    for (const text of ['a', 'b', 'c']) stream.send(text, 'keep')
    await turn()
    stream.attach(second, 1)
    stream.send('d', 'keep')
    await turn()
    expect(first.events).toHaveLength(3)
    expect(first.ended).toBe(true)
    expect(second.events).toEqual(['id: s_2\ndata: b', 'id: s_3\ndata: c', 'id: s_4\ndata: d'])
  })

  it('opens every connection with an id where clients know that, and names the time to come back', async () => {
    const stream = start(true)
    const connection = new Connection()
    stream.attach(connection, 0)
    stream.send('a', 'keep')
    stream.pause(250)
    await turn()
    expect(connection.events).toEqual(['id: s_0\ndata: ', 'id: s_1\ndata: a', 'id: s_1\nretry: 250\ndata: '])
    expect([connection.ended, stream.attached]).toEqual([true, false])
  })

  it('can be resumed after its end, and takes nothing more', async () => {
    const stream = start()
    const [lost, back] = [new Connection(), new Connection()]
    stream.attach(lost, 0)
    lost.break()
    stream.finish('answer', 7)
    stream.send('late', 'keep')
    stream.attach(back, 0)
    await turn()
    expect([back.events, back.ended, stream.endedAt]).toEqual([['id: s_1\ndata: answer'], true, 7])
  })
})

describe('event ids', () => {
  it.each(['', '_', 's_', '_1', 's_-1', 's_1e3', 's_1_1', 'S_1', `s_${'1'.repeat(16)}`, 's_1\n', '__proto__'])(
    'that were not made here are not read: %j',
    (id) => expect(parseEventId(id)).toBeUndefined(),
  )

  it('read as what they say', () => expect(parseEventId('1z_12')).toEqual({ stream: '1z', seq: 12 }))
})

describe('session ids', () => {
  it('are unique, long and without a common beginning (sec-29, sec-30)', () => {
    const ids = Array.from({ length: 10_000 }, createSessionId)
    expect(new Set(ids).size).toBe(10_000)
    expect(ids.every((id) => /^[0-9a-f]{40}$/.test(id))).toBe(true)
    expect(new Set(ids.map((id) => id.slice(0, 6))).size).toBeGreaterThan(9_900)
  })
})
