/**
 * What every `Channel` must do, as cases that any test runner can run: each throws when the promise is broken. The
 * channels of this SDK pass it; run it over your own by handing in how a connected pair is made.
 */

import type { Channel, Malformed } from '../jsonrpc/channel.ts'
import { type ContractCase, expect, expectEqual, inTime } from './contract.ts'

/**
 * The cases that every channel passes, for a channel of your own. `makePair` gives two channels that are connected to
 * each other and not yet open.
 *
 * @example
 * ```ts
 * import { channelContract } from '@portico/sdk/testing'
 * import { createMemoryChannels } from '@portico/sdk/transport'
 *
 * for (const { run } of channelContract(async () => createMemoryChannels())) await run()
 * ```
 */
export function channelContract(makePair: () => Promise<[Channel, Channel]>): ContractCase[] {
  const withPair = (name: string, body: (left: Channel, right: Channel) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const [left, right] = await makePair()
      try {
        await inTime(body(left, right), name)
      } finally {
        await Promise.all([left.close(), right.close()])
      }
    },
  })
  return [
    withPair('delivers every message in order, both ways at once', inOrder),
    withPair('delivers what was sent before the receiver opened', beforeOpen),
    withPair('carries any text unharmed', anyText),
    withPair('carries a message of several megabytes', largeMessage),
    withPair('reports what is no JSON and goes on with the next message', malformed),
    withPair('resolves flush once what was queued is handed over', flush),
    withPair('delivers what was sent before close, then closes both sides once', closeDelivers),
    withPair('ignores what is sent after close', sendAfterClose),
    withPair('drops logs, coalesces progress and keeps the rest for a peer that does not read', backPressure),
  ]
}

async function inOrder(left: Channel, right: Channel): Promise<void> {
  const count = 1000
  const seen = [listen(left), listen(right)]
  for (let n = 0; n < count; n++) {
    left.send(JSON.stringify({ n }))
    right.send(JSON.stringify({ n }))
    if (n % 100 === 0) await right.flush()
  }
  for (const side of seen) {
    await side.until(() => side.messages.length >= count)
    expectEqual(
      side.messages,
      Array.from({ length: count }, (_, n) => ({ n })),
    )
  }
}

async function beforeOpen(left: Channel, right: Channel): Promise<void> {
  left.send('{"early":1}')
  left.send('{"early":2}')
  const seen = listen(right)
  left.send('{"late":3}')
  listen(left)
  await seen.until(() => seen.messages.length >= 3)
  expectEqual(seen.messages, [{ early: 1 }, { early: 2 }, { late: 3 }])
}

async function anyText(left: Channel, right: Channel): Promise<void> {
  const values = ['', 'a\nb\r\nc', 'é\u{1f600}', '\u2028\u2029', '\u0000\u001f\u007f', '"\\/', '\ufeff', '__proto__']
  listen(left)
  const seen = listen(right)
  for (const text of values) left.send(JSON.stringify({ text, [text]: 1 }))
  await seen.until(() => seen.messages.length >= values.length)
  const expected = values.map((text) => JSON.parse(JSON.stringify({ text, [text]: 1 })))
  expectEqual(seen.messages, expected)
}

async function largeMessage(left: Channel, right: Channel): Promise<void> {
  const text = 'x\u00e9'.repeat(1_500_000)
  listen(left)
  const seen = listen(right)
  left.send(JSON.stringify({ text }))
  left.send('{"after":true}')
  await seen.until(() => seen.messages.length >= 2)
  const [first, second] = seen.messages as { text?: string }[]
  expect(first?.text === text, 'the large message arrived changed')
  expectEqual(second, { after: true })
}

async function malformed(left: Channel, right: Channel): Promise<void> {
  listen(left)
  const seen = listen(right)
  left.send('{"broken":')
  left.send('{"whole":1}')
  await seen.until(() => seen.messages.length >= 1)
  expectEqual(seen.messages, [{ whole: 1 }])
  expectEqual(
    seen.faults.map(({ kind }) => kind),
    ['parse'],
  )
}

async function flush(left: Channel, right: Channel): Promise<void> {
  listen(left)
  const seen = listen(right)
  await left.flush()
  for (let n = 0; n < 100; n++) left.send(JSON.stringify({ n }))
  await left.flush()
  await seen.until(() => seen.messages.length === 100)
}

async function closeDelivers(left: Channel, right: Channel): Promise<void> {
  const [near, far] = [listen(left), listen(right)]
  for (let n = 0; n < 100; n++) left.send(JSON.stringify({ n }))
  await Promise.all([left.close(), left.close()])
  await left.close()
  await far.until(() => far.closed > 0)
  await right.close()
  expect(far.messages.length === 100, `${far.messages.length} of 100 messages arrived before the end`)
  expectEqual([near.closed, far.closed], [1, 1])
  expect(!near.late && !far.late, 'something was delivered after closed')
}

async function sendAfterClose(left: Channel, right: Channel): Promise<void> {
  const [near, far] = [listen(left), listen(right)]
  await left.close()
  left.send('{}')
  await left.flush()
  await left.close()
  await far.until(() => far.closed > 0)
  expectEqual([near.closed, far.messages.length], [1, 0])
}

async function backPressure(left: Channel, right: Channel): Promise<void> {
  const count = 20_000
  const padding = 'p'.repeat(1000)
  listen(left)
  for (let n = 0; n < count; n++) {
    left.send(JSON.stringify({ log: n, padding }), 'log')
    left.send(JSON.stringify({ progress: n, padding }), 'progress', 'token')
    if (n % 100 === 0) left.send(JSON.stringify({ kept: n }), 'keep')
    if (n % 1000 === 0) await nextTurn()
  }
  left.send('{"last":true}')
  const seen = listen(right)
  const messages = seen.messages as { log?: number; progress?: number; kept?: number; last?: boolean }[]
  await seen.until(() => messages.at(-1)?.last === true)
  const logs = messages.filter(({ log }) => log !== undefined)
  const progress = messages.flatMap((message) => message.progress ?? [])
  expect(logs.length < count / 2, `${logs.length} of ${count} logs waited for a peer that did not read`)
  expect(progress.length < count / 2, `${progress.length} of ${count} progress messages waited`)
  expect(progress.at(-1) === count - 1, 'the newest progress message was lost')
  expectEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  )
  expectEqual(
    messages.flatMap(({ kept }) => kept ?? []),
    Array.from({ length: count / 100 }, (_, n) => n * 100),
  )
}

interface Listener {
  readonly messages: unknown[]
  readonly faults: Malformed[]
  closed: number
  /** Something came after the end. */
  late: boolean
  /** Resolves when an event makes the condition true. */
  until(condition: () => boolean): Promise<void>
}

function listen(channel: Channel): Listener {
  let waiting: { condition: () => boolean; resolve: () => void } | undefined
  const check = (): void => {
    if (waiting?.condition()) waiting.resolve()
  }
  const listener: Listener = {
    messages: [],
    faults: [],
    closed: 0,
    late: false,
    until: (condition) =>
      new Promise((resolve) => {
        waiting = { condition, resolve }
        check()
      }),
  }
  channel.open({
    message(value) {
      listener.messages.push(value)
      listener.late ||= listener.closed > 0
      check()
    },
    malformed(fault) {
      listener.faults.push(fault)
      listener.late ||= listener.closed > 0
      check()
    },
    closed() {
      listener.closed++
      check()
    },
  })
  return listener
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
