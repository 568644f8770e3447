/** What the channel contract (testing/channel-contract.test.ts) does not cover: joined ends in one process. */

import { expect, it } from 'vitest'
import type { Channel } from '../jsonrpc/channel.ts'
import { createMemoryChannels } from './memory.ts'

function listen(channel: Channel) {
  const messages: unknown[] = []
  const closed = new Promise<Error | undefined>((resolve) => {
    channel.open({ message: (value) => messages.push(value), malformed: () => {}, closed: resolve })
  })
  return { messages, closed }
}

it('delivers later, never within send', async () => {
  const [left, right] = createMemoryChannels()
  const { messages } = listen(right)
  await left.flush()
  left.send('{}')
  expect(messages).toEqual([])
  await left.flush()
  expect(messages).toEqual([{}])
})

it('keeps what was sent before close for a side that opens afterwards', async () => {
  const [left, right] = createMemoryChannels()
  const texts = Array.from({ length: 300 }, (_, n) => JSON.stringify({ n, padding: 'x'.repeat(1000) }))
  for (const text of texts) left.send(text)
  await left.close()
  const { messages, closed } = listen(right)
  expect(await closed).toBeUndefined()
  expect(messages).toEqual(texts.map((text) => JSON.parse(text)))
})

it('closes both ends with the reason when too much piles up', async () => {
  const [left, right] = createMemoryChannels({ maxQueueBytes: 10, maxKeptBytes: 100 })
  const near = listen(left)
  left.send('"first"')
  await left.flush()
  for (let n = 0; n < 200; n++) left.send(String(n))
  expect(await near.closed).toMatchObject({ code: 'limit-exceeded' })
  expect(await listen(right).closed).toMatchObject({ code: 'limit-exceeded' })
})

it('may be closed from within a delivery', async () => {
  const [left, right] = createMemoryChannels()
  const { messages, closed } = listen(left)
  right.open({
    message: () => {
      right.send('{"answer":1}')
      void right.close()
    },
    malformed: () => {},
    closed: () => {},
  })
  left.send('{}')
  await closed
  expect(messages).toEqual([{ answer: 1 }])
})

it('carries values and texts in the order they were sent, and copies the values', async () => {
  const [left, right] = createMemoryChannels({ byReference: true })
  const { messages } = listen(right)
  const value = { n: [1] }
  expect(left.sendValue?.(value)).toBe(true)
  value.n.push(2)
  left.send('{"n":2}')
  expect(left.sendValue?.({ n: 3n })).toBe(false)
  expect(left.sendValue?.({ n: 3 })).toBe(true)
  await left.flush()
  expect(messages).toEqual([{ n: [1] }, { n: 2 }, { n: 3 }])
})

it('bounds values that wait as it bounds texts', async () => {
  const [left] = createMemoryChannels({ byReference: true, maxQueueBytes: 10, maxKeptBytes: 1000 })
  const near = listen(left)
  for (let n = 0; n < 200; n++) left.sendValue?.({ n })
  expect(await near.closed).toMatchObject({ code: 'limit-exceeded' })
})

it('has no way for values unless asked for', () => {
  for (const channel of createMemoryChannels()) expect(channel.sendValue).toBeUndefined()
})
