import type { Client } from '@portico/sdk/client'
import { PorticoError } from '@portico/sdk/server'
import { afterEach, expect, test, vi } from 'vitest'
import type { RelayedCall } from '../call/relayed-call.ts'
import { followTask } from './upstream-task.ts'

afterEach(() => void vi.useRealTimers())

test('tasks 1.4: who waits for a task hears that it goes on, and who has one is not disturbed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let finish = (_result: object): void => {}
  const result = new Promise<object>((resolve) => {
    finish = resolve
  })
  const run = {
    updates: async function* () {
      yield { statusMessage: 'half way' }
      await result
    },
    result: () => result,
  }
  // As much of a client and of a call as following a task needs.
  const client = { resumeTask: async () => run } as unknown as Client
  const told: unknown[] = []
  const call = { isTask: false, signal: new AbortController().signal, progress: (one: unknown) => told.push(one) }
  const followed = followTask(call as unknown as RelayedCall, client, { server: 's', taskId: 't' }, {})
  await vi.waitFor(() => expect(told).toEqual([{ progress: 1, message: 'half way' }]))
  vi.advanceTimersByTime(15_000)
  expect(told.at(-1)).toEqual({ progress: 1.001 })
  call.isTask = true
  vi.advanceTimersByTime(60_000)
  expect(told).toHaveLength(2)
  finish({ content: [] })
  expect(await followed).toEqual({ content: [] })
  call.isTask = false
  vi.advanceTimersByTime(60_000)
  expect(told).toHaveLength(2)
})

test.each([
  ['timeout', 'is asked again'],
  ['closed', 'is asked again'],
  ['connect-failed', 'is asked again'],
  ['not-found', 'is believed'],
] as const)('tasks 21: a server that answers the first question about its task with %s %s', async (code, fate) => {
  let asked = 0
  const run = { updates: async function* () {}, result: async () => ({ content: [] }), cancel: async () => {} }
  const resumeTask = async () => {
    if (++asked === 1) throw new PorticoError(code, 'not now')
    return run
  }
  const client = { resumeTask } as unknown as Client
  const call = { isTask: true, left: true, signal: new AbortController().signal, progress: () => {} }
  const followed = followTask(call as unknown as RelayedCall, client, { server: 's', taskId: 't' }, {})
  if (fate === 'is believed') await expect(followed).rejects.toThrow('no longer knows of this work')
  else expect(await followed).toEqual({ content: [] })
  expect(asked).toBe(fate === 'is believed' ? 1 : 2)
})
