import { expect, it } from 'vitest'
import { setStream } from '../../../test/page.tsx'
import { onReconnected } from './events.ts'

it('has everything loaded anew when the stream is there, the first time too: nobody heard what happened before', () => {
  let loaded = 0
  onReconnected(() => {
    loaded++
  })
  setStream('open')
  expect(loaded).toBe(1)
  setStream('lost')
  setStream('open')
  expect(loaded).toBe(2)
})
