import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { wait } from './wait.ts'

it('ends with its time, and leaves nothing on a signal that lasts longer', async () => {
  const { signal } = new AbortController()
  for (let turn = 0; turn < 3; turn++) await wait(1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('ends when the signal fires, or has fired', async () => {
  const controller = new AbortController()
  const waiting = wait(2 ** 31 - 1, controller.signal)
  controller.abort()
  await waiting
  await wait(2 ** 31 - 1, controller.signal)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})
