import { describe, expect, it } from 'vitest'
import type { PorticoError } from '../jsonrpc/errors.ts'
import { SendQueue } from './send-queue.ts'

/** A writer that records its calls and takes more only while `open`. */
function setUp(limits: { maxQueueBytes?: number; maxKeptBytes?: number } = {}) {
  const writes: string[][] = []
  const errors: PorticoError[] = []
  const peer = { reads: true, idle: 0 }
  const queue = new SendQueue({
    ...limits,
    write: (texts) => {
      writes.push(texts)
      return peer.reads
    },
    overflow: (error) => errors.push(error),
    idle: () => peer.idle++,
  })
  return { queue, writes, errors, peer, written: () => writes.flat() }
}

async function stalled(limits: { maxQueueBytes?: number; maxKeptBytes?: number }) {
  const parts = setUp(limits)
  parts.peer.reads = false
  parts.queue.push('first')
  await parts.queue.flushed()
  return parts
}

describe('a peer that reads', () => {
  it('gets what was queued in one turn in one write', async () => {
    const { queue, writes } = setUp()
    for (const text of ['a', 'b', 'c']) queue.push(text)
    expect(writes).toEqual([])
    await queue.flushed()
    await Promise.resolve()
    expect(writes).toEqual([['a', 'b', 'c']])
  })

  it('has it said when nothing is left, and never from within a push', async () => {
    const { queue, peer } = setUp({ maxQueueBytes: 10 })
    for (let n = 0; n < 100; n++) queue.push(`log ${n}`, 'log')
    expect(peer.idle).toBe(0)
    await Promise.resolve()
    expect(peer.idle).toBe(1)
    peer.reads = false
    queue.push('last')
    await queue.flushed()
    await Promise.resolve()
    expect(peer.idle).toBe(1)
    queue.drained()
    expect(peer.idle).toBe(2)
  })

  it('loses nothing however much is queued in one turn', async () => {
    const { queue, written } = setUp({ maxQueueBytes: 10 })
    for (let n = 0; n < 100; n++) queue.push(`log ${n}`, 'log')
    await queue.flushed()
    expect(written()).toHaveLength(100)
    expect(queue.dropped).toBe(0)
  })

  it('gets large amounts in order and in parts', async () => {
    const { queue, writes, written } = setUp({ maxQueueBytes: 10_000_000 })
    const texts = Array.from({ length: 500 }, (_, n) => `${n}:${'x'.repeat(1000)}`)
    for (const text of texts) queue.push(text)
    await queue.flushed()
    expect(written()).toEqual(texts)
    expect(writes.length).toBeGreaterThan(4)
    expect(queue.size).toBe(0)
  })
})

describe('a peer that does not read', () => {
  // Ten units are with the writer or in the queue in each row before the last push.
  const bound = [
    { name: 'limit-1', size: 4, kept: true },
    { name: 'limit', size: 5, kept: true },
    { name: 'limit+1', size: 6, kept: false },
  ]
  it.each(bound)('has logs dropped with a count beyond maxQueueBytes: $name', async ({ size, kept }) => {
    const { queue, peer, written } = await stalled({ maxQueueBytes: 10 })
    queue.push('l'.repeat(size), 'log')
    expect(queue.dropped).toBe(kept ? 0 : 1)
    peer.reads = true
    queue.drained()
    expect(written()).toHaveLength(kept ? 2 : 1)
  })

  it('has progress replaced in place by key, the newest winning', async () => {
    const { queue, peer, written } = await stalled({ maxQueueBytes: 20 })
    queue.push('p1 old', 'progress', 1)
    queue.push('p2 old', 'progress', 2)
    queue.push('answer')
    for (let n = 0; n < 1000; n++) queue.push(`p1 ${n}`, 'progress', 1)
    queue.push('p3 new', 'progress', 3)
    expect(queue.size).toBeLessThan(50)
    peer.reads = true
    queue.drained()
    expect(written()).toEqual(['first', 'p1 999', 'p2 old', 'answer', 'p3 new'])
  })

  it('does not have progress replaced that was already written', async () => {
    const { queue, peer, written } = await stalled({ maxQueueBytes: 5 })
    queue.push('p old', 'progress', 1)
    queue.drained()
    queue.push('p new', 'progress', 1)
    peer.reads = true
    queue.drained()
    expect(written()).toEqual(['first', 'p old', 'p new'])
  })

  it('keeps everything else, up to maxKeptBytes, then gives up naming the option', async () => {
    const { queue, errors } = await stalled({ maxQueueBytes: 10, maxKeptBytes: 25 })
    queue.push('k'.repeat(10))
    queue.push('k'.repeat(10))
    expect(errors).toEqual([])
    queue.push('k')
    expect(errors.map(({ code, message }) => [code, message.includes('maxKeptBytes (25)')])).toEqual([
      ['limit-exceeded', true],
    ])
    queue.push('more')
    expect(queue.size).toBe(0)
    expect(errors).toHaveLength(1)
  })

  it('keeps order across many pauses', async () => {
    const { queue, writes, written } = await stalled({})
    const texts = Array.from({ length: 300 }, (_, n) => `${n}:${'x'.repeat(1000)}`)
    for (const text of texts) queue.push(text)
    while (queue.waiting > 0) queue.drained()
    expect(written()).toEqual(['first', ...texts])
    expect(writes.length).toBeGreaterThan(3)
  })
})

describe('flushed', () => {
  it('waits for what was queued before it, not for what comes after', async () => {
    const { queue, peer } = await stalled({})
    queue.push('a')
    let done = false
    const flushed = queue.flushed().then(() => {
      done = true
    })
    await Promise.resolve()
    expect(done).toBe(false)
    peer.reads = false
    queue.drained()
    queue.push('b')
    await flushed
    expect(queue.waiting).toBe(1)
  })

  it('resolves when the queue is closed', async () => {
    const { queue } = await stalled({})
    queue.push('a')
    const flushed = queue.flushed()
    queue.close()
    await expect(flushed).resolves.toBeUndefined()
  })
})
