/** A request that is made for somebody else is cancelled by whoever it is made for, without a signal of its own. */

import { expect, test } from 'vitest'
import type { RequestRelay } from '../src/client/relay.ts'
import { connect } from '../src/connect/connect.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

const ERAS = ['2025-11-25', '2026-07-28'] as const

function open() {
  let begun = (): void => {}
  let ended = (_reason: unknown): void => {}
  const running = new Promise<void>((resolve) => {
    begun = resolve
  })
  const cancelled = new Promise<unknown>((resolve) => {
    ended = resolve
  })
  let calls = 0
  const wait = tool({}, (_args, { signal }) => {
    calls++
    begun()
    return new Promise<string>((_, reject) => {
      signal.addEventListener('abort', () => {
        ended(signal.reason)
        reject(signal.reason)
      })
    })
  })
  const server = createServer({ name: 'waits', version: '1.0.0', tools: { wait } })
  return { server, running, cancelled, calls: () => calls }
}

test.each(ERAS)('a relayed request is cancelled at its server by what its relay was given (%s)', async (versions) => {
  const { server, running, cancelled } = open()
  await using client = await connect(server, { versions })
  let request: { cancel(reason: unknown): void } | undefined
  const relay: RequestRelay = {
    begins: (given) => {
      request = given
      return true
    },
  }
  const answer = client.request('tools/call', { name: 'wait', arguments: {} }, { relay })
  const failed = expect(answer).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  await running
  request?.cancel('enough')
  request?.cancel('once more')
  await failed
  await cancelled
})

test.each(ERAS)('a relayed request that is cancelled already is not sent (%s)', async (versions) => {
  const { server, calls } = open()
  await using client = await connect(server, { versions })
  const relay: RequestRelay = { signal: AbortSignal.abort('too late'), begins: () => false }
  await expect(client.request('tools/call', { name: 'wait', arguments: {} }, { relay })).rejects.toMatchObject({
    code: 'aborted',
    delivery: 'not-sent',
    cause: 'too late',
  })
  expect(calls()).toBe(0)
})
