import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RECEIVE_SHARE, Receiving } from './receiving.ts'

const limits = { maxReceivingBytes: 1000, maxReceivingBytesPerPeer: 300 }

describe('bytes that are still arriving (security D14, sec-166)', () => {
  it.each([
    { extra: -1, reason: undefined },
    { extra: 0, reason: undefined },
    { extra: 1, reason: 'maxReceivingBytesPerPeer (300) reached' },
  ])('of one peer are bounded, here 300 and $extra beyond the share', ({ extra, reason }) => {
    const one = new Receiving(limits, 'a')
    expect(one.add(RECEIVE_SHARE + 300 + extra)).toBe(reason)
    one.done()
  })

  it.each([
    { extra: -1, reason: undefined },
    { extra: 0, reason: undefined },
    { extra: 1, reason: 'maxReceivingBytes (1000) reached' },
  ])('of all are bounded, here 1000 and $extra beyond the shares', ({ extra, reason }) => {
    const peers = ['a', 'b', 'c'].map((name) => new Receiving(limits, name))
    for (const peer of peers) peer.add(RECEIVE_SHARE + 300)
    const last = new Receiving(limits, 'd')
    expect(last.add(RECEIVE_SHARE + 100 + extra)).toBe(reason)
    for (const peer of [...peers, last]) peer.done()
  })

  it('of one peer at full tilt keep nobody else from a share, and all are given back (sec-165)', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 2 * RECEIVE_SHARE }), { maxLength: 50 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 300 }), (hostile, wanted) => {
        const flood = hostile.map((size) => {
          const one = new Receiving(limits, 'hostile')
          one.add(size)
          return one
        })
        const other = new Receiving(limits, 'other')
        expect(other.add(RECEIVE_SHARE + wanted)).toBeUndefined()
        for (const one of [...flood, other]) one.done()
        const all = new Receiving({ ...limits, maxReceivingBytesPerPeer: 1000 }, 'again')
        expect(all.add(RECEIVE_SHARE + 1000)).toBeUndefined()
        all.done()
      }),
    )
  })
})
