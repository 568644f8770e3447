import { describe, expect, it } from 'vitest'
import { cancelNamed, IncomingCall, IncomingCalls } from './incoming.ts'

describe('a cancellation', () => {
  const setUp = () => {
    const [scope, other] = [new IncomingCalls(), new IncomingCalls()]
    const [call, neighbour] = [new IncomingCall(1), new IncomingCall('1')]
    scope.add(call)
    other.add(neighbour)
    const carryOut = (params: { [name: string]: unknown }) => cancelNamed(params, scope, other)
    return { call, neighbour, carryOut }
  }

  it.each([
    ['its own words', 'changed my mind', 'changed my mind'],
    ['no more than 200 characters', 'x'.repeat(201), 'x'.repeat(200)],
  ])('ends the call that it names, in any scope, with %s (cancellation, sec-42)', (_words, reason, told) => {
    const { call, neighbour, carryOut } = setUp()
    carryOut({ requestId: '1', reason })
    expect([call.cancelled, neighbour.cancelled]).toEqual([false, true])
    expect(neighbour.signal.reason).toBe(told)
  })

  it.each([
    ['one without an id', { reason: 'x' }],
    ['one whose id is none', { requestId: { toString: '1' } }],
    ['one for a call that is not there', { requestId: 2 }],
  ])('%s ends nothing', (_what, params) => {
    const { call, neighbour, carryOut } = setUp()
    carryOut(params)
    expect([call.cancelled, neighbour.cancelled]).toEqual([false, false])
  })
})
