import { describe, expect, it } from 'vitest'
import { EventStream, type EventStreamSettings } from './http-event-stream.ts'
import { Heartbeat } from './http-heartbeat.ts'
import type { StreamEvents, StreamWriter } from './http-reply.ts'

/** A client whose reading the test controls. */
class Reader implements StreamWriter {
  text = ''
  reads = true
  /** Says that it has read while it is being written to, as the web's streams do. */
  drainsAtOnce = false
  state: 'open' | 'ended' | 'aborted' = 'open'
  events: StreamEvents | undefined
  write(text: string): boolean {
    this.text += text
    if (this.drainsAtOnce) this.events?.drained()
    return this.reads
  }
  open(events: StreamEvents): void {
    this.events = events
  }
  drain(): void {
    this.events?.drained()
  }
  gone(): void {
    this.events?.closed()
  }
  end(): void {
    this.state = 'ended'
  }
  abort(): void {
    this.state = 'aborted'
  }
}

function start(settings: Partial<EventStreamSettings> = {}) {
  const reader = new Reader()
  const closed: string[] = []
  const all = { maxQueueBytes: 100, notificationsPerSecond: 1000, ...settings }
  return { reader, closed, stream: new EventStream(reader, all, { streamClosed: () => closed.push('closed') }) }
}

/** Lets what was queued in this turn be written. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('an event stream', () => {
  it('writes messages in order, with ids where it has them, and ends behind them', async () => {
    const { reader, stream, closed } = start()
    stream.event({ event: 'endpoint', data: '/x' })
    stream.send('{"a":1}', 'keep', undefined, 's_1')
    stream.send('{"b":2}', 'log')
    stream.end()
    expect(reader.text).toBe('event: endpoint\ndata: /x\n\nid: s_1\ndata: {"a":1}\n\ndata: {"b":2}\n\n')
    expect([reader.state, closed.length, stream.isOpen]).toEqual(['ended', 1, false])
    stream.send('{"late":1}', 'keep')
    await turn()
    expect(reader.text).not.toContain('late')
  })

  it.each([false, true])('keeps the order over many turns, pauses and long bursts (drains at once: %s)', async (at) => {
    const { reader, stream } = start({ notificationsPerSecond: 1e6 })
    reader.drainsAtOnce = at
    const sent: string[] = []
    const send = (count: number): void => {
      for (let one = 0; one < count; one++) {
        sent.push(`message-${sent.length}`)
        stream.send(sent.at(-1) ?? '', 'keep')
      }
    }
    for (const burst of [1, 40, 2]) {
      send(burst)
      await turn()
    }
    reader.reads = false
    send(2)
    await turn()
    send(20)
    reader.reads = true
    reader.drain()
    send(1)
    await turn()
    send(40)
    stream.end()
    await turn()
    expect(reader.text).toBe(sent.map((text) => `data: ${text}\n\n`).join(''))
    expect(reader.state).toBe('ended')
  })

  it('drops logs and keeps answers for a client that does not read, and ends when it has read', async () => {
    const { reader, stream } = start()
    reader.reads = false
    stream.send('first', 'keep')
    await turn()
    for (let count = 0; count < 100; count++) stream.send(`log ${count}`, 'log')
    stream.send('answer', 'keep')
    stream.end()
    expect([reader.text.includes('answer'), reader.state, stream.dropped > 80]).toEqual([false, 'open', true])
    reader.reads = true
    reader.drain()
    await turn()
    expect([reader.text.includes('answer'), reader.state]).toEqual([true, 'ended'])
  })

  it('gives up a client that lets too much pile up that may not be dropped', async () => {
    const { reader, stream, closed } = start()
    reader.reads = false
    stream.send('first', 'keep')
    await turn()
    const large = 'x'.repeat(8 * 1024 * 1024)
    for (let count = 0; count < 9; count++) stream.send(large, 'keep')
    expect([reader.state, closed.length]).toEqual(['aborted', 1])
  })

  it('holds progress to the rate, the newest wins, and nothing comes behind the answer', async () => {
    const { reader, stream } = start({ notificationsPerSecond: 2 })
    for (let count = 1; count <= 9; count++) stream.send(`p${count}`, 'progress', 'token')
    for (let count = 1; count <= 3; count++) stream.send(`log${count}`, 'log')
    stream.send('answer', 'keep')
    stream.end()
    await turn()
    expect(reader.text.match(/data: (\S+)/g)?.map((line) => line.slice(6))).toEqual(['p1', 'p2', 'p9', 'answer'])
    expect(stream.dropped).toBe(9)
  })

  it('is silent and closed once the client is gone', async () => {
    const { reader, stream, closed } = start()
    reader.gone()
    stream.send('x', 'keep')
    stream.end()
    await turn()
    expect([reader.text, closed.length, reader.state]).toEqual(['', 1, 'open'])
  })
})

describe('the heartbeat', () => {
  it('beats only on silent streams, and holds no closed one', async () => {
    const heartbeat = new Heartbeat(1_000_000)
    const { reader, stream } = start({ heartbeat })
    for (let count = 0; count < 2; count++) {
      stream.beat()
      await turn()
    }
    stream.send('x', 'keep')
    await turn()
    stream.beat()
    await turn()
    expect(reader.text).toBe(':\n\n:\n\ndata: x\n\n')
    expect(heartbeat.size).toBe(1)
    stream.end()
    expect(heartbeat.size).toBe(0)
  })

  it('is off at 0', () => {
    const heartbeat = new Heartbeat(0)
    start({ heartbeat })
    expect(heartbeat.size).toBe(0)
  })
})
